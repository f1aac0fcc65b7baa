"use strict";
// What pages of both styles do with their figures: draw each when it comes near the screen, and tell readers of screens what it is.
function figuresNear(draw) {
  var figures = document.querySelectorAll("figure.plot");
  if (!("IntersectionObserver" in window) || location.hash === "#all") { figures.forEach(draw); return; }
  var seen = new IntersectionObserver(function (entries) {
    entries.forEach(function (entry) { if (entry.isIntersecting) { seen.unobserve(entry.target); draw(entry.target); } });
  }, { rootMargin: "800px" });
  figures.forEach(function (figure) { seen.observe(figure); });
  window.addEventListener("beforeprint", function () {
    figures.forEach(function (figure) { if (!figure.classList.contains("drawn")) { seen.unobserve(figure); draw(figure); } });
  });
}
function figureDrawn(figure, spec, options) {
  var holder = figure.querySelector(".chart");
  return vegaEmbed(holder, spec, options).then(function (drawn) {
    figure.classList.add("drawn");
    var svg = holder.querySelector("svg.marks");
    if (svg) { svg.setAttribute("role", "img"); svg.setAttribute("aria-label", spec.description || ""); }
    holder.querySelectorAll("svg.marks [role]").forEach(function (e) { e.removeAttribute("role"); e.removeAttribute("aria-roledescription"); e.removeAttribute("aria-label"); });
    return drawn;
  }).catch(function (error) { holder.textContent = String(error); figure.classList.add("drawn", "broken"); });
}
