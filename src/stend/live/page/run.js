"use strict";
// One run: what it does now, three curves that grow, and what its finished phases show.
const name = decodeURIComponent(location.pathname.slice("/run/".length));
const CURVES = [
  ["iops", 3, rate, false],
  ["throughput", 4, megabytes, false],
  ["latency", 5, time, true],
];
const STEPS_S = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 172800, 604800];
let points = [];
let noted = "";
let plots = [];
let shown = -1;

const columns = (place) => {
  const all = [[], [], [], []];
  let before = null;
  for (const point of points) {
    if (before !== null && point[0] - before > Math.max(3 * point[1], 5)) {
      all[0].push(before + 1e-3);
      for (const column of all.slice(1)) column.push(null);
    }
    const [low, mean, high] = point[place];
    [point[0], low, high, mean].forEach((value, at) => all[at].push(place === 5 ? value || null : value));
    before = point[0];
  }
  return all;
};

function clock(seconds) {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (count) => String(count).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}${rest ? ":" + two(rest) : ""}` : `${minutes}:${two(rest)}`;
}

function plot([key, place, said, log]) {
  const colours = getComputedStyle(document.documentElement);
  const colour = (called) => colours.getPropertyValue(called).trim();
  const box = make("div", "", "chart");
  const title = make("h2", word(key) + " ");
  const value = make("small");
  title.append(value);
  box.append(title);
  by("curves").append(box);
  const decades = (u, axis, low, high) => {
    const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
    return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => 10 ** (first + at));
  };
  const side = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, font: "12px system-ui, sans-serif" };
  const options = {
    width: box.clientWidth,
    height: 190,
    scales: { x: { time: false }, y: log ? { distr: 3 } : { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
    axes: [
      { ...side, values: (u, ticks) => ticks.map(clock), space: 70, incrs: STEPS_S },
      { ...side, size: 74, ...(log ? { splits: decades } : {}), values: (u, ticks) => ticks.map((tick) => (tick === null ? "" : said(tick))) },
    ],
    cursor: { y: false, points: { show: false } },
    series: [
      {},
      { stroke: null, points: { show: false } },
      { stroke: null, points: { show: false } },
      { stroke: colour("--blue"), width: 1.5, points: { show: false } },
    ],
    bands: [{ series: [2, 1], fill: colour("--blue") + "33" }],
    hooks: {
      setCursor: [(u) => {
        const at = u.cursor.idx;
        const [t, low, high, mean] = at == null ? [] : u.data.map((column) => column[at]);
        value.textContent = mean == null ? "" : word("at", { t: clock(t), mean: said(mean), low: said(low), high: said(high) });
      }],
    },
  };
  const drawn = new uPlot(options, columns(place), box);
  new ResizeObserver(() => drawn.setSize({ width: box.clientWidth, height: 190 })).observe(box);
  return drawn;
}

function draw() {
  if (!points.length) return;
  if (!plots.length) plots = CURVES.map(plot);
  else plots.forEach((one, at) => one.setData(columns(CURVES[at][1])));
}

const test = (called, title = called) => told.tests[called] || title;

function card(key, text, under) {
  const one = make("div", "", "card");
  one.append(make("b", text), make("span", under ? `${word(key)}, ${under}` : word(key)));
  return one;
}

function tell(now) {
  document.title = `${now.drive || now.run} – stend`;
  put("drive", now.drive || now.run);
  put("facts", [now.serial, bytes(now.capacity_bytes || 0), now.virtual ? word("virtual") : "", now.run].filter(Boolean).join(" · "));
  put("state", word(`state_${now.state.replace(" ", "_")}`) + (now.state === "ended" ? `: ${word("outcome_" + now.said.split(":")[0].replace(" ", "_"))}` : ""));
  by("state").className = stateClass(now.state);
  by("place").hidden = !now.test && now.state !== "cut off" && now.state !== "elsewhere";
  const most = now.rounds > 1 ? word("of_at_most", { rounds: now.rounds }) : "";
  const place = now.test ? `${test(now.test, now.title)}: ${phase(now.phase)}, ${word("round")} ${now.round} ${most} · ${word("step", { step: now.step, steps: now.steps })} ${now.doing || ""}` : "";
  const known = { cut_off: word("said_cut_off", { run: name }), elsewhere: word("said_elsewhere") };
  put("place", [known[now.state.replace(" ", "_")], place].filter(Boolean).join(" · "));
  const cards = [card(now.state === "ended" ? "lasted" : "gone", duration(now.t_s || 0))];
  const [low, high] = [duration(now.low_s || 0), duration(now.high_s || 0)];
  if (now.state === "running") cards.push(card("to_go", duration(now.likely_s || 0), low === high ? "" : `${low} – ${high}`));
  if (now.iops !== undefined) cards.push(card("iops", rate(now.iops)), card("throughput", megabytes(now.bytes_per_s)), card("latency", time(now.mean_s), word("longest", { max: time(now.max_s) })));
  if (now.temperature_c !== undefined) cards.push(card("temperature", `${now.temperature_c.toFixed(0)} °C`));
  if (now.repeats) cards.push(card("repeats", String(now.repeats)));
  by("cards").replaceChildren(...cards);
  tellWindow(now.window || []);
  tellNotes(now.notes || []);
  tellCourse(now.passed || [], now.ahead || []);
  if ((now.passed || []).length !== shown) drawn((now.passed || []).length);
  by("report").hidden = now.state !== "ended";
  by("report").href = `/report/${address(name)}`;
}

function tellWindow(window) {
  by("window").hidden = !window.length;
  const said = { iops: rate, throughput: (value) => `${megabytes(value)} ${word("mbs")}`, latency: time };
  const percent = (share) => (share === null ? "–" : `${decimal((100 * share).toFixed(1))} %`);
  by("tracked").replaceChildren(...window.map((one) => {
    const row = make("tr");
    const values = one.values.map(said[one.quantity]).join("  ");
    row.append(make("td", one.label), make("td", values), make("td", word("excursion", { now: percent(one.excursion), allowed: percent(one.excursion_allowed) })),
      make("td", word("slope", { now: percent(one.slope), allowed: percent(one.slope_allowed) })), make("td", word(one.steady ? "met" : "not_yet")));
    return row;
  }));
}

async function tellNotes(notes) {
  by("notes").hidden = !notes.length;
  if (noted === JSON.stringify(notes)) return;
  noted = JSON.stringify(notes);
  const answer = lang === "en" ? null : await fetch(`/notes/${lang}/${address(name)}`);
  const said = answer && answer.ok ? await answer.json() : notes;
  by("noted").replaceChildren(...said.slice().reverse().map(([t, kind, text]) => make("li", `${clock(t)}  ${word("kind_" + kind)}: ${text}`)));
}

function tellCourse(passed, ahead) {
  by("course").hidden = !passed.length && !ahead.length;
  const verdict = (steady) => (steady === null ? "" : ` (${word(steady ? "steady" : "not_steady")})`);
  const grouped = (pairs) => {
    const tests = new Map();
    for (const [called, part] of pairs) tests.set(called, [...(tests.get(called) || []), part]);
    return [...tests].map(([called, parts]) => `${test(called)}: ${parts.join("; ")}`);
  };
  by("passed").replaceChildren(...grouped(passed.map((one) => [one.test, phase(one.phase) + verdict(one.steady)])).map((text) => make("li", text)));
  put("ahead", ahead.length ? `${word("next")}: ${grouped(ahead.map(([called, part]) => [called, phase(part)])).join(". ")}` : "");
}

async function drawn(count) {
  shown = count;
  if (!count) return;
  const answer = await fetch(`/drawn/${lang}/${address(name)}`);
  if (!answer.ok || shown !== count) return;
  const { findings, pictures } = await answer.json();
  by("found").hidden = !findings.length && !pictures.length;
  by("findings").replaceChildren(...findings.filter((one) => one.sure !== "can't tell").map((one) => make("li", one.text)));
  by("pictures").replaceChildren(...pictures.map((one, at) => {
    const figure = make("figure");
    const image = make("img");
    image.alt = `${one.title}. ${one.says}`;
    image.loading = "lazy";
    image.src = `/drawn/${lang}/${at}/${address(name)}?of=${count}`;
    figure.append(image, make("figcaption", one.says));
    return figure;
  }));
}

function hear(message) {
  const news = JSON.parse(message.data);
  points = points.slice(0, news.start || 0).concat(news.points || []);
  const now = news.now;
  learn([now.phase, ...(now.passed || []).map((one) => one.phase), ...(now.ahead || []).map(([, part]) => part)]).then(() => tell(now));
  draw();
}

begin().then(() => {
  by("back").href = within("/");
  new EventSource(`/events/${address(name)}`).onmessage = hear;
});
