// Draws each figure when it comes near the screen, as wide as its container and in the colours of the screen; saves it as PNG, SVG or CSV.
(function () {
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  var night = { "#1b1f24": "#e6edf3", "#dfe3e8": "#30363d", "#57606a": "#d0d7de", "#3d444c": "#afb8c1", "#8b949e": "#57606a", "#0072b2": "#58b0e8", "#3a97cf": "#c3ecff", "#b3ddf5": "#2e5a75", "#009e73": "#3fc79a", "#a40000": "#ff8b84", "#000000": "#e6edf3", "#440154": "#c49bd0", "#46327e": "#a99be0", "#365c8d": "#7fa8d8" };
  var views = new Map();
  function spec(figure) {
    var text = figure.querySelector("script").textContent;
    if (dark.matches && !window.matchMedia("print").matches) {
      Object.keys(night).forEach(function (day) { text = text.split(day).join(night[day]); });
    }
    var drawn = JSON.parse(text);
    drawn.background = null;
    return figureFitted(drawn, figure.clientWidth, true);
  }
  function draw(figure) {
    return figureDrawn(figure, spec(figure), { renderer: "svg", actions: false }).then(function (drawn) { if (drawn) { views.set(figure, drawn.view); } });
  }
  function save(name, address) { var link = document.createElement("a"); link.download = name; link.href = address; link.click(); }
  function csv(figure) {
    var sets = JSON.parse(figure.querySelector("script").textContent).datasets || {};
    var rows = sets.rows || [], keys = Object.keys(rows[0] || {});
    var cell = function (value) { return /[",\n]/.test(value) ? '"' + String(value).replace(/"/g, '""') + '"' : String(value === null ? "" : value); };
    return [keys.join(",")].concat(rows.map(function (row) { return keys.map(function (key) { return cell(row[key]); }).join(","); })).join("\n") + "\n";
  }
  document.addEventListener("click", function (event) {
    var kind = event.target.dataset && event.target.dataset.save, figure = kind && event.target.closest("figure.plot");
    if (!figure) { return; }
    if (kind === "csv") { save(figure.id + ".csv", "data:text/csv;charset=utf-8," + encodeURIComponent(csv(figure))); return; }
    var view = views.get(figure);
    if (view) { view.toImageURL(kind, 2).then(function (address) { save(figure.id + "." + kind, address); }); }
  });
  function edges(box) {  // a table that continues beyond an edge has a shadow there
    box.classList.toggle("before", box.scrollLeft > 1);
    box.classList.toggle("after", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  }
  var sizes = new ResizeObserver(function (entries) { entries.forEach(function (entry) { edges(entry.target); }); });
  function tables() { document.querySelectorAll(".scroll").forEach(function (box) { sizes.observe(box); }); }
  document.addEventListener("scroll", function (event) { if (event.target.classList && event.target.classList.contains("scroll")) { edges(event.target); } }, true);
  function start() {
    tables();
    dark.addEventListener("change", function () { views.forEach(function (view, figure) { draw(figure); }); });
    window.figuresAgain = function () { tables(); figuresNear(draw); };  // charts and tables that a script adds later
    figuresNear(draw);
    window.addEventListener("beforeprint", function () {
      document.querySelectorAll("details.long").forEach(function (long) { long.open = true; });
    });
  }
  if (document.readyState === "loading") { document.addEventListener("DOMContentLoaded", start); } else { start(); }
})();
