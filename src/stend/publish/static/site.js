"use strict";
// Filters of the index.
function stendIndex(index) { window.stend = { index: index }; document.dispatchEvent(new CustomEvent("stend-index")); }
document.addEventListener("DOMContentLoaded", function () {
  var form = document.getElementById("filters"), index = window.stend && window.stend.index;
  if (!form || !index) { return; }
  form.hidden = false;
  var rows = new Map(Array.from(document.querySelectorAll("#drives tbody tr"), function (row) { return [row.dataset.id, row]; }));
  function apply() {
    var words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean), price = parseFloat(form.elements.price.value), shown = 0;
    index.drives.forEach(function (drive) {
      var fits = words.every(function (word) { return drive.text.includes(word); });
      ["maker", "interface", "class"].forEach(function (name) { var field = form.elements[name]; if (field && field.value && drive[name] !== field.value) { fits = false; } });
      if (form.elements.capacity && form.elements.capacity.value && String(drive.capacity.value) !== form.elements.capacity.value) { fits = false; }
      if (price && !(drive.price && drive.price.value <= price)) { fits = false; }
      var row = rows.get(drive.id);
      if (row) { row.hidden = !fits; shown += fits; }
    });
    document.getElementById("count").textContent = shown + " / " + index.drives.length;
  }
  form.addEventListener("input", apply);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  apply();
});
