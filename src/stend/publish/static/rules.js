"use strict";
// The rules of `stend compare` for one run of each drive: change and verdict of a figure, and settings that differ.
// They repeat many/compare/differences.py, many/settings.py and words/numbers.py; tests/test_publish_browser.py compares them.
const stendRules = (() => {
  // Python rounds halves to even digits, toFixed away from zero.
  function fixed(value, digits) {
    const text = value.toFixed(digits);
    const exact = value.toFixed(60);
    const kept = exact.slice(0, exact.length - 60 + digits - (digits ? 0 : 1));
    if (!/^\.?50*$/.test(exact.slice(kept.length))) return text;
    return Number(kept.at(-1)) % 2 ? text : kept;
  }
  function number(form, value, digits) {
    const [whole, part = ""] = fixed(value, digits).split(".");
    const grouped = whole.length >= form.group_from ? whole.replace(/\B(?=(\d{3})+$)/g, form.group) : whole;
    const rest = part.replace(/0+$/, "");
    return rest ? grouped + form.decimal + rest : grouped;
  }
  function plural(form, value) {
    if (form.plural === "one-other") return value === 1 ? 0 : 1;
    if (value !== Math.trunc(value)) return 1;
    const [last, two] = [value % 10, value % 100];
    if (last === 1 && two !== 11) return 0;
    return last >= 2 && last <= 4 && (two < 12 || two > 14) ? 1 : 2;
  }
  // Return a ratio as a change: `+4.5%`, from `form.factor` on as a factor: `5.3×`, up to `form.part` as `to 1/800`.
  function change(form, ratio) {
    if (ratio >= form.factor) {
      const text = number(form, ratio, ratio >= 20 ? 0 : ratio >= 3 ? 1 : 2);
      const count = Number(text.replaceAll(form.group, "").replace(form.decimal, "."));
      return form.before + text + form.after[Math.min(plural(form, count), form.after.length - 1)];
    }
    if (ratio > 0 && ratio <= form.part) return form.part_before + number(form, 1 / ratio, 0);
    const share = Math.abs(ratio - 1) * 100;
    const text = fixed(share, share >= 20 ? 0 : 1);
    return (Number(text) ? (ratio < 1 ? "\u2212" : "+") : "") + text.replace(".", form.decimal) + form.percent;
  }
  // Return the ratio of two figures, second over first, as the mean of one logarithm each, and its verdict.
  function difference(first, second, beyond) {
    const middle = Math.log(second.value) - Math.log(first.value);
    const close = Math.abs(middle) <= Math.log1p(beyond[first.kind]);
    return { ratio: Math.exp(middle), verdict: close ? "close" : middle > 0 === first.more_is_better ? "ahead" : "behind" };
  }
  // Return [{key, name, blocks}] of the settings in which drives differ; what other labs published has none.
  function differing(every) {
    const drives = every.filter((drive) => Object.keys(drive.settings).length);
    const keys = [...new Set(drives.flatMap((drive) => Object.keys(drive.settings)))];
    const found = keys.map((key) => {
      const values = drives.map((drive) => drive.settings[key]?.values ?? []);
      const { name, blocks } = drives.find((drive) => drive.settings[key]).settings[key];
      const distinct = new Set(blocks ? values.flat() : values.map((list) => JSON.stringify([...list].sort())));
      const numbers = drives.map((drive) => drive.settings[key]?.number);
      const near = drives.find((drive) => drive.settings[key]).settings[key].tolerance;  // such as two temperatures
      if (near && (numbers.includes(undefined) || Math.max(...numbers) - Math.min(...numbers) < near)) return null;
      return distinct.size > 1 ? { key, name, blocks } : null;
    });
    return found.filter(Boolean).sort((a, b) => b.blocks - a.blocks);
  }
  return { change, difference, differing, fixed };
})();
