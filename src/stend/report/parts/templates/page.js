"use strict";
// Draws every figure when it comes near the screen, so that a report of a hundred charts opens at once.
(function () {
  function draw(figure) {
    var holder = figure.querySelector(".chart");
    var spec = JSON.parse(figure.querySelector("script").textContent);
    var options = { renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false }, downloadFileName: figure.id };
    vegaEmbed(holder, spec, options).then(function (drawn) {
      figure.classList.add("drawn");
      var svg = holder.querySelector("svg.marks");
      if (svg) { svg.setAttribute("role", "img"); svg.setAttribute("aria-label", spec.description || ""); }
      holder.querySelectorAll("svg.marks [role]").forEach(function (e) { e.removeAttribute("role"); e.removeAttribute("aria-roledescription"); e.removeAttribute("aria-label"); });
      var menu = holder.querySelector("summary");
      if (menu) { menu.setAttribute("aria-label", document.querySelector("main").dataset.save); }
      return drawn;
    }).catch(function (error) { holder.textContent = String(error); figure.classList.add("drawn", "broken"); });
  }
  document.addEventListener("DOMContentLoaded", function () {
    var figures = document.querySelectorAll("figure.plot");
    if (!("IntersectionObserver" in window) || location.hash === "#all") { figures.forEach(draw); return; }
    var seen = new IntersectionObserver(function (entries) {
      entries.forEach(function (entry) { if (entry.isIntersecting) { seen.unobserve(entry.target); draw(entry.target); } });
    }, { rootMargin: "800px" });
    figures.forEach(function (figure) { seen.observe(figure); });
    window.addEventListener("beforeprint", function () {
      figures.forEach(function (figure) { if (!figure.classList.contains("drawn")) { seen.unobserve(figure); draw(figure); } });
    });
  });
})();
