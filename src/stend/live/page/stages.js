"use strict";
// The plan as a timeline: every phase with a mark, its rounds and its time. Its elements stay, their texts change.
const SIGNS = { done: "✓", present: "▶", later: "○", missed: "⚠" };
let lines = null;

function kind(stage, goes) {
  if (stage.began_s === undefined) return "later";
  if (!stage.ended_by) return goes ? "present" : "missed";
  return stage.steady === false ? "missed" : "done";
}
const spent = (stage, now) => (stage.began_s === undefined ? 0 : (stage.ended_s ?? now.t_s ?? 0) - stage.began_s);

function build(tests) {
  lines = [];
  by("tests").replaceChildren(...tests.map((test) => {
    const item = make("li");
    const box = make("details");
    const head = make("summary");
    const list = make("ol", "", "phases");
    box.append(head, list);
    item.append(box);
    const phases = test.phases.map(() => {
      const line = make("li");
      const button = make("button");
      const facts = make("span", "", "soft");
      line.append(button, facts);
      list.append(line);
      return { line, button, facts };
    });
    lines.push({ box, head, phases, kind: "" });
    return item;
  }));
  by("strip").replaceChildren(...tests.map(() => { const part = make("div"); part.append(make("i"), make("span")); return part; }));
}
const write = (one, text) => { if (one.textContent !== text) one.textContent = text; };

function about(stage, now, sort) {
  const parts = [];
  if (sort === "later") parts.push(now.state === "ended" ? word("not_run") : `≈ ${duration(stage.left_s || 0)}`);
  else if (sort === "present") parts.push(word("so_far", { time: duration(spent(stage, now)), left: duration(stage.left_s || 0) }));
  else parts.push(duration(spent(stage, now)));
  if (stage.rounds) parts.push(`${word("rounds")}: ${stage.rounds}`);
  if (stage.steady !== undefined && stage.steady !== null && stage.ended_by) parts.push(word(stage.steady ? "steady" : "not_steady"));
  return parts.join(" · ");
}

function tellStages(now) {
  const every = now.stages || [];
  by("plan").hidden = !every.length;
  const tests = [];
  for (const stage of every) {
    const last = tests[tests.length - 1];
    if (last && last.name === stage.test) last.phases.push(stage);
    else tests.push({ name: stage.test, phases: [stage] });
  }
  if (!lines || lines.length !== tests.length || lines.some((line, at) => line.phases.length !== tests[at].phases.length)) build(tests);
  tests.forEach((test, at) => {
    const line = lines[at];
    const goes = now.state === "running" || now.state === "elsewhere";
    const kinds = test.phases.map((stage) => kind(stage, goes));
    const whole = kinds.includes("present") ? "present" : kinds.every((one) => one === "later") ? "later" : kinds.includes("later") ? (goes ? "present" : "missed") : kinds.includes("missed") ? "missed" : "done";
    const past = test.phases.reduce((sum, stage) => sum + spent(stage, now), 0);
    const left = test.phases.reduce((sum, stage) => sum + (stage.left_s || 0), 0);
    const done = kinds.filter((one) => one === "done" || one === "missed").length;
    const name = told.tests[test.name] || test.name;
    write(line.head, `${SIGNS[whole]} ${name} · ${word("of_phases", { done, all: kinds.length })} · ${[past ? duration(past) : "", left && now.state !== "ended" ? `≈ ${duration(left)} ${word("ahead")}` : ""].filter(Boolean).join(", ") || "0"}`);
    if (line.kind !== whole) {
      line.box.className = whole;
      if (whole === "present" || line.kind === "present") line.box.open = whole === "present";
      line.kind = whole;
    }
    test.phases.forEach((stage, number) => {
      const { line: item, button, facts } = line.phases[number];
      item.className = kinds[number];
      write(button, `${SIGNS[kinds[number]]} ${phase(stage.phase)}`);
      button.disabled = stage.began_s === undefined;
      button.title = button.disabled ? "" : word("zoom");
      button.onclick = () => { zoom([stage.began_s, Math.max(ending(stage), stage.began_s + 1)]); by("curves").scrollIntoView({ block: "nearest" }); };
      write(facts, about(stage, now, kinds[number]));
    });
    const part = by("strip").children[at];
    part.style.flexGrow = Math.max(past + left, 1e-3);
    part.firstChild.style.width = `${past + left ? (100 * past) / (past + left) : 100}%`;
    part.className = whole;
    part.title = name;
    write(part.lastChild, name);
  });
}
