"use strict";
// One run: its report if it has ended; otherwise what it does now, its curves, its plan and what it found so far.
const name = decodeURIComponent(location.pathname.slice("/run/".length));
let noted = "";
let shown = -1;
let first = true;

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
  const outcome = now.state === "ended" ? now.said.split(":")[0] : "";
  const [sort, text] = outcome ? badge(outcome) : badge(now.state);
  put("state", text);
  by("state").className = `state ${sort}`;
  by("place").hidden = !now.test && now.state !== "cut off" && now.state !== "elsewhere";
  const round = now.rounds > 1 ? `, ${word("round")} ${now.round} ${word("of_at_most", { rounds: now.rounds })}` : "";
  const place = now.test ? `${test(now.test, now.title)}: ${phase(now.phase)}${round} · ${word("step", { step: now.step, steps: now.steps })}${now.doing ? ` · ${doing(now.doing)}` : ""}` : "";
  const known = { cut_off: word("said_cut_off"), elsewhere: word("said_elsewhere") };
  put("place", [known[now.state.replace(" ", "_")], place].filter(Boolean).join(" · "));
  put("command", now.command || "");
  by("command_line").hidden = !now.command;
  const going = now.state === "running" || now.state === "elsewhere";
  const cards = [card(going ? "gone" : "lasted", duration(going ? now.elapsed_s || 0 : now.t_s || 0))];
  if (going) cards.push(now.likely_s === null ? card("to_go", word("not_known")) : card("to_go", duration(now.likely_s || 0), between(now)));
  if (going && now.virtual) cards.push(card("simulated", duration(now.t_s || 0), word("of_about", { time: duration((now.t_s || 0) + left(now)) })));
  if (now.iops !== undefined) cards.push(card("iops", rate(now.iops), now.load && doing(now.load)), card("throughput", megabytes(now.bytes_per_s)), card("latency", time(now.mean_s), word("longest", { max: time(now.max_s) })));
  if (now.temperature_c !== undefined) cards.push(card("temperature", `${now.temperature_c.toFixed(0)} °C`));
  if (now.power_w !== undefined) cards.push(card("power", now.power_w < 0.1 ? `${three(now.power_w * 1e3)} ${word("mw")}` : `${three(now.power_w)} ${word("w")}`));
  if (now.repeats) cards.push(card("repeats", String(now.repeats)));
  by("cards").replaceChildren(...cards);
  tellWindow(now.window || []);
  tellNotes(now.notes || []);
  tellStages(now);
  const present = stages.find((stage) => stage.began_s !== undefined && !stage.ended_by);
  by("present").hidden = now.state !== "running" || !present;
  by("present").onclick = () => zoom([present.began_s, Math.max(now.t_s || 0, present.began_s + 1)]);
  const passed = stages.filter((stage) => stage.ended_by).length;
  if (passed !== shown && now.state !== "ended") drawn(passed);
  if (now.state === "ended" && by("views").hidden) views(first);
  first = false;
}

const left = (now) => (now.stages || []).reduce((sum, stage) => sum + (stage.left_s || 0), 0);

// A load has the short form of the specification in all languages; the other steps have words.
function doing(text) {
  const rest = /^rest of (.+) s$/.exec(text);
  return rest ? word("doing_rest", { s: decimal(rest[1]) }) : { purge: word("doing_purge"), "a rate chosen from the results": word("doing_chosen") }[text] || text;
}

// A bound that is shown with the same words as the likely time adds nothing.
function between(now) {
  const [low, likely, high] = [now.low_s || 0, now.likely_s || 0, now.high_s || 0].map(duration);
  if (low === likely && high === likely) return "";
  if (high === likely) return word("at_least", { time: low });
  return low === likely ? word("at_most", { time: high }) : `${low} – ${high}`;
}

// A finished run is its report; whoever watched it to its end chooses when to open it.
function views(open) {
  by("views").hidden = false;
  const see = (report) => {
    by("to_report").setAttribute("aria-pressed", report);
    by("to_course").setAttribute("aria-pressed", !report);
    document.body.classList.toggle("reading", report && !by("frame").hidden);
    if (report && !by("frame").src) load();
  };
  const load = async () => {
    by("waiting").hidden = false;
    put("waiting", word("writing"));
    const address_of = within(`/report/${address(name)}`);
    const answer = await fetch(address_of, { method: "HEAD" }).catch(() => null);
    by("waiting").hidden = Boolean(answer && answer.ok);
    if (!answer || !answer.ok) {
      put("waiting", word("no_report"));
      return drawn(stages.filter((stage) => stage.ended_by).length);
    }
    by("frame").title = word("report");
    by("frame").src = address_of;
    by("frame").hidden = false;
    by("report").hidden = false;
    put("report", word("alone"));
    by("report").href = address_of;
    see(by("to_report").getAttribute("aria-pressed") === "true");
  };
  by("to_report").onclick = () => see(true);
  by("to_course").onclick = () => see(false);
  see(open && !range && new URLSearchParams(location.search).get("view") !== "course");
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

async function drawn(count) {
  shown = count;
  if (!count) return;
  const answer = await fetch(`/drawn/${lang}/${address(name)}`);
  if (!answer.ok || shown !== count) return;
  const { findings, pictures } = await answer.json();
  const sure = findings.filter((one) => one.sure !== "can't tell");
  by("found").hidden = !sure.length;
  by("findings").replaceChildren(...sure.map((one) => make("li", one.text)));
  by("drawings").hidden = !pictures.length;
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
  each = news.each || 1;
  const now = news.now;
  stages = now.stages || [];
  learn(stages.map((stage) => stage.phase)).then(() => { tell(now); draw(); });
}

begin().then(() => {
  by("back").href = within("/");
  copies(by("copy"), () => by("command").textContent);
  by("whole").onclick = () => zoom(null);
  new EventSource(`/events/${address(name)}`).onmessage = hear;
});
