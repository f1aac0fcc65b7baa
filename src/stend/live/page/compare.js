"use strict";
// Two to five runs next to each other: the figures of `stend compare` of the first run and each other run.
const SIGNS = { better: "▲", worse: "▼", same: "=", undecided: "", not_comparable: "⚠" };
const runs = new URLSearchParams(location.search).getAll("run");
const here = (wanted) => `/compare?${new URLSearchParams([["lang", lang], ...wanted.map((run) => ["run", run])])}`;

function heads(into, titles, of, stamped) {  // warnings stand in the first table alone
  into.replaceChildren(...titles.map((title) => { const head = make("th", title); head.scope = "col"; return head; }), ...of.map((run, at) => {
    const head = make("th", "", "number");
    head.scope = "col";
    const link = make("a", run.label || runs[at]);
    link.href = within(`/run/${address(runs[at])}`);
    head.append(link, make("span", run.model, "soft label"));
    for (const stamp of stamped ? run.stamps : []) head.append(make("span", stamp, "stamp bad"));
    if (at) {
      const first = make("a", word("make_first"), "label");
      first.href = here([runs[at], ...runs.filter((other) => other !== runs[at])]);
      head.append(first);
    } else head.append(make("span", word("base"), "label"));
    return head;
  }));
}

function row(one) {
  const line = make("tr");
  const title = make("th", one.figure);
  title.scope = "row";
  line.append(title, make("td", one.state));
  const most = Math.max(...one.cells.map((cell) => cell.value || 0));
  for (const cell of one.cells) {
    const box = make("td", cell.text, "number");
    if (cell.value) {
      const bar = make("i", "", `bar ${one.more_is_better ? "" : "less"}`);
      bar.style.width = `${(100 * cell.value) / most}%`;
      box.append(bar);
    }
    if (cell.change) box.append(make("span", `${SIGNS[cell.verdict] || ""} ${cell.change} · ${cell.said}`, `label ${cell.verdict}`));
    line.append(box);
  }
  return line;
}

function tell(data) {
  by("reasons").replaceChildren(...data.reasons.map((text) => make("li", text)));
  by("settings_section").hidden = !data.settings.length;
  heads(by("setting_heads"), [word("setting")], data.runs, true);
  by("settings").replaceChildren(...data.settings.map((one) => {
    const line = make("tr", "", one.blocks ? "blocks" : "");
    const title = make("th", one.blocks ? `⚠ ${one.name}` : one.name);
    title.scope = "row";
    line.append(title, ...one.values.map((text) => make("td", text, "number")));
    return line;
  }));
  by("figures").replaceChildren(...data.tests.map((test, at) => {
    const section = make("section");
    const scroll = make("div", "", "scroll");
    scroll.tabIndex = 0;
    const table = make("table");
    const head = make("tr");
    heads(head, [word("figure"), word("drive_state")], data.runs, at === 0 && !data.settings.length);
    const top = make("thead");
    top.append(head);
    const body = make("tbody");
    body.append(...test.rows.map(row));
    table.append(top, body);
    scroll.append(table);
    section.append(make("h2", test.title), scroll);
    return section;
  }));
  put("command", data.command);
  by("command_line").hidden = false;
  copies(by("copy"), () => data.command);
}

begin().then(async () => {
  by("back").href = within("/");
  const other = new URL(by("language").href).searchParams.get("lang");
  by("language").href = here(runs).replace(/lang=\w+/, `lang=${other}`);
  const answer = await fetch(`/compared/${lang}?${new URLSearchParams(runs.map((run) => ["run", run]))}`).catch(() => null);
  const data = answer && (await answer.json().catch(() => null));
  if (!answer || !answer.ok || !data) return put("waiting", (data && data.error) || word("failed_to_compare"));
  by("waiting").hidden = true;
  by("content").hidden = false;
  document.title = `${word("comparison")} – stend`;
  tell(data);
});
