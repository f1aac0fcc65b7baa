"use strict";
// Shared by pages of both styles: draw each figure when it comes near the screen, and describe it for screen readers.
function figuresNear(draw) {
  var figures = document.querySelectorAll("figure.plot:not(.drawn)");
  if (!("IntersectionObserver" in window) || location.hash === "#all") { figures.forEach(draw); return; }
  var seen = new IntersectionObserver(function (entries) {
    entries.forEach(function (entry) { if (entry.isIntersecting) { seen.unobserve(entry.target); draw(entry.target); } });
  }, { rootMargin: "800px" });
  figures.forEach(function (figure) { seen.observe(figure); });
  window.addEventListener("beforeprint", function () {
    figures.forEach(function (figure) { if (!figure.classList.contains("drawn")) { seen.unobserve(figure); draw(figure); } });
  });
}
var NARROW = 520, WIDE = 700;
function figureFitted(spec, width, always) {  // as wide as its container; without `always` only if the container is narrow
  var narrow = width < NARROW;
  if ((always || narrow) && !spec.facet && !spec.spec && !spec.vconcat) { spec.width = "container"; spec.autosize = { type: "fit-x", contains: "padding" }; }
  var title = spec.title || {}, family = " " + (title.font || ((spec.config || {}).title || {}).font || (spec.config || {}).font || "sans-serif");
  if (title.text) {
    title.limit = 0;
    title.text = figureBroken([].concat(title.text).join(" "), width - 24, "bold " + (narrow ? 13 : title.fontSize || 14) + "px" + family);
  }
  if (title.subtitle) { title.subtitle = figureBroken([].concat(title.subtitle).join(" "), width - 24, "12px" + family); }
  if (narrow) {
    title.fontSize = 13;
    spec.config.legend = Object.assign({}, spec.config.legend, { orient: "bottom", columns: 2, labelLimit: 150, labelFontSize: 10, symbolSize: 70, titleOrient: "top" });
    spec.config.axis = Object.assign({}, spec.config.axis, { labelLimit: 110 });
    spec.config.axisX = { titleAnchor: "end" };
    spec.padding = { left: 2, top: 5, bottom: 5, right: 14 };
    (spec.vconcat || []).forEach(function (part) { part.width = width - 90; });
    figureSlim(spec, width, family, spec.datasets || {});
    figureRows(spec, [spec].concat(spec.layer || []), width);
  }
  return spec;
}
function figureSlim(part, width, family, sets) {  // the legend of the chart takes precedence over the theme
  if (!part || typeof part !== "object") { return; }
  Object.keys(part).forEach(function (key) {
    if (key === "datasets" || key === "config") { return; }
    if (key === "legend" && part.legend) {
      Object.assign(part.legend, { orient: "bottom", columns: Math.max(1, Math.floor((part.legend.columns || 2) * width / WIDE)), labelLimit: width - 90, titleOrient: "top" });
      figureNames(part, width - BESIDE, family);
    }
    if (key === "x") { figureTicks(part.x, 5, width - (part.y && part.y.type === "nominal" ? BESIDE : 90), sets); }
    figureSlim(part[key], width, family, sets);
  });
}
var BESIDE = 150;  // most pixels of the labels and the title of an axis and of the symbol of a legend
function figureNames(channel, width, family) {  // names in a legend that are longer than a line have several
  var lines = {}, long = false;
  ((channel.scale || {}).domain || []).forEach(function (name) {
    lines[name] = figureBroken(String(name), width, "10px" + family);
    long = long || lines[name].length > 1;
  });
  if (long) { channel.legend.labelExpr = JSON.stringify(lines) + "[datum.label]"; }
}
var SMALL = 9, CELL = 6.6;
function figureCells(spec) {  // letters of the longest line in the cells of a map
  var most = 0, sets = spec.datasets || {};
  Object.keys(sets).forEach(function (name) {
    sets[name].forEach(function (row) { String(row.text || "").split("\n").forEach(function (line) { most = Math.max(most, line.length); }); });
  });
  return most;
}
function figureRows(spec, parts, width) {  // a wide map is turned; long names of rows leave room for their marks
  parts.forEach(function (part) {
    var channels = part.encoding || {}, x = channels.x || {}, y = channels.y || {}, columns = (x.sort || []).length, rows = (y.sort || []).length;
    if (x.type === "nominal" && y.type === "nominal" && columns && rows) {
      var need = CELL * Math.max(2, figureCells(spec));
      if (columns > rows && need * columns > width - 90) {
        channels.x = y; channels.y = x; columns = rows;
        spec.height = 34 * x.sort.length;
      }
      if (part.mark && part.mark.type === "text" && need * columns > width - 90) { part.mark.fontSize = SMALL; }
    } else if (x.type === "quantitative" && y.type === "nominal" && y.axis && y.axis.labelExpr) {
      y.axis.labelFontSize = SMALL;
    }
  });
}
var LETTER = 6.5, BETWEEN = 14;
function figureLabel(values) {  // width of the longest label and the space beside it
  var letters = values.map(function (value) { var whole = String(Math.round(value)).length; return Math.max(String(value).length, whole + Math.floor((whole - 1) / 3)); });
  return LETTER * Math.max.apply(null, letters) + BETWEEN;
}
function figureRoom(values, width) { return Math.floor(width / figureLabel(values)); }  // labels that fit side by side
function figureCount(channel, most, width, sets) {  // the highest number of ticks at round steps whose labels have room
  var values = (channel.scale || {}).domain || [], all = [];
  Object.keys(sets).forEach(function (name) { sets[name].forEach(function (row) { all.push(row[channel.field]); }); });
  if (typeof values[1] !== "number") { values = all.filter(Number.isFinite); }
  var high = Math.max.apply(null, values), low = (channel.scale || {}).zero === false ? Math.min.apply(null, values) : Math.min(0, Math.min.apply(null, values));
  for (var count = most; values.length && high > low && count > 2; count -= 1) {
    var power = Math.pow(10, Math.floor(Math.log10((high - low) / count))), part = (high - low) / count / power;
    var step = power * (part >= Math.sqrt(50) ? 10 : part >= Math.sqrt(10) ? 5 : part >= Math.sqrt(2) ? 2 : 1);  // as d3 rounds it
    var last = Number((Math.ceil(high / step) * step).toPrecision(9));
    if (Math.ceil((high - low) / step) <= figureRoom([low, step, last], width)) { break; }  // a zero is narrow
  }
  return count;
}
function figureTens(values, width) {  // both ends, and between them 1, 2 and 5 times, 1 and 5 times, or only powers of ten, then every second one and so on; false without any between them
  var least = figureLabel(values), last = values[values.length - 1], whole = Math.log10(last / values[0]);
  var parts = values.map(function (value) { var power = Math.floor(Math.log10(value) + 1e-9); return { value: value, power: power, first: Math.round(value / Math.pow(10, power)) }; });
  if (!parts.every(function (part) { return [1, 2, 5].indexOf(part.first) >= 0; })) { return false; }
  function near(low, high) { return Math.log10(high / low) / whole * width < least; }
  var lowest = parts[0].power + (parts[0].first > 1);
  var ways = [[1, 2, 5], [1, 5], [1]].map(function (firsts) { return function (part) { return firsts.indexOf(part.first) >= 0; }; });
  [2, 3, 4, 5, 6].forEach(function (step) { ways.push(function (part) { return part.first === 1 && (part.power - lowest) % step === 0; }); });
  for (var i = 0; i < ways.length; i += 1) {
    var inner = parts.slice(1, -1).filter(ways[i]).map(function (part) { return part.value; });
    inner = inner.filter(function (value) { return !near(values[0], value) && !near(value, last); });
    if (inner.length && !inner.some(function (value, place) { return place && near(inner[place - 1], value); })) { return [values[0]].concat(inner, [last]); }
  }
  return false;
}
function figureEvery(values, width) {  // both ends, and as many in equal steps between them as have room; without any between them, the last step is longer
  var last = values.length - 1, room = Math.max(2, figureRoom(values, width)), least = Math.max(1, Math.ceil(last / Math.max(2, room - 1))), step = least;
  while (last % step) { step += 1; }
  if (step === last) { step = least; }
  return values.filter(function (value, place) { return place === last || (place % step === 0 && (step === 1 || Math.log(values[last] / value) / Math.log(values[last] / values[0]) * width >= figureLabel(values))); });
}
function figureTicks(channel, most, width, sets) {  // ticks that have room: labels that Vega leaves out make the others uneven
  var scale = channel.scale || {}, axis = channel.axis, values = (axis && axis.values) || [];
  if (!axis || channel.type !== "quantitative") { return; }
  if (scale.type === "log") {
    axis.values = figureTens(values, width) || figureEvery(values, width);
  } else if (!values.length || values.length > most + 2) {
    delete axis.values;
    axis.tickCount = figureCount(channel, most, width, sets);
    if (typeof scale.nice === "number") { scale.nice = axis.tickCount > 2 ? 5 : axis.tickCount; }  // few labels must not make an axis much longer than its data
  }
  if (axis.values) { axis.tickCount = axis.values.length; }  // else Vega leaves out every other one
}
var pen = document.createElement("canvas").getContext("2d");
function figureBroken(text, width, font) {  // lines of at most `width` pixels; letters of other alphabets are wider, and a longer word is divided
  var lines = [""];
  pen.font = font;
  function fits(line) { return pen.measureText(line).width <= width; }
  text.split(" ").forEach(function (word) {
    var last = lines[lines.length - 1];
    if (last && !fits(last + " " + word)) { lines.push(""); last = ""; }
    for (var end = word.length; end > 1 && !fits(word); end = word.length) {
      while (end > 1 && !fits(word.slice(0, end))) { end -= 1; }
      lines.splice(-1, 0, word.slice(0, end));
      word = word.slice(end);
    }
    lines[lines.length - 1] = last ? last + " " + word : word;
  });
  return lines;
}
function figureTips(spec) {  // texts of tooltips; Vega groups numbers from four digits on, the language of the axes perhaps from five
  var config = spec.config || {}, group = ((config.locale || {}).number || {}).thousands;
  var four = new RegExp("(^|[^\\d" + group + "])(\\d)" + group + "(?=\\d{3}(?![\\d" + group + "]))", "g");
  return function (value) {
    var text = String(value).replace(/&/g, "&amp;").replace(/</g, "&lt;");
    return config.axisQuantitative ? text.replace(four, "$1$2") : text;
  };
}
function figureDrawn(figure, spec, options) {
  var holder = figure.querySelector(".chart");
  return vegaEmbed(holder, spec, Object.assign({ tooltip: { sanitize: figureTips(spec) } }, options)).then(function (drawn) {
    figure.classList.add("drawn");
    var svg = holder.querySelector("svg.marks");
    if (svg) { svg.setAttribute("role", "img"); svg.setAttribute("aria-label", spec.description || ""); }
    holder.querySelectorAll("svg.marks [role]").forEach(function (e) { e.removeAttribute("role"); e.removeAttribute("aria-roledescription"); e.removeAttribute("aria-label"); });
    return drawn;
  }).catch(function (error) { holder.textContent = String(error); figure.classList.add("drawn", "broken"); });
}
