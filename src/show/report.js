/* report.js - tables that can be sorted and filtered, and the page's colours. */
(function () {
"use strict";
function value(row, i) {
	var cell = row.cells[i];
	return "v" in cell.dataset ? parseFloat(cell.dataset.v) : cell.textContent;
}

function sort(table, i) {
	var th = table.tHead.rows[0].cells[i];
	var down = th.dataset.order === "up" ||
		   (th.dataset.order === undefined && th.classList.contains("n"));
	var body = table.tBodies[0], rows = Array.from(body.rows);
	Array.from(table.tHead.rows[0].cells).forEach(function (c) {
		delete c.dataset.order;
	});
	th.dataset.order = down ? "down" : "up";
	rows.sort(function (a, b) {
		var x = value(a, i), y = value(b, i);
		var r = typeof x === "number" && typeof y === "number" ? x - y :
			String(x).localeCompare(String(y));
		return down ? -r : r;
	});
	rows.forEach(function (r) { body.appendChild(r); });
}

document.querySelectorAll("table.sortable").forEach(function (table) {
	Array.from(table.tHead.rows[0].cells).forEach(function (th, i) {
		th.addEventListener("click", function () { sort(table, i); });
	});
	var box = document.createElement("input");
	box.className = "filter";
	box.placeholder = "rows with this text";
	box.setAttribute("aria-label", box.placeholder);
	box.addEventListener("input", function () {
		var want = box.value.toLowerCase();
		Array.from(table.tBodies[0].rows).forEach(function (r) {
			r.hidden = r.textContent.toLowerCase().indexOf(want) < 0;
		});
	});
	if (table.tBodies[0].rows.length > 10)
		table.before(box);
});

var root = document.documentElement;
document.getElementById("theme").addEventListener("click", function () {
	var dark = root.dataset.theme === "dark" ||
		   (root.dataset.theme === undefined &&
		    matchMedia("(prefers-color-scheme: dark)").matches);
	root.dataset.theme = dark ? "light" : "dark";
});
location.hash.slice(1).split("&").forEach(function (part) {
	if (part === "theme=dark" || part === "theme=light")
		root.dataset.theme = part.slice(6);
});
})();
