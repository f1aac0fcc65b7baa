"use strict";
// Two to five drives next to each other, by the rules of `stend compare` of the first one and each other one.
// Names of drives come from files of others: they are set as text, never as markup.
(() => {
  const MOST = 5;
  const FEW_ROWS = 12;
  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#3a97cf"];
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

  // Settings that forbid a comparison come first. What drives of other models differ in anyway is not worth a sentence.
  const OF_MODEL = ["model", "virtual", "capacity", "interface", "array"];
  const warned = (drive) => [...new Set([...tags(drive), ...drive.why_not])].join("; ");
  function notes(drives, names, found) {
    const sentences = [];
    const blocking = found.filter((one) => one.blocks).map((one) => one.name);
    const stated = found.filter((one) => !one.blocks && !OF_MODEL.includes(one.key)).map((one) => one.name);
    if (blocking.length) sentences.push(["bad", `${word("unlike")} ${blocking.join("; ")}. ${word("unlike_means")}`]);
    if (stated.length) sentences.push(["", `${word("differ")} ${stated.join("; ")}. ${word("differ_means")}`]);
    drives.forEach((drive, at) => {
      const stamps = drive.review.stamps.join("; ");
      if (stamps) sentences.push(["", `${names[at]}: ${stamps}.`]);
    });
    by("notes").replaceChildren(...sentences.map(([cls, text]) => make("li", text, cls)));
  }

  function facts(drives, names, found) {
    const setting = (key) => (drive) => (drive.settings[key]?.values ?? []).join(", ");
    const link = (drive) => { if (!drive.run) return make("span", "–"); const one = make("a", drive.run, "hash"); one.href = `${drive.href}#run-${drive.run}`; return one; };
    const rows = [
      [word("maker"), (drive) => drive.maker], [word("price"), (drive) => drive.price?.shown], [word("watts"), (drive) => drive.watts?.shown],
      [word("measured"), (drive) => drive.date], [word("samples"), (drive) => drive.samples || ""],
    ];
    const always = ["interface", "capacity", "firmware", "profile"].filter((key) => !found.some((one) => one.key === key && one.blocks));
    const blocking = found.filter((one) => one.blocks).map((one) => [one.key, `⚠ ${one.name}`, "blocks"]);
    const others = found.filter((one) => !one.blocks && !always.includes(one.key) && one.key !== "model").map((one) => [one.key, one.name, ""]);
    const known = (key) => drives.find((drive) => drive.settings[key])?.settings[key].name;
    const settings = [...blocking, ...always.filter(known).map((key) => [key, known(key), ""]), ...others];
    const lines = [
      ...rows.filter(([, of]) => drives.some((drive) => of(drive))).map(([title, of]) => line(title, drives.map((drive) => make("td", of(drive) || "–")))),
      ...settings.map(([key, title, cls]) => line(title, drives.map((drive) => make("td", setting(key)(drive) || "–")), cls)),
      line(word("run"), drives.map((drive) => { const box = make("td"); box.append(link(drive)); return box; })),
    ];
    by("facts").replaceChildren(table(word("facts"), word("fact"), drives, names, lines, "texts"));
  }
  // Figures of a run whose conditions were not met, or of another lab, have no bar: a bar invites to rank them.
  function keys(drives, names, barred) {
    const shown = Object.entries(index.labels).filter(([key]) => drives.filter((drive) => drive.figures[key]).length > 1);
    const lines = shown.map(([key, label]) => {
      const values = drives.map((drive) => drive.figures[key]);
      const sound = (at) => values[at]?.usable && !drives[at].reference && !barred.some(Boolean);
      const most = Math.max(...values.map((figure, at) => (sound(at) ? figure.value : 0)));
      const several = values.filter((_, one) => sound(one)).length > 1;
      return line(`${label.name}, ${label.unit}`, values.map((figure, at) => {
        const box = make("td", figure?.bare ?? "–", figure && !sound(at) ? "num weak" : "num");
        if (figure && !figure.usable) box.append(make("span", word("unmet"), "range"));
        if (sound(at) && several) box.append(bar(figure.value / most, label.better === "more"));
        return box;
      }));
    });
    by("keys").replaceChildren(...(lines.length ? [table(word("keys"), word("figure"), drives, names, lines)] : []));
  }
  function bar(share, more) {
    const one = make("i", "", more ? "bar" : "bar less");
    one.style.width = `${100 * share}%`;
    return one;
  }

  function reasons(first, other, barred) {
    if (barred) return [""];
    const unlike = Object.keys({ ...first.conditions, ...other.conditions }).filter((key) => first.conditions[key] !== other.conditions[key]);
    return [...unlike.map((key) => `${word(`condition_${key}`)}: ${first.conditions[key] ?? "–"} | ${other.conditions[key] ?? "–"}`), ...new Set([...first.warnings, ...other.warnings])];
  }
  function figures(drives, names, barred) {
    const every = new Map();
    drives.forEach((drive, at) => {
      for (const row of drive.rows) {
        if (!every.has(row.id)) every.set(row.id, drives.map(() => null));
        every.get(row.id)[at] = row;
      }
    });
    const tests = new Map();
    for (const cells of every.values()) {
      if (cells.filter(Boolean).length < 2) continue;
      const known = cells.find(Boolean);
      if (!tests.has(known.test)) tests.set(known.test, [known.test_name, []]);
      tests.get(known.test)[1].push([known, cells]);
    }
    by("figures").replaceChildren(...[...tests.values()].map(([of, every]) => {
      const section = make("section");
      const folded = make("details", "", "long");
      folded.append(make("summary", `${of} (${every.length})`));
      const fill = () => {  // a long table is made when it is opened
        if (folded.children.length > 1) return;
        folded.append(table(of, word("figure"), drives, names, every.map(([known, cells]) => row(known, cells, barred)), "measured"));
      };
      folded.addEventListener("toggle", fill);
      if (every.length <= FEW_ROWS) {
        folded.open = true;
        fill();
      }
      folded.fill = fill;
      section.append(make("h3", of), folded);
      return section;
    }));
    by("nothing").hidden = tests.size > 0 || by("keys").childElementCount > 0;
    by("all").hidden = !tests.size;
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
      box.append(bar(cells[at].value / most, known.more_is_better));
    });
    const whole = line(known.name, boxes);
    if (known.state_name) whole.firstChild.append(make("span", known.state_name, "said"));
    whole.dataset.figure = known.id;
    return whole;
  }

  // One chart of several drives from their charts of one drive each.
  function merged(charts, names, drives) {
    const known = charts.filter(Boolean).map((chart) => chart.spec);
    const spec = structuredClone(known[0]);
    spec.datasets = {};
    charts.forEach((chart, at) => {
      for (const [set, rows] of Object.entries(chart?.spec.datasets ?? {})) {
        spec.datasets[set] = [...(spec.datasets[set] ?? []), ...rows.map((row) => ({ ...row, drive: names[at] }))];
      }
    });
    const shown = names.filter((_, at) => charts[at]);
    channels(spec, known, Object.values(spec.datasets).flat(), shown, names);
    if (spec.layer?.some((one) => one.encoding?.shape)) {  // points with shapes name the drives already
      for (const one of spec.layer) if (one.encoding?.strokeDash) one.encoding.strokeDash.legend = null;
    }
    if (spec.height) spec.height = Math.max(...known.map((one) => one.height ?? 0));
    const marks = drives.map(warned).filter((_, at) => charts[at]);
    const same = new Set(marks).size === 1;
    delete spec.title.subtitle;
    if (marks.some(Boolean)) spec.title.subtitle = same ? [marks[0]] : marks.map((text, at) => text && `${shown[at]}: ${text}`).filter(Boolean);
    return spec;
  }
  function channels(part, others, rows, shown, names) {
    if (!part || typeof part !== "object") return;
    for (const [key, channel] of Object.entries(part)) {
      if (key === "datasets" || key === "config" || key === "title") continue;
      const same = others.map((other) => other?.[key]);
      if (channel?.field === "drive" && RANGES[key]) {
        channel.scale = { ...channel.scale, domain: shown, range: shown.map((name) => RANGES[key][names.indexOf(name)]) };
        channel.legend = { columns: 2, labelLimit: 320 };
      } else if (channel?.field === "drive" && channel.sort) channel.sort = shown;
      else if (Array.isArray(channel?.sort)) channel.sort = [...new Set(same.flatMap((other) => other?.sort ?? []))];
      else if (channel?.type === "quantitative" && same.some((other) => other?.scale?.type === "log")) logarithmic(channel, same.filter((other) => other?.scale?.type === "log"), rows);
      channels(channel, same, rows, shown, names);
    }
  }
  // A logarithmic axis from the lowest to the highest value of all drives; of base 2 with the ticks of each drive.
  function logarithmic(channel, same, rows) {
    channel.scale = { ...same[0].scale };
    channel.axis = { ...same[0].axis };
    if (channel.scale.base === 2) {
      channel.axis.values = [...new Set(same.flatMap((other) => other.axis?.values ?? []))].sort((a, b) => a - b);
      channel.scale.domain = [channel.axis.values[0], channel.axis.values.at(-1)];
      return;
    }
    const values = rows.flatMap((row) => [channel.field, "low", "high", "from", "to"].map((field) => row[field])).filter((value) => value > 0);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const steps = Math.log10(most / least) > 2 ? [1] : [1, 2, 5];
    const ticks = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) ticks.push(...steps.map((step) => Number(`${step}e${power}`)));
    const from = ticks.findLastIndex((tick) => tick <= least);
    const to = ticks.findIndex((tick) => tick >= most);
    channel.axis.values = ticks.slice(from, to + 1);
    channel.scale.domain = [ticks[from], ticks[to]];
  }
  function pictures(drives, names) {
    const titles = [...new Set(drives.flatMap((drive) => drive.charts.map((chart) => chart.title)))];
    const made = titles.map((title, number) => {
      const charts = drives.map((drive) => drive.charts.find((chart) => chart.title === title));
      if (charts.filter(Boolean).length < 2) return null;
      const figure = make("figure", "", "plot");
      figure.id = `plot-${number}`;
      const data = make("script");
      data.type = "application/json";
      data.textContent = JSON.stringify(merged(charts, names, drives));
      figure.append(make("div", "", "chart"), make("figcaption", charts.find(Boolean).says), data);
      return figure;
    });
    const shown = made.filter(Boolean);
    by("charts").hidden = !shown.length;
    by("plots").replaceChildren(...shown);
    if (shown.length) globalThis.stendFigures();
  }

  async function show() {
    chosen = wanted();
    picker(chosen.map(about), labels(chosen.map(about)));
    by("picker").hidden = false;
    const page = chosen.join();
    try {
      await Promise.all(chosen.filter((id) => !loaded.has(id)).map((id) => script(`data/drives/${encodeURIComponent(id)}.js`)));
    } catch {
      by("failed").hidden = false;
      return;
    }
    if (page !== chosen.join()) return;  // another choice while these were loaded
    by("content").hidden = chosen.length < 2;
    if (chosen.length < 2) return;
    const drives = chosen.map((id) => loaded.get(id));
    const names = labels(drives);
    document.title = `${names.join(" | ")} · ${by("content").dataset.title}`;
    const found = stendRules.differing(drives);
    const barred = drives.map((drive) => stendRules.differing([drives[0], drive]).some((one) => one.blocks));
    notes(drives, names, found);
    facts(drives, names, found);
    keys(drives, names, barred);
    figures(drives, names, barred);
    pictures(drives, names);
  }
  addEventListener("DOMContentLoaded", () => {
    if (!index) return;
    by("more").addEventListener("change", (event) => { if (event.target.value) location.hash = address([...chosen, event.target.value]); });
    addEventListener("hashchange", show);
    addEventListener("beforeprint", () => { for (const folded of document.querySelectorAll("#figures details")) folded.fill(); });
    show();
  });
})();
