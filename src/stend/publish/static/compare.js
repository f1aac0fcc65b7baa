"use strict";
// Comparison of two to five drives; the drives are in the address: compare.html#ID,ID.
function stendDrive(drive) { window.stend.drives = window.stend.drives || {}; window.stend.drives[drive.id] = drive; document.dispatchEvent(new CustomEvent("stend-drive")); }
