"use strict";
// Two to five drives next to each other, by the rules of `stend compare` of the first one and each other one.
// Names of drives come from files of others: they are set as text, never as markup.
(() => {
  const MOST = 5;
  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"];
  const DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 1]];
  const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross"];
  const RANGES = { color: COLOURS, strokeDash: DASHES, shape: SHAPES };
  const SIGNS = { ahead: "▲", behind: "▼", close: "≈", not_comparable: "×" };
  const loaded = new Map();
  const by = (id) => document.getElementById(id);
  let index = null;
  let chosen = [];
  globalThis.stendIndex = (data) => { index = data; };
  globalThis.stendDrive = (data) => { loaded.set(data.id, data); };

  const word = (key) => index.texts[key] ?? key;
  const about = (id) => index.drives.find((drive) => drive.id === id);
  function make(tag, text = "", cls = "") {
    const one = document.createElement(tag);
    one.textContent = text;
    if (cls) one.className = cls;
    return one;
  }
  function script(source) {
    return new Promise((done, failed) => {
      const one = document.createElement("script");
      one.src = source;
      one.onload = done;
      one.onerror = () => failed(new Error(source));
      document.head.append(one);
    });
  }
  const address = (ids) => `#${ids.map(encodeURIComponent).join(",")}`;
  function wanted() {
    const ids = location.hash.slice(1).split(",").map((part) => { try { return decodeURIComponent(part); } catch { return ""; } });
    return [...new Set(ids)].filter((id) => about(id)).slice(0, MOST);
  }
  // Drives of one name are told apart by their capacity, then by their place.
  function labels(drives) {
    const names = drives.map((drive) => drive.name);
    const more = drives.map((drive) => `${drive.name}, ${drive.capacity?.shown ?? ""}`);
    const twice = (list, name) => list.filter((other) => other === name).length > 1;
    return drives.map((drive, at) => (!twice(names, names[at]) ? names[at] : twice(more, more[at]) ? `${more[at]} (${at + 1})` : more[at]));
  }

  function picker(drives, names) {
    by("chosen").replaceChildren(...drives.map((drive, at) => {
      const line = make("li");
      line.append(make("span", names[at], "name"));
      if (at) {
        const first = make("a", word("make_first"));
        first.href = address([drive.id, ...chosen.filter((id) => id !== drive.id)]);
        first.setAttribute("aria-label", `${word("make_first")}: ${names[at]}`);
        line.append(first);
      } else line.append(make("span", word("first"), "soft"));
      const without = make("a", word("remove"));
      without.href = address(chosen.filter((id) => id !== drive.id));
      without.setAttribute("aria-label", `${word("remove")}: ${names[at]}`);
      line.append(without);
      return line;
    }));
    const more = by("more");
    const makers = [...new Set(index.drives.map((drive) => drive.maker))].sort((a, b) => a.localeCompare(b));
    const groups = makers.map((maker) => {
      const group = document.createElement("optgroup");
      group.label = maker || word("no_maker");
      for (const drive of index.drives.filter((one) => one.maker === maker && !chosen.includes(one.id))) {
        const option = make("option", [drive.name, drive.capacity?.shown, ...tags(drive)].filter(Boolean).join(" · "));
        option.value = drive.id;
        group.append(option);
      }
      return group;
    });
    more.replaceChildren(make("option", word("choose")), ...groups.filter((group) => group.children.length));
    more.options[0].value = "";
    more.disabled = chosen.length >= MOST;
    by("full").hidden = chosen.length < MOST;
    by("few").hidden = chosen.length > 1;
  }
  const tags = (drive) => [drive.virtual ? word("virtual") : "", drive.reference ? word("reference") : ""].filter(Boolean);

  function heads(line, first, drives, names) {
    line.replaceChildren(head(first), ...drives.map((drive, at) => {
      const box = head("", "num");
      if (drive.href) {
        const link = make("a", names[at]);
        link.href = drive.href;
        box.append(link);
      } else box.append(make("span", names[at]));
      for (const tag of [...tags(drive), ...drive.why_not]) box.append(make("span", tag, "tag"));
      return box;
    }));
  }
  function head(text, cls = "") {
    const box = make("th", text, cls);
    box.scope = "col";
    return box;
  }
  function table(title, first, drives, names, lines, more = "") {
    const scroll = make("div", "", "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", title);
    const whole = make("table", "", `compared ${more}`);
    const top = make("thead");
    const row = make("tr");
    heads(row, first, drives, names);
    top.append(row);
    const body = make("tbody");
    body.append(...lines);
    whole.append(make("caption", title, more === "measured" ? "hidden" : ""), top, body);
    scroll.append(whole);
    return scroll;
  }
  function line(title, cells, cls = "") {
    const row = make("tr", "", cls);
    const first = make("th", title);
    first.scope = "row";
    row.append(first, ...cells);
    return row;
  }

  // Notes: settings that forbid a comparison first, then all that differ, each with its values.
  function notes(drives, details, names) {
    const found = stendRules.differing(details);
    const sentences = [];
    const blocking = found.filter((one) => one.blocks).map((one) => one.name);
    const stated = found.filter((one) => !one.blocks).map((one) => one.name);
    if (blocking.length) sentences.push(["bad", `${word("unlike")} ${blocking.join("; ")}. ${word("unlike_means")}`]);
    if (stated.length) sentences.push(["", `${word("differ")} ${stated.join("; ")}. ${word("differ_means")}`]);
    drives.forEach((drive, at) => {
      for (const why of [...new Set([...tags(drive), ...drive.why_not, ...(details[at].run?.stamps ?? [])])]) sentences.push(["", `${names[at]}: ${why}`]);
      if (drive.reference) sentences.push(["", `${names[at]}: ${word("source")} ${drive.source}`]);
    });
    by("notes").replaceChildren(...sentences.map(([cls, text]) => make("li", text, cls)));
    const lines = found.map((one) => line((one.blocks ? "⚠ " : "") + one.name, details.map((drive) => make("td", (drive.settings[one.key]?.values ?? []).join(", ") || "–")), one.blocks ? "blocks" : ""));
    by("settings").replaceChildren(...(lines.length ? [table(word("settings"), word("setting"), drives, names, lines, "texts")] : []));
  }

  function facts(drives, details, names) {
    const link = (drive, at) => {
      const box = make("td", "", "hash");
      box.append(make("code", details[at].run ? details[at].run.hash : "–"));
      return box;
    };
    const rows = [
      [word("maker"), (drive) => drive.maker], [word("interface"), (drive) => drive.interface], [word("capacity"), (drive) => drive.capacity?.shown],
      [word("price"), (drive) => drive.price?.shown], [word("watts"), (drive) => drive.watts?.shown], [word("firmware"), (drive) => drive.firmware.join(", ")],
      [word("profile"), (drive) => drive.profile], [word("measured"), (drive) => drive.date], [word("samples"), (drive) => drive.samples || ""],
    ];
    const lines = rows.filter(([, of]) => drives.some((drive) => of(drive))).map(([title, of]) => line(title, drives.map((drive) => make("td", of(drive) || "–"))));
    by("facts").replaceChildren(table(word("facts"), word("fact"), drives, names, [...lines, line(word("run"), drives.map(link))], "texts"));
  }

  function reasons(first, other, barred) {
    if (barred) return [""];
    const unlike = Object.keys({ ...first.conditions, ...other.conditions }).filter((key) => first.conditions[key] !== other.conditions[key]);
    return [...unlike.map((key) => `${word(`condition_${key}`)}: ${first.conditions[key] ?? "–"} | ${other.conditions[key] ?? "–"}`), ...new Set([...first.warnings, ...other.warnings])];
  }
  function figures(drives, details, names) {
    const barred = details.map((drive) => stendRules.differing([details[0], drive]).some((one) => one.blocks));
    const every = new Map();
    details.forEach((drive, at) => {
      for (const row of drive.rows) {
        if (!every.has(row.id)) every.set(row.id, details.map(() => null));
        every.get(row.id)[at] = row;
      }
    });
    const tests = new Map();
    for (const cells of every.values()) {
      if (cells.filter(Boolean).length < 2) continue;
      const known = cells.find(Boolean);
      if (!tests.has(known.test)) tests.set(known.test, [known.test_name, []]);
      tests.get(known.test)[1].push(row(known, cells, barred));
    }
    by("figures").replaceChildren(...[...tests].map(([, [title, lines]]) => {
      const section = make("section");
      section.append(make("h2", title), table(title, word("figure"), drives, names, lines, "measured"));
      return section;
    }));
    by("nothing").hidden = tests.size > 0 || details.length < 2;
  }
  function row(known, cells, barred) {
    const most = Math.max(...cells.map((cell) => cell?.value ?? 0));
    const boxes = cells.map((cell, at) => {
      const box = make("td", cell ? cell.shown : "–", "num");
      if (!cell || !at || !cells[0]) return box;
      const why = reasons(cells[0], cell, barred[at]);
      if (why.length) {
        box.append(make("span", [`${SIGNS.not_comparable} ${word("not_comparable")}`, ...why.filter(Boolean)].join(": "), "said"));
        return box;
      }
      const { ratio, verdict } = stendRules.difference(cells[0], cell, index.beyond);
      box.append(make("span", `${SIGNS[verdict]} ${stendRules.change(index.change, ratio)} · ${word(verdict)}`, `said ${verdict}`));
      return box;
    });
    boxes.forEach((box, at) => {
      if (!cells[at] || barred[at] || barred.slice(1).every(Boolean)) return;
      const bar = make("i", "", known.more_is_better ? "bar" : "bar less");
      bar.style.width = `${(100 * cells[at].value) / most}%`;
      box.append(bar);
    });
    const whole = line(known.name, boxes);
    whole.firstChild.append(make("span", known.state_name, "said"));
    return whole;
  }

  // One chart of several drives from their charts of one drive each.
  function merged(charts, names, drives) {
    const first = charts.findIndex(Boolean);
    const spec = structuredClone(charts[first].spec);
    spec.datasets = {};
    charts.forEach((chart, at) => {
      for (const [set, rows] of Object.entries(chart?.spec.datasets ?? {})) {
        const own = rows.map((row) => (row.drive === drives[at].name ? { ...row, drive: names[at] } : row));
        spec.datasets[set] = [...(spec.datasets[set] ?? []), ...own];
      }
    });
    const shown = names.filter((_, at) => charts[at]);
    scales(spec, shown, names);
    axes(spec, charts.filter(Boolean).map((chart) => chart.spec));
    const stamps = charts.map((chart, at) => (chart ? [chart.spec.title?.subtitle ?? []].flat().map((text) => `${names[at]}: ${text}`) : [])).flat();
    delete spec.title.subtitle;
    if (stamps.length) spec.title.subtitle = stamps;
    return spec;
  }
  function scales(part, shown, names) {
    if (!part || typeof part !== "object") return;
    for (const [key, value] of Object.entries(part)) {
      if (key === "datasets" || key === "config") continue;
      if (value?.field === "drive" && value.scale && RANGES[key]) value.scale = { ...value.scale, domain: shown, range: shown.map((name) => RANGES[key][names.indexOf(name)]) };
      else if (value?.field === "drive" && value.sort) value.sort = shown;
      scales(value, shown, names);
    }
  }
  // Axes with fixed ends and ticks get those of the drive that reaches farthest; of a logarithmic axis all ticks.
  function axes(part, others) {
    if (!part || typeof part !== "object") return;
    for (const key of Object.keys(part)) {
      if (key === "datasets" || key === "config" || key === "title") continue;
      const same = others.map((other) => other?.[key]);
      const domain = part[key]?.scale?.domain;
      if (Array.isArray(domain) && domain.every((end) => typeof end === "number")) {
        const channels = same.filter((other) => Array.isArray(other?.scale?.domain));
        const farthest = channels.reduce((most, other) => (other.scale.domain.at(-1) > most.scale.domain.at(-1) ? other : most), channels[0]);
        const log = part[key].scale.type === "log";
        part[key].scale.domain = [Math.min(...channels.map((other) => other.scale.domain[0])), farthest.scale.domain.at(-1)];
        if (part[key].axis?.values) part[key].axis.values = log ? [...new Set(channels.flatMap((other) => other.axis?.values ?? []))].sort((a, b) => a - b) : farthest.axis?.values;
      } else if (part[key]?.sort && Array.isArray(part[key].sort) && part[key].field !== "drive") {
        part[key].sort = [...new Set(same.flatMap((other) => other?.sort ?? []))];
      }
      axes(part[key], same);
    }
  }
  function pictures(drives, details, names) {
    const kinds = [...new Set(details.flatMap((drive) => drive.charts.map((chart) => chart.kind)))];
    const made = kinds.map((kind) => {
      const charts = details.map((drive) => drive.charts.find((chart) => chart.kind === kind));
      if (charts.filter(Boolean).length < 2) return null;
      const known = charts.find(Boolean);
      const figure = make("figure", "", "plot");
      figure.id = `plot-${kind}`;
      const data = make("script");
      data.type = "application/json";
      data.textContent = JSON.stringify(merged(charts, names, drives));
      figure.append(make("div", "", "chart"), make("figcaption", known.says), data);
      return figure;
    });
    const shown = made.filter(Boolean);
    by("charts").hidden = !shown.length;
    by("plots").replaceChildren(...shown);
    if (shown.length) globalThis.stendFigures();
  }

  async function show() {
    chosen = wanted();
    const drives = chosen.map(about);
    const names = labels(drives);
    picker(drives, names);
    by("content").hidden = chosen.length < 2;
    const page = chosen.join();
    try {
      await Promise.all(chosen.filter((id) => !loaded.has(id)).map((id) => script(`data/drives/${encodeURIComponent(id)}.js`)));
    } catch {
      by("failed").hidden = false;
      return;
    }
    if (page !== chosen.join() || chosen.length < 2) return;
    const details = chosen.map((id) => loaded.get(id));
    document.title = `${names.join(" | ")} · ${by("content").dataset.title}`;
    notes(drives, details, names);
    facts(drives, details, names);
    figures(drives, details, names);
    pictures(drives, details, names);
  }
  addEventListener("DOMContentLoaded", () => {
    if (!index) return;
    by("more").addEventListener("change", (event) => { if (event.target.value) location.hash = address([...chosen, event.target.value]); });
    addEventListener("hashchange", show);
    show();
  });
})();
