"use strict";
// What all pages use: words, figures with units, elements made of text alone.
let lang = new URLSearchParams(location.search).get("lang") || (navigator.language || "en").slice(0, 2);
const told = { words: {}, phases: {}, tests: {}, languages: {}, decimal: "." };
const word = (key, values = {}) => (told.words[key] || key).replace(/\[(\w+)\]/g, (_, name) => values[name] ?? "");
const decimal = (text) => text.replace(".", told.decimal);
const three = (value) => decimal(value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3))));

function rate(value) {
  if (value >= 999.5e3) return three(value / 1e6) + word("million");
  return value >= 1e4 ? three(value / 1e3) + word("thousand") : value.toFixed(0);
}
const megabytes = (value) => three(value / 1e6);
function time(seconds) {
  for (const [scale, unit] of [[1, "s"], [1e-3, "ms"], [1e-6, "us"]]) if (seconds >= scale * 0.9995) return `${three(seconds / scale)} ${word(unit)}`;
  return seconds ? `${three(seconds * 1e9)} ${word("ns")}` : "0";
}
function duration(seconds) {
  const whole = Math.round(seconds);
  const parts = [[Math.floor(whole / 86400), "d"], [Math.floor(whole / 3600) % 24, "h"], [Math.floor(whole / 60) % 60, "min"], [whole % 60, "s"]];
  const first = parts.findIndex(([count]) => count);
  return first < 0 ? `0 ${word("s")}` : parts.slice(first, first + 2).filter(([count]) => count).map(([count, unit]) => `${count} ${word(unit)}`).join(" ");
}
function bytes(size) {
  for (const [scale, unit] of [[1e12, "tb"], [1e9, "gb"], [1e6, "mb"]]) if (size >= scale * 0.9995) return `${three(size / scale)} ${word(unit)}`;
  return size ? `${size} ${word("b")}` : "";
}
// A drive's own words never become markup: text is all that is ever set.
function make(tag, text = "", cls = "") {
  const one = document.createElement(tag);
  one.textContent = text;
  if (cls) one.className = cls;
  return one;
}
const by = (id) => document.getElementById(id);
const put = (id, text) => { if (by(id).textContent !== text) by(id).textContent = text; };
// Phases are named by the server, each asked for once; whoever tells of them learns their names first.
const phase = (name) => told.phases[name] || name;
let learning = Promise.resolve();
function learn(names) {
  return (learning = learning.then(async () => {
    const unknown = [...new Set(names)].filter((name) => name && !told.phases[name]);
    const answer = unknown.length ? await fetch(`/phases/${lang}?${unknown.map(encodeURIComponent).join("&")}`).catch(() => null) : null;
    if (answer && answer.ok) Object.assign(told.phases, await answer.json());
  }));
}
const address = (name) => name.split("/").map(encodeURIComponent).join("/");
const within = (path) => `${path}?lang=${lang}`;

async function begin() {
  let answer = await fetch(`/words/${lang}`);
  if (!answer.ok) answer = await fetch(`/words/${(lang = "en")}`);
  Object.assign(told, await answer.json());
  document.documentElement.lang = lang;
  for (const one of document.querySelectorAll("[data-word]")) one.textContent = word(one.dataset.word);
  const names = Object.keys(told.languages);
  const next = names[(names.indexOf(lang) + 1) % names.length];
  const other = by("language");
  other.textContent = told.languages[next];
  other.href = `?lang=${next}`;
}
// A state is a sign and a word; colour only repeats them.
const BADGES = { complete: ["good", "✓"], running: ["good", "▶"], "not steady": ["warn", "⚠"], failed: ["bad", "✕"], "cut off": ["bad", "✕"], unreadable: ["bad", "✕"], stopped: ["warn", "■"], elsewhere: ["warn", "↗"], unfinished: ["warn", "…"], imported: ["", "⇥"] };
function badge(state) {
  const key = state.replace(" ", "_");
  const [sort, sign] = BADGES[state] || ["", ""];
  return [sort, `${sign} ${told.words[`outcome_${key}`] || told.words[`state_${key}`] || state}`];
}
function copies(button, text) {
  const said = button.textContent;
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(text()); } catch { return getSelection().selectAllChildren(by("command")); }
    button.textContent = word("copied");
    setTimeout(() => { button.textContent = said; }, 2000);
  };
}
