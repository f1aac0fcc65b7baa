"use strict";
// A plan from a choice: hours, bytes, warnings and the command to copy. The server only plans; it starts nothing.
const FIELDS = ["target", "profile", "threads", "depth", "active_range_pct", "rounds", "label"];
const FLAGS = ["quick", "verify"];
const TYPED_MS = 250;
let turn = 0;
let typing = 0;

function box(group, one, text) {
  const label = make("label");
  const input = make("input");
  input.type = "checkbox";
  input.value = one.name;
  input.className = group;
  label.append(input, " ", make("b", text), ...(group === "suite" ? [make("span", one.title, "soft label")] : []));
  return label;
}

function option(value, text, chosen) {
  const one = make("option", text);
  one.value = value;
  one.selected = value === chosen;
  return one;
}

function offer(choices) {
  const kept = new URLSearchParams(location.search);
  const drives = (title, every) => { const group = make("optgroup"); group.label = title; group.append(...every); return group; };
  const chosen = kept.get("target") || "sim:small";
  by("target").replaceChildren(
    drives(word("virtual_drives"), choices.virtual.map((name) => option(name, name, chosen))),
    drives(word("real_drives"), choices.drives.map((one) => option(one.target, [one.target, one.model, bytes(one.bytes)].filter(Boolean).join("  "), chosen))),
  );
  by("profile").replaceChildren(option("", word("usual_profile"), kept.get("profile") || ""), ...choices.profiles.map((name) => option(name, name, kept.get("profile"))));
  by("suites").replaceChildren(...choices.suites.map((one) => box("suite", one, one.name)));
  by("tests").replaceChildren(...choices.tests.map((one) => box("test", one, one.title)));
  for (const input of document.querySelectorAll(".suite, .test")) input.checked = kept.getAll("test").includes(input.value);
  for (const name of FIELDS.slice(2)) by(name).value = kept.get(name) || "";
  for (const name of FLAGS) by(name).checked = kept.has(name);
}

function choice() {
  const chosen = [...document.querySelectorAll(".suite:checked, .test:checked")].map((input) => ["test", input.value]);
  const fields = FIELDS.map((name) => [name, by(name).value]).filter(([, value]) => value);
  return new URLSearchParams([...chosen, ...fields, ...FLAGS.filter((name) => by(name).checked).map((name) => [name, "1"])]);
}

function tile(key, text) {
  const one = make("div", "", "card");
  one.append(make("b", text), make("span", word(key)));
  return one;
}

function tell(plan) {
  by("cards").replaceChildren(tile("expected", duration(plan.expected_s)), tile("at_longest", duration(plan.longest_s)), tile("writes", bytes(plan.write_bytes) || "0"));
  // An option and its value stay in one line.
  by("command").replaceChildren(...plan.command.split(/ (?=-)/).flatMap((part, at) => [at ? " " : "", make("span", part, "unbroken")]));
  const real = plan.harmless ? [] : [word("destroys")];
  by("asks").hidden = plan.harmless;
  by("warnings").replaceChildren(...[...(plan.reason ? [plan.reason] : real), ...plan.warnings].map((text) => make("li", `⚠ ${text}`)));
  by("drawn").replaceChildren(...plan.tests.map((test) => {
    const line = make("tr");
    const title = make("th", told.tests[test.name] || test.title);
    title.scope = "row";
    line.append(title, make("td", word("n_phases", { n: test.phases }), "number"), make("td", `≈ ${duration(test.expected_s)}`, "number"));
    return line;
  }));
}

async function plan() {
  const chosen = choice();
  history.replaceState(null, "", `?${new URLSearchParams([["lang", lang], ...chosen])}`);
  by("language").href = `?${new URLSearchParams([["lang", by("language").dataset.lang], ...chosen])}`;
  const mine = ++turn;
  const answer = chosen.has("test") ? await fetch(`/plan/${lang}?${chosen}`).catch(() => null) : undefined;
  const data = answer && (await answer.json().catch(() => null));
  if (mine !== turn) return;
  const good = Boolean(answer && answer.ok && data);
  put("wrong", good ? "" : answer === undefined ? word("choose_tests") : (data && data.error) || word("no_answer"));
  by("command_line").hidden = !good;
  for (const id of good ? [] : ["cards", "warnings", "drawn"]) by(id).replaceChildren();
  if (good) tell(data);
}

begin().then(async () => {
  by("back").href = within("/");
  by("language").dataset.lang = new URL(by("language").href).searchParams.get("lang");
  offer(await (await fetch(`/choices/${lang}`)).json());
  copies(by("copy"), () => by("command").textContent);
  by("choice").oninput = () => { clearTimeout(typing); typing = setTimeout(plan, TYPED_MS); };
  plan();
});
