"use strict";
// All runs: filtered and sorted here, asked again while the page is looked at.
const AGAIN_MS = 5000;
const COLUMNS = [
  ["run", (row) => row.run, ""],
  ["drive", (row) => [row.model, row.serial].filter(Boolean).join("  "), ""],
  ["tests", (row) => (row.tests || []).map((one) => told.tests[one] || one).join(", "), "wide"],
  ["started", (row) => (row.started_s ? new Date(row.started_s * 1000).toLocaleString(lang, { dateStyle: "short", timeStyle: "short" }) : ""), "wide"],
  ["lasted", (row) => (row.seconds ? duration(row.seconds) : row.now ? duration(row.now.t_s || 0) : ""), "wide"],
  ["state", state, ""],
];
const KEYS = { started: (row) => row.started_s || 0, lasted: (row) => row.seconds || (row.now && row.now.t_s) || 0 };
let rows = [];
let order = ["started", -1];
let seen = null;

function state(row) {
  if (row.error) return row.error;
  if (!row.now) return word(`outcome_${(row.outcome || "").replace(" ", "_")}`);
  const now = row.now;
  if (now.state !== "running") return word(`state_${now.state.replace(" ", "_")}`);
  const place = `${told.tests[now.test] || now.title || ""}, ${phase(now.phase || "")}`;
  return `${place}: ${now.iops === undefined ? "" : rate(now.iops) + " IOPS, "}${word("left", { time: duration(now.likely_s || 0) })}`;
}

function draw() {
  const wanted = by("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const [key, way] = order;
  const value = KEYS[key] || COLUMNS.find(([called]) => called === key)[1];
  const left = rows
    .filter((row) => { const text = COLUMNS.map(([, said]) => said(row)).join(" ").toLowerCase(); return wanted.every((part) => text.includes(part)); })
    .sort((a, b) => way * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
  put("count", word("count", { shown: left.length, all: rows.length }));
  by("rows").replaceChildren(...left.map((row) => {
    const line = make("tr");
    for (const [called, said, cls] of COLUMNS) {
      const cell = make("td", called === "run" ? "" : said(row), `${cls} name`);
      if (called === "run") {
        const link = make("a", row.run);
        link.href = within(`/run/${address(row.run)}`);
        cell.append(link);
      }
      line.append(cell);
    }
    return line;
  }));
}

function heads() {
  by("heads").replaceChildren(...COLUMNS.map(([called, , cls]) => {
    const head = make("th", "", cls);
    head.scope = "col";
    const button = make("button", word(called) + (order[0] === called ? (order[1] > 0 ? " ↑" : " ↓") : ""));
    button.onclick = () => { order = [called, order[0] === called ? -order[1] : 1]; heads(); draw(); };
    head.append(button);
    return head;
  }));
}

async function ask() {
  if (!document.hidden) {
    const answer = await fetch("/api/runs", { headers: seen ? { "if-none-match": seen } : {} }).catch(() => null);
    if (answer && answer.ok) {
      rows = await answer.json();
      seen = answer.headers.get("etag");
      await learn(rows.map((row) => row.now && row.now.phase));
      draw();
    }
  }
  setTimeout(ask, AGAIN_MS);
}

begin().then(() => {
  by("filter").oninput = draw;
  heads();
  ask();
});
