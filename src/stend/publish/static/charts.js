"use strict";
// Loads the scripts that draw charts when the first chart comes near the screen.
document.addEventListener("DOMContentLoaded", function () {
  var figures = document.querySelectorAll("figure.plot"), assets = document.body.dataset.assets, begun = false;
  function load(names) {
    if (!names.length) { return; }
    var script = document.createElement("script");
    script.src = assets + names[0];
    script.onload = function () { load(names.slice(1)); };
    document.head.appendChild(script);
  }
  function begin() { if (!begun) { begun = true; load(["vega.js", "figures.js", "page.js"]); } }
  if (!figures.length) { return; }
  if (!("IntersectionObserver" in window) || location.hash === "#all") { begin(); return; }
  var seen = new IntersectionObserver(function (entries) { if (entries.some(function (entry) { return entry.isIntersecting; })) { seen.disconnect(); begin(); } }, { rootMargin: "800px" });
  figures.forEach(function (figure) { seen.observe(figure); });
  window.addEventListener("beforeprint", begin);
});
