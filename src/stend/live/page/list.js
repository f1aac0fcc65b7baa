"use strict";
// All runs. Words of the filter are looked for here; conditions such as model=KC* are checked by the server.
const AGAIN_MS = 5000;
const TYPED_MS = 250;
const ASKED = "run,model,serial,label,tests,seconds,read_iops,write_iops,write_p999_s,read_bytes_per_s,write_bytes_per_s";
const AT_ONCE = 60; // rows that are built first
const LATER = 200; // rows that are added when the end of the table is near
const NEAR_PX = 1500;
const MOST = 5;
const number = (key, shape) => (row) => (row.now || row.outcome === "unfinished" || row[key] == null ? "" : shape(row[key]));
const COLUMNS = [
  ["pick", () => "", "pick"],
  ["run", (row) => row.run, "name"],
  ["state", state, "wide"],
  ["drive", (row) => [row.model, row.serial].filter(Boolean).join("  "), "wide name"],
  ["tests", tests, "wide"],
  ["started", (row) => (row.started_s ? iso(row.started_s) : ""), "wide date"],
  ["lasted", (row) => (row.seconds ? duration(row.seconds) : row.now ? duration(row.now.t_s || 0) : ""), "wide date"],
  ["read_iops", number("read_iops", rate), "number"],
  ["write_iops", number("write_iops", rate), "number"],
  ["write_p999_s", number("write_p999_s", time), "number wide"],
  ["read_bytes_per_s", number("read_bytes_per_s", megabytes), "number wide"],
  ["write_bytes_per_s", number("write_bytes_per_s", megabytes), "number wide"],
];
const KEYS = { started: (row) => row.started_s || 0, lasted: (row) => row.seconds || (row.now && row.now.t_s) || 0 };
for (const [key, , cls] of COLUMNS) if (cls.includes("number")) KEYS[key] = (row) => row[key] ?? -1;
const query = new URLSearchParams(location.search);
const picked = new Set();
const built = new Map(); // run -> [its row as text, its line]
let rows = [];
let order = (query.get("sort") || "started:-1").split(":");
let seen = null;
let lines = []; // of all rows that the filter shows: functions that build them
let shown = AT_ONCE;
let conditions = [];

function iso(seconds) {
  const at = new Date(seconds * 1000);
  const two = (value) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function tests(row) {
  const every = (row.tests || []).map((one) => told.tests[one] || one);
  return every.length > 3 ? `${every.slice(0, 2).join(", ")} +${every.length - 2}` : every.join(", ");
}

function state(row) {
  if (row.error) return badge("unreadable")[1];
  if (row.unread) return word("unread");
  return badge(row.now ? row.now.state : row.outcome || "")[1];
}

// The sentences below a run: why it cannot be read, where it is, its stamps.
function below(row) {
  const now = row.now;
  if (row.error) return [[row.error, "bad"]];
  if (!now || now.state !== "running") return (row.stamps || []).map((stamp) => [stamp, "bad"]);
  const place = `${told.tests[now.test] || now.title || ""}, ${phase(now.phase || "")}`;
  const going = `${place}: ${now.iops === undefined ? "" : rate(now.iops) + " IOPS, "}${now.likely_s === null ? `${word("to_go")}: ${word("not_known")}` : word("left", { time: duration(now.likely_s || 0) })}`;
  return [[going, "good"], ...row.stamps.map((stamp) => [stamp, "bad"])];
}

const sort = (row) => badge(row.error ? "failed" : row.now ? row.now.state : row.outcome || "")[0];
const text = (row) => [...COLUMNS.map(([, said]) => said(row)), ...below(row).map(([said]) => said), row.label, ...(row.tests || []), ...(row.tests || []).map((one) => told.tests[one])].join(" ").toLowerCase();
// Words in quotation marks stay together, and spaces around an operator do not count.
const parts = () => by("filter").value.replace(/\s*(!=|>=|<=|=|>|<)\s*/g, "$1").match(/(?:[^\s"]|"[^"]*"?)+/g)?.map((part) => part.replaceAll('"', "")) || [];
const isCondition = (part) => /^\w+(!=|>=|<=|=|>|<)/.test(part);

function cell([called, said, cls], row) {
  const one = make("td", ["pick", "run", "state"].includes(called) ? "" : said(row), cls);
  if (called === "run") {
    const link = make("a", row.run);
    link.href = within(`/run/${address(row.run)}`);
    one.append(link);
    if (row.label) one.append(make("span", row.label, "label"));
    if (row.model) one.append(make("span", row.model, "soft narrow"));
    one.append(make("span", state(row), `narrow ${sort(row)}`));
  } else if (called === "tests") {
    one.title = (row.tests || []).map((each) => told.tests[each] || each).join(", ");
  } else if (called === "pick" && !row.error) {
    const box = make("input");
    box.type = "checkbox";
    box.checked = picked.has(row.run);
    box.setAttribute("aria-label", word("pick", { run: row.run }));
    box.onchange = () => { box.checked ? picked.add(row.run) : picked.delete(row.run); choose(); };
    one.append(box);
  } else if (called === "state") {
    one.append(make("span", said(row), sort(row)));
    if (row.seconds && !row.error && row.outcome !== "imported") {
      const link = make("a", word("report"));
      link.href = within(`/report/${address(row.run)}`);
      link.setAttribute("aria-label", `${word("report")}: ${row.run}`);
      one.append(" ", link);
    }
  }
  return one;
}

// A run with such sentences has two rows: its figures, and the sentences across all columns.
const both = (row) => [() => built_of(row)[1], ...(below(row).length ? [() => built_of(row)[2]] : [])];
function built_of(row) {
  const now = JSON.stringify(row);
  const known = built.get(row.run);
  if (known && known[0] === now) return known;
  const said = below(row);
  const [figures, stamps] = [make("tr", "", said.length ? "stamped" : ""), make("tr", "", "stamps")];
  figures.append(...COLUMNS.map((column) => cell(column, row)));
  const across = make("td");
  across.colSpan = COLUMNS.length - 1;
  across.append(...said.flatMap(([each, sort]) => [make("span", each, `stamp ${sort}`), " "]));
  stamps.append(make("td", "", "pick"), across);
  built.set(row.run, [now, figures, stamps]);
  return built.get(row.run);
}

function headline(drive, count) {
  const one = make("tr", "", "drive");
  const head = make("th", `${drive || word("no_drive")} (${count})`);
  head.colSpan = COLUMNS.length;
  head.scope = "rowgroup";
  one.append(head);
  return one;
}

function wanted() {
  const [key, way] = order;
  const value = KEYS[key] || COLUMNS.find(([called]) => called === key)?.[1] || KEYS.started;
  const words = parts().filter((part) => !isCondition(part)).map((part) => part.toLowerCase());
  const left = rows
    .filter((row) => words.every((part) => text(row).includes(part)))
    .sort((a, b) => Number(way) * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
  put("count", word("count", { shown: left.length, all: rows.length }));
  if (!by("group").checked) return left.flatMap(both);
  const drives = new Map();
  for (const row of left) {
    const drive = COLUMNS[3][1](row);
    drives.set(drive, [...(drives.get(drive) || []), row]);
  }
  return [...drives].flatMap(([drive, every]) => [() => headline(drive, every.length), ...every.flatMap(both)]);
}

// Lines that stay where they are keep their focus. Those further down are built when the reader comes near them.
function draw() {
  lines = wanted();
  by("table").setAttribute("aria-rowcount", lines.length + 1);
  fill(0);
}
function fill(from) {
  const body = by("rows");
  const last = Math.min(shown, lines.length);
  for (let at = from; at < last; at += 1) {
    const [there, one] = [body.children[at] || null, lines[at]()];
    if (there !== one) body.insertBefore(one, there);
  }
  while (body.children.length > last) body.lastChild.remove();
  by("more").hidden = last === lines.length;
  limit();
  if (last < lines.length) requestAnimationFrame(() => setTimeout(reach)); // after these lines are painted
}
function more() {
  if (shown >= lines.length) return;
  shown += LATER;
  fill(shown - LATER);
}
function reach() {
  if (!by("more").hidden && by("more").getBoundingClientRect().top < innerHeight + NEAR_PX) more();
}

function choose() {
  by("picked").hidden = !picked.size;
  put("chosen", word("chosen", { n: picked.size }));
  const enough = picked.size > 1 && picked.size <= MOST;
  by("compare").hidden = !enough;
  by("compare").href = `/compare?${new URLSearchParams([["lang", lang], ...[...picked].map((run) => ["run", run])])}`;
  limit();
}
function limit() {
  for (const box of document.querySelectorAll("td.pick input")) box.disabled = !box.checked && picked.size >= MOST;
}

function heads() {
  by("heads").replaceChildren(...COLUMNS.map(([called, , cls]) => {
    const head = make("th", called === "pick" ? "" : "", cls);
    head.scope = "col";
    if (called === "pick") {
      head.append(make("span", word("to_compare"), "hidden"));
      return head;
    }
    const [key, way] = order;
    const button = make("button", word(called) + (key === called ? (Number(way) > 0 ? " ↑" : " ↓") : ""));
    if (key === called) head.setAttribute("aria-sort", Number(way) > 0 ? "ascending" : "descending");
    button.onclick = () => { order = [called, key === called ? -Number(way) : KEYS[called] ? -1 : 1]; heads(); keep(); draw(); };
    head.append(button);
    return head;
  }));
}

function keep() {
  const now = new URLSearchParams({ lang, ...(by("filter").value ? { filter: by("filter").value } : {}), sort: order.join(":"), ...(by("group").checked ? { group: 1 } : {}) });
  history.replaceState(null, "", `?${now}`);
}

function request() {
  const now = [["lang", lang], ["columns", ASKED], ...conditions.map((part) => ["where", part])];
  return fetch(`/api/runs?${new URLSearchParams(now)}`, { headers: seen ? { "if-none-match": seen } : {} }).catch(() => null);
}
async function ask() {
  const answer = await (early || request());
  early = null;
  if (!answer || answer.status === 304) return;
  put("wrong", answer.ok ? "" : (await answer.json().catch(() => ({}))).error || "");
  if (!answer.ok) return;
  rows = await answer.json();
  seen = answer.headers.get("etag");
  await learn(rows.map((row) => row.now && row.now.phase));
  draw();
}
async function again() {
  if (!document.hidden) await ask();
  setTimeout(again, rows.some((row) => row.unread) ? 0 : AGAIN_MS);
}

let typing = 0;
function typed() {
  keep();
  clearTimeout(typing);
  typing = setTimeout(() => {
    const now = parts().filter(isCondition);
    if (JSON.stringify(now) === JSON.stringify(conditions)) return draw();
    [conditions, seen] = [now, null];
    ask();
  }, TYPED_MS);
}

by("filter").value = query.get("filter") || "";
by("group").checked = query.has("group");
conditions = parts().filter(isCondition);
let early = request(); // the runs and the words are asked for at the same time
const wished = lang;
begin().then(() => {
  if (lang !== wished) early = null;
  by("filter").oninput = typed;
  by("group").onchange = () => { keep(); draw(); };
  by("clear").onclick = () => { picked.clear(); for (const box of document.querySelectorAll("td.pick input")) box.checked = false; choose(); };
  by("compose").href = within("/compose");
  by("more").onclick = more;
  addEventListener("scroll", reach, { passive: true });
  addEventListener("resize", reach);
  heads();
  again();
});
