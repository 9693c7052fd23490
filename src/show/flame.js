/* flame.js - zoom and search in flame graphs; in an .svg of its own or in a page.
 *
 * A frame is <g class="f" data-x data-w data-d data-n>: its left edge and width as
 * parts of the whole, its depth and its name.  Zooming gives the frames below
 * the one that was clicked their share of the whole width.  The part of the address
 * behind # may ask for it: #search=malloc, #zoom=name.
 */
(function () {
"use strict";
var WIDTH = 1180, LEFT = 10, CHAR = 6.7;

function fit(name, width) {
	var n = Math.floor((width - 6) / CHAR);
	if (n < 3)
		return "";
	return name.length <= n ? name : name.slice(0, n - 2) + "..";
}

function matcher(what) {
	try {
		return new RegExp(what);
	} catch (e) {
		return new RegExp(what.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
	}
}

function Flame(svg) {
	var frames = [], info = svg.querySelector(".info"), self = this;
	svg.querySelectorAll(".f").forEach(function (g) {
		frames.push({ g: g, x: +g.dataset.x, w: +g.dataset.w,
			      d: +g.dataset.d, name: g.dataset.n,
			      rect: g.querySelector("rect"),
			      text: g.querySelector("text") });
	});

	function place(f, x, w) {
		f.rect.setAttribute("x", LEFT + x * WIDTH);
		f.rect.setAttribute("width", Math.max(w * WIDTH - 0.4, 0.1));
		f.text.setAttribute("x", LEFT + x * WIDTH + 3);
		f.text.textContent = fit(f.name, w * WIDTH);
	}

	this.zoom = function (at) {
		var end = at.x + at.w, eps = 1e-9;
		frames.forEach(function (f) {
			var inside = f.x >= at.x - eps && f.x + f.w <= end + eps &&
				     f.d >= at.d;
			var above = f.d < at.d && f.x <= at.x + eps &&
				    f.x + f.w >= end - eps;
			f.g.classList.toggle("hidden", !inside && !above);
			f.g.classList.toggle("above", above);
			if (above)
				place(f, 0, 1);
			else if (inside)
				place(f, (f.x - at.x) / at.w, f.w / at.w);
		});
		svg.querySelector(".reset").classList.toggle("hidden", at.d === 0);
	};

	this.reset = function () {
		self.zoom(frames[0]);
	};

	/* Light up what matches, and say how much of the whole it is. */
	this.search = function (what) {
		var re = what ? matcher(what) : null, hits = [];
		frames.forEach(function (f) {
			var hit = re !== null && re.test(f.name);
			f.g.classList.toggle("hit", hit);
			if (hit)
				hits.push(f);
		});
		svg.querySelector(".clear").classList.toggle("hidden", re === null);
		if (re === null) {
			info.textContent = "";
			return;
		}
		hits.sort(function (a, b) { return a.x - b.x || a.d - b.d; });
		var sum = 0, end = -1;
		hits.forEach(function (f) {
			if (f.x >= end - 1e-9) {
				sum += f.w;
				end = f.x + f.w;
			}
		});
		info.textContent = what + ": " + (sum * 100).toFixed(2) + "%";
	};

	this.ask = function () {
		var what = window.prompt("Search for (regular expression):", "");
		if (what !== null)
			self.search(what);
	};

	frames.forEach(function (f) {
		f.g.addEventListener("click", function () { self.zoom(f); });
		f.g.addEventListener("mouseover", function () {
			info.textContent = f.g.querySelector("title").textContent;
		});
	});
	svg.querySelector(".reset").addEventListener("click", this.reset);
	svg.querySelector(".search").addEventListener("click", this.ask);
	svg.querySelector(".clear").addEventListener("click", function () {
		self.search("");
	});
	if (frames.length > 0)
		this.reset(); /* texts as wide as there is room */
	this.byName = function (name) {
		frames.some(function (f) {
			if (f.name === name)
				self.zoom(f);
			return f.name === name;
		});
	};
}

var flames = [];
document.querySelectorAll("svg.dt-flame").forEach(function (svg) {
	flames.push(new Flame(svg));
});
window.dtFlames = flames;
window.addEventListener("keydown", function (e) {
	if (flames.length === 1 && (e.ctrlKey || e.metaKey) && e.key === "f") {
		e.preventDefault();
		flames[0].ask();
	}
});
location.hash.slice(1).split("&").forEach(function (part) {
	var eq = part.indexOf("="), value = decodeURIComponent(part.slice(eq + 1));
	flames.forEach(function (f) {
		if (part.slice(0, eq) === "search")
			f.search(value);
		else if (part.slice(0, eq) === "zoom")
			f.byName(value);
	});
});
})();
