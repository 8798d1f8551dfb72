/*
 * Shapes: one for each sort, told apart by form and by colour; those of the
 * legend are drawn by the same functions.
 */
const Shapes = (() => {
	const theme = {};
	const names = ["paper", "raised", "ink", "quiet", "rule", "band", "life",
		"focus", "pick"].concat(Model.SORTS.map((s) => "s-" + s.name));

	function readTheme() {
		const style = getComputedStyle(document.documentElement);
		for (const n of names)
			theme[n] = style.getPropertyValue("--" + n).trim();
	}

	const polygon = (c, x, y, r, n, turn) => {
		c.beginPath();
		for (let i = 0; i < n; i++) {
			const a = turn + i * 2 * Math.PI / n;
			c.lineTo(x + r * Math.cos(a), y + r * Math.sin(a));
		}
		c.closePath();
	};
	const disc = (c, x, y, r) => {
		c.beginPath();
		c.arc(x, y, r, 0, 7);
	};
	const letter = (c, x, y, text) => {
		c.fillStyle = theme.paper;
		c.font = "bold 9px system-ui, sans-serif";
		c.textAlign = "center";
		c.textBaseline = "middle";
		c.fillText(text, x, y + 0.5);
	};

	const draw = {
		ring(c, x, y) { disc(c, x, y, 4); c.lineWidth = 1.5; c.stroke(); },
		disc(c, x, y) { disc(c, x, y, 5); c.fill(); },
		diamond(c, x, y) { polygon(c, x, y, 6, 4, 0); c.fill(); },
		dot(c, x, y) { disc(c, x, y, 3.5); c.fill(); },
		speck(c, x, y) { disc(c, x, y, 2); c.fill(); },
		cross(c, x, y) {
			c.lineWidth = 2;
			c.beginPath();
			c.moveTo(x - 4, y - 4); c.lineTo(x + 4, y + 4);
			c.moveTo(x + 4, y - 4); c.lineTo(x - 4, y + 4);
			c.stroke();
		},
		triangle(c, x, y) {
			polygon(c, x, y + 1, 6, 3, -Math.PI / 2);
			c.fill();
		},
		square(c, x, y) { c.fillRect(x - 4.5, y - 4.5, 9, 9); },
		frame(c, x, y) {
			c.lineWidth = 1.5;
			c.strokeRect(x - 3.5, y - 3.5, 7, 7);
		},
		alarm(c, x, y) {
			polygon(c, x, y, 8, 8, Math.PI / 8);
			c.fill();
			letter(c, x, y, "!");
		},
		flag(c, x, y) {
			c.lineWidth = 1.5;
			c.beginPath();
			c.moveTo(x - 4, y + 6); c.lineTo(x - 4, y - 6);
			c.stroke();
			c.beginPath();
			c.moveTo(x - 4, y - 6); c.lineTo(x + 6, y - 3);
			c.lineTo(x - 4, y + 1);
			c.fill();
		},
		hexagon(c, x, y) { polygon(c, x, y, 6.5, 6, 0); c.fill(); },
		bar(c, x, y) { c.fillRect(x - 1.5, y - 6, 3, 12); },
		gap(c, x, y) {
			c.lineWidth = 1.5;
			c.beginPath();
			for (let k = -4; k <= 4; k += 4) {
				c.moveTo(x + k - 2, y + 6);
				c.lineTo(x + k + 2, y - 6);
			}
			c.stroke();
		},
		outline(c, x, y) {
			polygon(c, x, y, 6, 4, 0);
			c.lineWidth = 2;
			c.stroke();
		},
		question(c, x, y) {
			polygon(c, x, y, 7, 4, Math.PI / 4);
			c.fill();
			letter(c, x, y, "?");
		},
	};

	function put(c, sort, x, y) {
		const s = Model.SORTS[sort];
		c.fillStyle = c.strokeStyle = theme["s-" + s.name];
		draw[s.shape](c, x, y);
	}

	const stamps = new Map();
	let stampsOf = "";

	/** Several: the gravest, and how many. Drawn once: there are many alike. */
	function drawPill(sort, text) {
		const canvas = document.createElement("canvas");
		const w = 22 + text.length * 6;
		const c = context(canvas, w + 2, 22);
		c.clearRect(0, 0, w + 2, 22);
		c.fillStyle = theme.paper;
		c.strokeStyle = theme["s-" + Model.SORTS[sort].name];
		c.lineWidth = 1;
		c.beginPath();
		c.roundRect(1.5, 1.5, w - 1, 19, 5);
		c.fill();
		c.stroke();
		put(c, sort, 11, 11);
		c.fillStyle = theme.ink;
		c.font = "600 10px system-ui, sans-serif";
		c.textAlign = "left";
		c.textBaseline = "middle";
		c.fillText(text, 20, 11.5);
		return {canvas, width: w};
	}

	/** Puts one with its mark at x; how wide it is. */
	function pill(c, sort, x, y, count) {
		const text = count < 1000 ? String(count)
			: count < 99500 ? +(count / 1000).toPrecision(2) + "k"
			: Math.round(count / 1000) + "k";
		const key = sort + " " + text, ratio = window.devicePixelRatio || 1;
		if (stampsOf !== theme.paper + ratio || stamps.size > 2000)
			stamps.clear();
		stampsOf = theme.paper + ratio;
		if (!stamps.has(key))
			stamps.set(key, drawPill(sort, text));
		const s = stamps.get(key);
		c.drawImage(s.canvas, Math.round((x - 11) * ratio) / ratio,
			y - 11, s.width + 2, 22);
		return s.width;
	}

	/** Sets the size of a canvas to what it covers; its context. */
	function context(canvas, width, height) {
		const ratio = window.devicePixelRatio || 1;
		const w = Math.round(width * ratio), h = Math.round(height * ratio);
		if (canvas.width !== w || canvas.height !== h) {
			canvas.width = w;
			canvas.height = h;
			canvas.style.width = width + "px";
			canvas.style.height = height + "px";
		}
		const c = canvas.getContext("2d");
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.fillStyle = theme.paper;
		c.fillRect(0, 0, width, height);
		return c;
	}

	return {theme, readTheme, put, pill, context};
})();

/*
 * Picture: the tracks. Only lines in sight are drawn, and of each at most one
 * mark in CELL pixels: several rows there are one mark with their number.
 */
const Picture = (() => {
	const LINE = 24, AXIS = 30, CELL = 44, PAPER = 520;
	const FONT = "12px system-ui, -apple-system, 'Segoe UI', sans-serif";
	const theme = Shapes.theme;
	const stats = {frames: 0, marks: 0, rows: 0, lines: 0, folds: 0};
	let canvas, scroller, c, width = 0, height = 0, left = 260, marks = [];
	let begins = 0, wide = 1; // the range, in places on the axis

	const x = (t) => left + (Axis.at(t) - begins) / wide * (width - left);
	const time = (px) => Axis.time(begins + (px - left) / (width - left) *
		wide);

	function start() {
		canvas = document.getElementById("picture");
		scroller = document.getElementById("scroller");
	}

	function resize() {
		begins = Axis.at(View.from);
		wide = Axis.at(View.to) - begins;
		width = scroller.clientWidth;
		height = scroller.clientHeight;
		left = Math.round(Math.min(Math.max(width * 0.26, 120), 300));
		document.getElementById("spacer").style.height =
			Math.max(tall(), height) + "px";
	}

	/** The height of all lines. */
	const tall = () => View.lines.length * LINE + AXIS + 8;

	/** On paper there is no scrolling: so many lines as half a page has. */
	function printing(on) {
		scroller.style.flex = on ? "none" : "";
		scroller.style.height = on ? Math.min(tall(), PAPER) + "px" : "";
		scroller.scrollTop = 0;
	}

	// ---- the axis ----

	const STEPS = [1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5,
		10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1.5e4, 3e4, 6e4,
		12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5,
		1728e5, 6048e5, 26784e5];

	function step() {
		const wanted = wide / (width - left) * 92;
		if (Model.timed)
			return STEPS.find((s) => s >= wanted) || STEPS.at(-1);
		const power = Math.pow(10, Math.floor(Math.log10(wanted)));
		return Math.max(1, [1, 2, 5, 10].map((n) => n * power)
			.find((n) => n >= wanted));
	}

	function tick(t, by) {
		if (!Model.timed)
			return String(Math.round(t));
		const text = Model.stamp(t);
		return by >= 864e5 ? text.slice(0, 10)
			: by >= 6e4 ? text.slice(11, 16)
			: by >= 1e3 ? text.slice(11, 19)
			: by >= 1 ? text.slice(11, 23) : text.slice(14);
	}

	function grid() {
		const by = step();
		const ticks = [];
		let room = left + 30;
		c.strokeStyle = theme.rule;
		c.lineWidth = 1;
		c.beginPath();
		for (let t = Math.ceil(View.from / by) * by; t <= View.to; t += by) {
			const f = Axis.foldAt(t);
			if (f && f.to > View.to)
				break;
			if (f)
				t = Math.ceil(f.to / by) * by;
			const px = Math.round(x(t)) + 0.5;
			c.moveTo(px, AXIS);
			c.lineTo(px, height);
			if (px > room) {
				ticks.push([px, tick(t, by)]);
				room = px + 80;
			}
		}
		c.stroke();
		return ticks;
	}

	// ---- folds ----

	/** "58 s", "12 min": how long nothing happened. */
	function length(f) {
		const s = (f.to - f.from) / 1000;
		return s < 100 ? Math.round(s) + " s"
			: s < 6000 ? Math.round(s / 60) + " min"
			: s < 172800 ? Math.round(s / 3600) + " h"
			: Math.round(s / 86400) + " days";
	}

	/** Hatched: here time is short. Returns where, to be named on the axis. */
	function folds() {
		const found = [];
		for (const f of Axis.among(View.from, View.to)) {
			const a = Math.max(x(f.from) + 3, left);
			const b = Math.min(x(f.to) - 3, width);
			if (b - a < 2)
				continue;
			c.fillStyle = theme.raised;
			c.fillRect(a, AXIS, b - a, height - AXIS);
			c.save();
			c.beginPath();
			c.rect(a, AXIS, b - a, height - AXIS);
			c.clip();
			c.strokeStyle = theme.rule;
			c.lineWidth = 1;
			c.beginPath();
			for (let at = a - height; at < b; at += 9) {
				c.moveTo(at, height);
				c.lineTo(at + height, 0);
			}
			c.stroke();
			c.restore();
			found.push([a, b, length(f)]);
		}
		return found;
	}

	/** Those whose length has room on the axis, also beside the fold. */
	function named(gaps) {
		const names = [];
		for (const [a, b, text] of gaps) {
			const wide = Math.max(b - a, c.measureText(text).width + 8);
			const from = Math.min((a + b - wide) / 2, width - wide);
			if (from >= (names.at(-1)?.[1] ?? left) + 1)
				names.push([from, from + wide, text]);
		}
		stats.folds = names.length;
		return names;
	}

	function axis(ticks, gaps) {
		c.fillStyle = theme.raised;
		c.fillRect(0, 0, width, AXIS);
		c.fillStyle = theme.quiet;
		c.font = FONT;
		c.textBaseline = "middle";
		c.textAlign = "left";
		c.fillText(Model.timed ? Model.stamp(Math.max(View.from, Model.first))
			.slice(0, 10) + "  UTC" : "line number", 12, AXIS / 2);
		c.textAlign = "center";
		const names = named(gaps);
		for (const [px, text] of ticks) {
			const half = c.measureText(text).width / 2 + 4;
			if (px - half > left && px + half < width &&
			    !names.some(([a, b]) => px + half > a && px - half < b))
				c.fillText(text, px, AXIS / 2);
		}
		for (const [a, b, text] of names) {
			c.fillStyle = theme.band;
			c.beginPath();
			c.roundRect(a, 6, b - a, AXIS - 12, 4);
			c.fill();
			c.fillStyle = theme.quiet;
			c.fillText(text, (a + b) / 2, AXIS / 2);
		}
		c.strokeStyle = theme.rule;
		c.beginPath();
		c.moveTo(0, AXIS - 0.5);
		c.lineTo(width, AXIS - 0.5);
		c.stroke();
	}

	// ---- lines ----

	/** What of the line of the pipeline concerns all: across the picture. */
	function events() {
		for (const i of (View.shown[0] || []).slice(0, 2000)) {
			const name = Model.SORTS[Model.sort[i]].name;
			const px = Math.round(x(Model.time[i])) + 0.5;
			if (px < left || px > width || name === "phase")
				continue;
			c.strokeStyle = theme["s-" + name];
			c.lineWidth = 1;
			c.globalAlpha = 0.55;
			c.setLineDash(name === "gap" ? [2, 3] : [5, 4]);
			c.beginPath();
			c.moveTo(px, AXIS);
			c.lineTo(px, height);
			c.stroke();
			c.setLineDash([]);
			c.globalAlpha = 1;
		}
	}

	function clip(text, room) {
		if (c.measureText(text).width <= room)
			return text;
		let low = 0, high = text.length;
		while (low < high) {
			const mid = (low + high + 1) >> 1;
			if (c.measureText(text.slice(0, mid) + "…").width <= room)
				low = mid;
			else
				high = mid - 1;
		}
		return text.slice(0, low) + "…";
	}

	function arrow(at, y, shut) {
		c.fillStyle = theme.quiet;
		c.beginPath();
		if (shut) {
			c.moveTo(at, y - 4); c.lineTo(at + 5, y); c.lineTo(at, y + 4);
		} else {
			c.moveTo(at - 1, y - 2); c.lineTo(at + 7, y - 2);
			c.lineTo(at + 3, y + 3);
		}
		c.fill();
	}

	function head(line, y) {
		c.fillStyle = theme.band;
		c.fillRect(0, y, width, LINE);
		arrow(10, y + LINE / 2, line.shut);
		c.font = "600 " + FONT;
		c.textAlign = "left";
		c.textBaseline = "middle";
		c.fillStyle = theme.ink;
		c.fillText(clip(line.kind + "  ·  " + line.count, left - 30),
			24, y + LINE / 2);
	}

	/** A line that stands for others. */
	function more(line, y) {
		const at = 24 + line.depth * 14;
		c.fillStyle = theme.paper;
		c.fillRect(0, y, left, LINE);
		arrow(at - 12, y + LINE / 2, line.shut);
		c.font = FONT;
		c.textAlign = "left";
		c.textBaseline = "middle";
		c.fillStyle = theme.quiet;
		c.fillText(clip(line.label, left - at - 8), at, y + LINE / 2);
	}

	function label(line, y) {
		const t = line.track, at = 24 + line.depth * 14;
		const selected = View.selected >= 0 &&
			Model.track[View.selected] === t.index;
		c.fillStyle = selected ? theme.pick : theme.paper;
		c.fillRect(0, y, left, LINE);
		if (line.parent)
			arrow(at - 12, y + LINE / 2, line.shut);
		c.textAlign = "left";
		c.textBaseline = "middle";
		c.font = (line.depth === 0 ? "500 " : "") + FONT;
		let from = at;
		if (line.depth > 0) {
			const kind = Model.shortKind(t.kind);
			c.fillStyle = theme.quiet;
			c.fillText(clip(kind, left - at - 8), at, y + LINE / 2);
			from += c.measureText(kind).width + 6;
		}
		c.fillStyle = theme.ink;
		if (left - from > 24)
			c.fillText(clip(line.depth > 0 ? t.short : t.label,
				left - from - 8), from, y + LINE / 2);
	}

	function life(t, y) {
		c.fillStyle = theme.life;
		for (const [from, to] of t.spans) {
			const a = Math.max(x(from), left);
			const b = Math.min(x(Math.min(to, Model.last)), width);
			if (b > a)
				c.fillRect(a, y + LINE / 2 - 3, b - a, 6);
		}
	}

	function weightiest(list, a, b) {
		let best = list[a];
		for (let k = a + 1; k < b; k++)
			if (Model.SORTS[Model.sort[list[k]]].rank >
			    Model.SORTS[Model.sort[best]].rank)
				best = list[k];
		return best;
	}

	/** The rows of a line that are in sight. */
	function rows(list, y, named) {
		const cell = CELL * wide / (width - left);
		let k = Model.lower(list, View.from);
		while (k < list.length && Model.time[list[k]] <= View.to) {
			const t = Model.time[list[k]];
			const next = Math.max(k + 1, Model.lower(list,
				Axis.time(Axis.at(t) + cell)));
			const best = weightiest(list, k, next);
			const m = mark(list, k, next, best, y);
			if (named)
				name(m, best, next < list.length
					? x(Model.time[list[next]]) : width);
			k = next;
		}
	}

	function mark(list, from, to, best, y) {
		const count = to - from;
		let px = x(Model.time[list[from]]), right = px + 9;
		if (count > 1) {
			px = Math.max(Math.min(px, width - 34), left + 11);
			right = px - 9 + Shapes.pill(c, Model.sort[best], px,
				y + LINE / 2, count);
		} else {
			Shapes.put(c, Model.sort[best], px, y + LINE / 2);
		}
		marks.push({x: px, right, y, best, list, from, to});
		stats.marks++;
		stats.rows += count;
		return marks.at(-1);
	}

	/** What it is, beside the mark, if there is room until the next one. */
	function name(m, best, next) {
		const text = Model.text[best].replace(/[:(].*/, "");
		c.font = FONT;
		if (c.measureText(text).width > next - m.right - 16)
			return;
		c.textAlign = "left";
		c.textBaseline = "middle";
		c.fillStyle = theme.quiet;
		c.fillText(text, m.right + 5, m.y + LINE / 2);
	}

	function body(line, y) {
		if (line.kind !== undefined) {
			head(line, y);
			return;
		}
		if (line.more !== undefined) {
			more(line, y);
			return;
		}
		c.fillStyle = theme.rule;
		c.globalAlpha = 0.6;
		c.fillRect(left, y + LINE - 1, width - left, 1);
		c.globalAlpha = 1;
		c.save();
		c.beginPath();
		c.rect(left, AXIS, width - left, height - AXIS);
		c.clip();
		life(line.track, y);
		rows(View.shown[line.track.index], y, line.track.index === 0);
		c.restore();
		label(line, y);
	}

	// ---- the selection ----

	/** The middle of the line of a track; null: it is not in sight. */
	function lineY(track) {
		const at = View.lines.findIndex((l) => l.track &&
			l.track.index === track);
		return at < 0 ? null
			: AXIS + at * LINE - scroller.scrollTop + LINE / 2;
	}

	/** The mark that row i is part of, or where it would be. */
	const markOf = (i) => marks.find((k) => k.list[k.from] <= i &&
		i <= k.list[k.to - 1] &&
		Model.track[k.list[k.from]] === Model.track[i]) ||
		{x: x(Model.time[i]), from: 0, to: 1};

	/** Around a mark, also of several. */
	function ring(m, y, r) {
		c.beginPath();
		if (m.to - m.from > 1)
			c.roundRect(m.x - r - 3, y - r - 3,
				m.right - m.x + r + 6, 2 * r + 6, 7);
		else
			c.arc(m.x, y, r, 0, 7);
		c.stroke();
	}

	function chosen() {
		const i = View.selected;
		if (i < 0)
			return;
		const y = lineY(Model.track[i]), m = markOf(i), px = m.x;
		if (px < left || px > width)
			return;
		c.strokeStyle = theme.focus;
		c.lineWidth = 1;
		c.beginPath();
		c.moveTo(Math.round(px) + 0.5, AXIS);
		c.lineTo(Math.round(px) + 0.5, height);
		c.stroke();
		if (y === null)
			return;
		for (const {row} of Model.causes(i))
			if (row >= 0)
				thread(row, px, y);
		c.lineWidth = 2;
		ring(m, y, 11);
	}

	/** From a cause to what came of it. */
	function thread(row, px, y) {
		const fromY = lineY(Model.track[row]), m = markOf(row);
		if (fromY === null)
			return;
		c.lineWidth = 1.5;
		c.beginPath();
		c.moveTo(m.x, fromY);
		c.bezierCurveTo((m.x + px) / 2 + 12, fromY,
			(m.x + px) / 2 - 12, y, px, y);
		c.stroke();
		ring(m, fromY, 9);
	}

	function draw() {
		resize();
		canvas.style.height = height + "px";
		c = Shapes.context(canvas, width, height);
		marks = [];
		stats.frames++;
		stats.marks = stats.rows = stats.lines = 0;
		if (Model.count === 0)
			return;
		const ticks = grid(), gaps = folds();
		events();
		const first = Math.floor(scroller.scrollTop / LINE);
		const last = Math.min(View.lines.length,
			first + Math.ceil((height - AXIS) / LINE) + 1);
		for (let k = first; k < last; k++) {
			body(View.lines[k], AXIS + k * LINE - scroller.scrollTop);
			stats.lines++;
		}
		chosen();
		axis(ticks, gaps);
		c.fillStyle = theme.rule;
		c.fillRect(left, AXIS, 1, height - AXIS);
	}

	/** Scrolls so that the line of a row, the selected one, is in sight. */
	function reveal(i = View.selected) {
		const y = i < 0 || i === undefined ? null : lineY(Model.track[i]);
		if (y !== null && (y < AXIS + LINE || y > height - LINE))
			scroller.scrollTop += y - height / 2;
	}

	const markAt = (px, y) => marks.find((m) => px >= m.x - 9 &&
		px <= m.right && y >= m.y && y < m.y + LINE);
	const lineAt = (y) => View.lines[Math.floor(
		(y - AXIS + scroller.scrollTop) / LINE)];

	return {start, draw, reveal, printing, markAt, lineAt, time, stats,
		isLabel: (px) => px < left, isAxis: (y) => y < AXIS,
		share: (px) => px / (width - left)};
})();
