// Draws every figure when it comes near the screen, so that a report of a hundred charts opens at once.
(function () {
  function draw(figure) {
    var spec = JSON.parse(figure.querySelector("script").textContent);
    var options = { renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false }, downloadFileName: figure.id };
    figureDrawn(figure, spec, options).then(function () {
      var menu = figure.querySelector(".chart summary");
      if (menu) { menu.setAttribute("aria-label", document.querySelector("main").dataset.save); }
    });
  }
  document.addEventListener("DOMContentLoaded", function () { figuresNear(draw); });
})();
