// What a document draws: texts with their boxes and clips, line breaks, charts, and elements that are cut. Runs in the page.
() => {
  const shift = (r) => [r.left + scrollX, r.top + scrollY, r.right + scrollX, r.bottom + scrollY];
  const common = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  const around = (points) => { const xs = points.map((p) => p.x + scrollX), ys = points.map((p) => p.y + scrollY);
    return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]; };
  const brush = document.createElement("canvas").getContext("2d"), WIDE = [-1e6, -1e6, 1e6, 1e6];
  const named = (e) => { const holder = e.closest("[id]:not(html):not(clipPath), section[aria-labelledby]");
    return holder ? "#" + (holder.id || holder.getAttribute("aria-labelledby")) : ""; };
  const colour = (css, opacity) => { const parts = (css.match(/[\d.]+/g) || [0, 0, 0]).map(Number);
    return [parts[0], parts[1], parts[2], (parts.length > 3 ? parts[3] : 1) * opacity]; };
  const state = new Map();
  function stateOf(e) {  // clip and opacity that an element inherits
    if (!e || e === document) { return { clip: WIDE, opacity: 1 }; }
    if (state.has(e)) { return state.get(e); }
    const style = getComputedStyle(e), above = stateOf(e.parentElement);
    let clip = above.clip;
    const path = style.clipPath.match(/url\("?#([^")]+)"?\)/), shape = path && document.getElementById(path[1]);
    if (shape && e.getScreenCTM) {
      const matrix = e.getScreenCTM(), parts = [...shape.children].filter((one) => one.getBBox).map((one) => one.getBBox());
      const corners = parts.flatMap((b) => [[b.x, b.y], [b.x + b.width, b.y], [b.x, b.y + b.height], [b.x + b.width, b.y + b.height]]);
      clip = common(clip, around(corners.map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix))));
    }
    if (style.overflowX !== "visible" && e !== document.documentElement && e !== document.body) {
      const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY);
      if (!scrolls) { clip = common(clip, shift(e.getBoundingClientRect())); }
    }
    const known = { clip, opacity: above.opacity * Number(style.opacity) };
    state.set(e, known);
    return known;
  }
  const texts = [], breaks = [];
  function drawn(e) {  // exact ink of a text of a drawing
    const own = [...e.childNodes].filter((n) => n.nodeType === 3 && n.data.trim()).map((n) => n.data).join("");
    if (!own || !e.getNumberOfChars()) { return; }
    const style = getComputedStyle(e), known = stateOf(e);
    if (!e.checkVisibility() || style.visibility !== "visible" || known.opacity * Number(style.fillOpacity) === 0) { return; }
    brush.font = style.font;
    const ink = brush.measureText(own.trim()), at = e.getStartPositionOfChar(0), matrix = e.getScreenCTM();
    const left = at.x, right = at.x + e.getComputedTextLength();
    const top = at.y - ink.actualBoundingBoxAscent, bottom = at.y + ink.actualBoundingBoxDescent;
    const corners = [[left, top], [right, top], [left, bottom], [right, bottom]];
    const box = around(corners.map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix)));
    texts.push({ text: own.trim(), box, visible: common(box, known.clip), place: named(e), drawn: true,
      colour: colour(style.fill, known.opacity * Number(style.fillOpacity)),
      size: parseFloat(style.fontSize) * Math.hypot(matrix.c, matrix.d) });
  }
  function written(node) {  // the lines of a text in the page
    const e = node.parentElement, known = stateOf(e), style = getComputedStyle(e), range = document.createRange();
    if (!e.checkVisibility() || style.visibility !== "visible" || /^(SCRIPT|STYLE|NOSCRIPT|TITLE|OPTION)$/.test(e.tagName)) { return; }
    range.selectNodeContents(node);
    if (!range.getClientRects().length) { return; }
    let line = null;
    const end = () => { if (line && line.text.trim()) { texts.push({ ...line, visible: common(line.box, known.clip) }); } };
    for (const piece of node.data.matchAll(/\S+\s*/g)) {
      let last = null;
      const letters = [...piece[0].trimEnd()];
      range.setStart(node, piece.index); range.setEnd(node, piece.index + piece[0].trimEnd().length);
      const rects = [...range.getClientRects()].filter((r) => r.width > 0);
      if (!rects.length) { continue; }
      const parts = rects.length === 1 ? [[letters.join(""), rects[0]]] : [];
      if (rects.length > 1) {
        let at = piece.index;
        for (const letter of letters) {
          range.setStart(node, at); range.setEnd(node, at += letter.length);
          const r = range.getBoundingClientRect();
          if (last && Math.abs(r.top - last[1].top) < 3) { last[0] += letter; last[1] = new DOMRect(last[1].left, r.top, r.right - last[1].left, r.height); }
          else { parts.push(last = [letter, r]); }
        }
      }
      parts.forEach(([text, r], n) => {
        const ink = [r.left + scrollX, r.top + scrollY + 0.22 * r.height, r.right + scrollX, r.bottom + scrollY - 0.22 * r.height];
        if (line && Math.abs(line.top - r.top) < 3) { line.text += (n ? "" : " ") + text; line.box[2] = Math.max(line.box[2], ink[2]); return; }
        if (line) { breaks.push([named(e), line.text, text, n ? letters.length : 0]); }
        end();
        line = { text, top: r.top, box: ink, place: named(e), drawn: false, size: parseFloat(style.fontSize),
          colour: colour(style.color, known.opacity) };
      });
    }
    end();
  }
  const walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.data.trim() && node.parentElement && !node.parentElement.closest("svg")) { written(node); }
  }
  document.querySelectorAll("svg text, svg tspan").forEach(drawn);
  const shown = (e) => { const s = getComputedStyle(e); return s.visibility === "visible" && stateOf(e).opacity * Number(s.fillOpacity) > 0; };
  const charts = [...document.querySelectorAll("svg.marks")].map((svg) => {
    const inside = (selector, e = svg) => [...e.querySelectorAll(selector)];
    const lines = new Map();
    inside("g.mark-line.role-mark").forEach((g) => {
      const group = g.closest("g.role-scope") || g;
      const count = inside("path", g).filter((p) => (p.getAttribute("d") || "").match(/[LC]/)).length;
      lines.set(group, (lines.get(group) || 0) + count);
    });
    const frame = shift(svg.getBoundingClientRect());
    return { place: named(svg), box: frame, marks: inside(".role-mark > *").filter((m) => m.getAttribute("d") !== "").length,
      lines: [...lines.values()],
      legends: inside("g.role-legend").map((g) => ({ title: inside(".role-legend-title", g).map((t) => t.textContent).join(""),
        labels: inside(".role-legend-label text", g).map((t) => t.textContent), gradient: inside(".role-legend-gradient", g).length > 0 })),
      axes: inside("g.role-axis").filter((g) => inside(".role-axis-label text", g).length).map((g) => {
        const line = g.querySelector(".role-axis-domain line"), labels = inside(".role-axis-label text", g);
        return { title: inside(".role-axis-title text", g).map((t) => t.textContent).join(" "), line: line ? shift(line.getBoundingClientRect()) : null,
          labels: labels.map((t) => ({ text: t.textContent, shown: shown(t), box: shift(t.getBoundingClientRect()) })),
          ticks: inside(".role-axis-tick line", g).map((t) => shift(t.getBoundingClientRect())) };
      }) };
  });
  const clipped = [...document.querySelectorAll("body *:not(svg *)")].filter((e) => {
    if (!e.checkVisibility()) { return false; }
    const s = getComputedStyle(e), wide = e.scrollWidth > e.clientWidth + 1, high = e.scrollHeight > e.clientHeight + 1;
    return e.clientWidth && ((/hidden|clip/.test(s.overflowX) && wide) || (/hidden|clip/.test(s.overflowY) && high));
  }).map((e) => [named(e), e.tagName.toLowerCase() + (e.className ? "." + e.className : ""), e.scrollWidth, e.clientWidth, e.scrollHeight, e.clientHeight]);
  const wide = document.scrollingElement ? document.scrollingElement.scrollWidth : 0;
  const past = wide <= innerWidth ? [] : [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 3).map((e) => e.tagName.toLowerCase() + named(e));
  const figures = [...document.querySelectorAll("figure.plot")].map((f) => [f.id,
    f.classList.contains("drawn") && !f.classList.contains("broken") && f.querySelectorAll("svg, canvas, img").length > 0]);
  // a chart shows something where its marks and axes are, and not wherever its picture has an area
  const pictures = [...document.querySelectorAll("img, canvas, svg:not(.marks), svg.marks .mark-group path.background, svg.marks .role-mark > *, svg.marks .role-axis, svg.marks .role-legend")]
    .map((e) => e.getBoundingClientRect()).filter((r) => r.width && r.height).map((r) => [r.top + scrollY, r.bottom + scrollY]);
  return { texts, pictures, breaks, charts, clipped, figures, wide, past, width: innerWidth,
    height: document.documentElement.getBoundingClientRect().height };
}
