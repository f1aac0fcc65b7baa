"use strict";
// Three curves over one range of time, with the tests, phases and rounds behind them.
const CURVES = [
  ["iops", 3, rate, false],
  ["throughput", 4, megabytes, false],
  ["latency", 5, time, true],
];
const STEPS_S = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 172800, 604800];
const LABELS = 34; // height in pixels of the two rows of names above the first curve
const GAP = 0.75; // samples without load that are drawn as a gap
let points = [];
let each = 1;
let stages = [];
let plots = [];
let range = null; // [from, to] in seconds; null for the whole run

// A point is a mean over the seconds of load before it, and is drawn that wide. No line crosses time without load.
const columns = (place) => {
  const all = [[], [], [], []];
  const put = (t, values) => [t, ...values].forEach((value, at) => all[at].push(place === 5 && at ? value || null : value));
  let before = -Infinity;
  for (const [t, seconds, ...rest] of points) {
    const [low, mean, high] = rest[place - 2];
    const began = t - seconds;
    if (began - before > (GAP * seconds) / each) {
      if (before > -Infinity) put(before + 1e-3, [null, null, null]);
      put(Math.max(began, before + 2e-3), [low, high, mean]);
    }
    put(t, [low, high, mean]);
    before = t;
  }
  return all;
};

function clock(seconds) {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (count) => String(count).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}${rest ? ":" + two(rest) : ""}` : `${minutes}:${two(rest)}`;
}

const colour = (called) => getComputedStyle(document.documentElement).getPropertyValue(called).trim();
const ending = (stage) => stage.ended_s ?? (points.length ? points[points.length - 1][0] : stage.began_s);

// Spans of neighbours with the same key: [key, from, to].
function spans(items, key, from, to) {
  const found = [];
  for (const item of items) {
    const last = found[found.length - 1];
    if (last && last[0] === key(item)) last[2] = to(item);
    else found.push([key(item), from(item), to(item)]);
  }
  return found;
}

function behind(u, named) {
  const { ctx, bbox } = u;
  const [ratio, begun] = [devicePixelRatio, stages.filter((stage) => stage.began_s !== undefined)];
  const x = (t) => Math.min(Math.max(u.valToPos(t, "x", true), bbox.left), bbox.left + bbox.width);
  const bar = (from, to, fill, top, height) => { ctx.fillStyle = fill; ctx.fillRect(x(from), top, Math.max(x(to) - x(from), 1), height); };
  const label = (text, from, to, row) => {
    if (named && x(to) - x(from) > ctx.measureText(text).width + 4 * ratio) ctx.fillText(text, x(from) + 3 * ratio, bbox.top - (LABELS - 13 - 15 * row) * ratio);
  };
  ctx.save();
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  const tests = spans(begun, (stage) => stage.test, (stage) => stage.began_s, ending);
  tests.forEach(([called, from, to], at) => {
    if (at % 2) bar(from, to, colour("--band"), bbox.top, bbox.height);
    ctx.fillStyle = colour("--ink");
    label(told.tests[called] || called, from, to, 0);
  });
  for (const stage of begun) {
    bar(stage.began_s, stage.began_s, colour("--line"), bbox.top, bbox.height);
    ctx.fillStyle = colour("--soft");
    label(phase(stage.phase), stage.began_s, ending(stage), 1);
  }
  // Rounds are ticks at the bottom, with numbers where there is room.
  const rounds = spans(points.filter((point) => u.scales.x.min <= point[0] && point[0] - point[1] <= u.scales.x.max), (point) => `${point[6]} ${point[7]}`, (point) => point[0] - point[1], (point) => point[0]);
  if (rounds.length * 6 * ratio < bbox.width) for (const [key, from, to] of rounds) {
    bar(from, from, colour("--soft"), bbox.top + bbox.height - 6 * ratio, 6 * ratio);
    const number = key.split(" ")[1];
    ctx.fillStyle = colour("--soft");
    if (x(to) - x(from) > ctx.measureText(number).width + 8 * ratio) ctx.fillText(number, x(from) + 3 * ratio, bbox.top + bbox.height - 2 * ratio);
  }
  ctx.restore();
}

function where(t) {
  const point = points.find((one) => one[0] >= t);
  const stage = point && stages[point[6]];
  return stage ? `${told.tests[stage.test] || stage.test}: ${phase(stage.phase)}, ${word("round")} ${point[7]}` : "";
}

function plot([key, place, said, log], number) {
  const box = make("div", "", "chart");
  const title = make("h2", `${word(key)} `);
  const value = make("small");
  title.append(value);
  box.append(title);
  by("curves").append(box);
  const decades = (u, axis, low, high) => {
    const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
    return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => 10 ** (first + at));
  };
  const side = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, font: "12px system-ui, sans-serif" };
  const paths = uPlot.paths.stepped({ align: -1 });
  const height = 190 + (number ? 0 : LABELS);
  const options = {
    width: box.clientWidth,
    height,
    padding: [number ? 8 : LABELS, 12, 0, 0],
    scales: { x: { time: false }, y: log ? { distr: 3 } : { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
    axes: [
      { ...side, values: (u, ticks) => ticks.map(clock), space: 70, incrs: STEPS_S },
      { ...side, size: 74, ...(log ? { splits: decades } : {}), values: (u, ticks) => ticks.map((tick) => (tick === null ? "" : said(tick))) },
    ],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
      bind: { dblclick: () => () => zoom(null) },
      sync: { key: "run", filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
    },
    series: [
      {},
      { stroke: null, paths, points: { show: false } },
      { stroke: null, paths, points: { show: false } },
      { stroke: colour("--blue"), width: 1.5, paths, points: { show: false } },
    ],
    bands: [{ series: [2, 1], fill: colour("--blue") + "33" }],
    hooks: {
      drawClear: [(u) => behind(u, !number)],
      setSelect: [(u) => {
        const { left, width } = u.select;
        if (width > 4) zoom([u.posToVal(left, "x"), u.posToVal(left + width, "x")]);
        if (width) u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
      }],
      setCursor: [(u) => {
        const at = u.cursor.idx;
        const [t, low, high, mean] = at == null ? [] : u.data.map((column) => column[at]);
        value.textContent = mean == null ? "" : `${word("at", { t: clock(t), mean: said(mean), low: said(low), high: said(high) })}${number ? "" : " · " + where(t)}`;
      }],
    },
  };
  const drawn = new uPlot(options, columns(place), box);
  new ResizeObserver(() => drawn.setSize({ width: box.clientWidth, height })).observe(box);
  return drawn;
}

function show(one, data) {
  one.setData(data, !range);
  if (range) one.setScale("x", { min: range[0], max: range[1] });
}

function draw() {
  if (!points.length) return;
  by("curves").hidden = false;
  if (plots.length) plots.forEach((one, at) => show(one, columns(CURVES[at][1])));
  else {
    plots = CURVES.map(plot);
    if (range) zoom(range);
  }
}

// All curves have one range, which is part of the address and can be shared.
function zoom(wanted) {
  range = wanted;
  history.replaceState(null, "", location.pathname + location.search + (range ? `#t=${range.map((t) => t.toFixed(1)).join("-")}` : ""));
  by("whole").hidden = !range;
  put("range", range ? word("range", { from: clock(range[0]), to: clock(range[1]) }) : "");
  plots.forEach((one) => show(one, one.data));
}
const asked = /^#t=([\d.]+)-([\d.]+)$/.exec(location.hash);
if (asked && Number(asked[1]) < Number(asked[2])) range = [Number(asked[1]), Number(asked[2])];
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => location.reload());
