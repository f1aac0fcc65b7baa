"use strict";
// Tables of drives: search, filters, order and the choice of drives to compare. The state is in the address after "#".
(() => {
  const MOST = 5;
  const AT_ONCE = 50;  // rows of a long table, until all are asked for
  const by = (id) => document.getElementById(id);
  const form = by("filters");
  const rows = [...document.querySelectorAll("table.drives tr[data-id]")];
  const fields = form ? [...form.elements].filter((field) => field.name) : [];
  const heads = [...document.querySelectorAll("table.drives th button[data-sort]")];
  const tray = by("tray");
  const first = new Map(rows.map((row, at) => [row, at]));
  let order = "";
  let picked = [];
  let typing = false;
  let whole = false;

  const texts = new Map(rows.map((row) => [row, [row.textContent, row.dataset.maker, row.dataset.class].join(" ").toLowerCase()]));
  function fits(row) {
    return fields.every(({ name, value }) => {
      if (!value) return true;
      if (name === "q") return value.toLowerCase().split(/\s+/).every((word) => texts.get(row).includes(word));
      if (name === "price") return row.dataset.price !== "" && Number(row.dataset.price) <= Number(value);
      return row.dataset[name] === value;
    });
  }
  function filter() {
    const fitting = [...document.querySelectorAll("table.drives tr[data-id]")].filter(fits);
    const shown = fitting.length;
    const kept = new Set(whole ? fitting : fitting.slice(0, AT_ONCE));
    for (const row of rows) row.className = kept.has(row) ? "" : "later";
    if (by("rest")) by("rest").hidden = whole || shown <= AT_ONCE;
    for (const body of document.querySelectorAll("table.drives tbody")) body.hidden = !body.querySelector("tr[data-id]:not(.later)");
    if (by("shown")) by("shown").textContent = shown;
    if (by("nothing")) by("nothing").hidden = shown > 0;
    if (by("table")) by("table").hidden = shown === 0;
  }
  // Rows without a value come last in either direction; equal ones keep the order of the page.
  function sort() {
    const [key, way] = [order.replace(/^-/, ""), order.startsWith("-") ? -1 : 1];
    const column = heads.find((head) => head.dataset.sort === key)?.closest("th").cellIndex;
    const value = (row) => row.cells[column]?.dataset.v ?? "";
    for (const head of heads) {
      const sorted = head.dataset.sort === key;
      head.closest("th").setAttribute("aria-sort", sorted ? (way < 0 ? "descending" : "ascending") : "none");
    }
    const compare = (a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      const [m, n] = [Number(x), Number(y)];
      return way * (Number.isNaN(m) || Number.isNaN(n) ? x.localeCompare(y, document.documentElement.lang, { numeric: true }) : m - n);
    };
    for (const body of document.querySelectorAll("table.drives tbody")) {
      const lines = rows.filter((row) => row.parentNode === body);
      body.append(...lines.sort((a, b) => (key && compare(a, b)) || first.get(a) - first.get(b)));
    }
  }
  function choose() {
    if (!tray) return;
    for (const row of rows) {
      const box = row.querySelector("input[type=checkbox]");
      if (!box) continue;
      box.checked = picked.includes(row.dataset.id);
      box.disabled = !box.checked && picked.length >= MOST;
    }
    tray.hidden = !picked.length;
    const names = picked.map((id) => rows.find((row) => row.dataset.id === id)?.dataset.name ?? id);
    by("chosen").textContent = names.join(" · ");
    by("few").hidden = picked.length > 1;
    by("full").hidden = picked.length < MOST;
    const link = by("compare");
    link.hidden = picked.length < 2;
    link.href = `${link.dataset.page}#${picked.map(encodeURIComponent).join(",")}`;
  }
  function write() {
    const parts = fields.filter(({ value }) => value).map(({ name, value }) => [name, value]);
    if (order) parts.push(["sort", order]);
    if (picked.length) parts.push(["pick", picked.join(",")]);
    history.replaceState(null, "", `#${new URLSearchParams(parts)}`);
  }
  function read() {
    const state = new URLSearchParams(location.hash.slice(1));
    for (const field of fields) {
      field.value = state.get(field.name) ?? "";
      if (field.selectedIndex === -1) field.value = "";
    }
    order = state.get("sort") ?? "";
    picked = (state.get("pick") ?? "").split(",").filter((id) => rows.some((row) => row.dataset.id === id)).slice(0, MOST);
    if (read.before || location.hash.length > 1) {
      sort();
      filter();
      choose();
    }
    read.before = true;  // until now the page is as it was made
  }
  if (rows.length) {
    form?.addEventListener("input", () => {
      filter();
      if (typing) return;
      typing = true;  // browsers refuse more than some hundred changes of the address in half a minute
      setTimeout(() => { typing = false; write(); }, 300);
    });
    form?.addEventListener("submit", (event) => event.preventDefault());
    for (const clear of document.querySelectorAll("button.clear")) {
      clear.addEventListener("click", () => { for (const field of fields) field.value = ""; filter(); write(); });
    }
    for (const head of heads) {
      head.addEventListener("click", () => {
        const key = head.dataset.sort;
        const start = head.dataset.better === "more" ? `-${key}` : key;
        order = order === start ? (start === key ? `-${key}` : key) : start;
        sort();
        filter();
        write();
      });
    }
    document.addEventListener("change", (event) => {
      const row = event.target.closest?.("tr[data-id]");
      if (!row || event.target.type !== "checkbox") return;
      const id = row.dataset.id;
      picked = event.target.checked ? [...picked, id].slice(0, MOST) : picked.filter((other) => other !== id);
      choose();
      write();
    });
    by("rest")?.addEventListener("click", () => { whole = true; filter(); });
    by("unchoose")?.addEventListener("click", () => { picked = []; choose(); write(); });
    addEventListener("hashchange", read);
    addEventListener("pageshow", read);
    read();
  }
  // The other language shows the same state.
  for (const link of document.querySelectorAll("a[hreflang]")) {
    link.addEventListener("click", () => { link.hash = location.hash; });
  }
})();
