"use strict";
// Loads the scripts that draw charts when the first chart comes near the screen, and draws new charts of a comparison.
(() => {
  const parts = ["vega.js", "figures.js", "page.js"];
  let loading = null, loaded = false;
  function load() {
    loading ??= parts.reduce((before, part) => before.then(() => new Promise((done) => {
      const script = document.createElement("script");
      script.src = document.body.dataset.assets + part;
      script.onload = done;
      document.head.append(script);
    })), Promise.resolve()).then(() => { loaded = true; });
    return loading;
  }
  globalThis.stendFigures = () => {
    const figures = document.querySelectorAll("figure.plot:not(.drawn)");
    if (globalThis.figuresAgain) return globalThis.figuresAgain();  // of page.js
    if (!figures.length) return undefined;
    if (!("IntersectionObserver" in window) || location.hash === "#all") return load();
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      load();
    }, { rootMargin: "800px" });
    for (const figure of figures) seen.observe(figure);
    return undefined;
  };
  addEventListener("beforeprint", () => {  // figures.js draws all charts at this event, once it is there
    if (!loaded && document.querySelector("figure.plot")) load().then(() => dispatchEvent(new Event("beforeprint")));
  });
  stendFigures();
})();
