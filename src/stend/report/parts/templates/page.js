// Draws every figure when it comes near the screen, so that a report with a hundred charts opens immediately.
(function () {
  var MENU = 40;  // pixels beside a figure
  var WORDS = /"type": ?"text"/;  // a chart with text in its cells is not made narrower
  function draw(figure) {
    var text = figure.querySelector("script").textContent, spec = JSON.parse(text);
    if (!WORDS.test(text)) { figureFitted(spec, figure.clientWidth - MENU, false); }
    var options = { renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false }, downloadFileName: figure.id };
    figureDrawn(figure, spec, options).then(function () {
      var menu = figure.querySelector(".chart summary");
      if (menu) { menu.setAttribute("aria-label", document.querySelector("main").dataset.save); }
    });
  }
  document.addEventListener("DOMContentLoaded", function () { figuresNear(draw); });
})();
