/*
 * Overview: the whole recording in one strip: how many rows, which failed, and
 * the range that the picture shows.
 */
const Overview = (() => {
	const HEIGHT = 46;
	let canvas, counts = null, countsOf = null, failures = [], version = -1;

	const edge = () => (Axis.at(Model.last) - Axis.at(Model.first)) * 0.02;
	const low = () => Axis.at(Model.first) - edge();
	const high = () => Axis.at(Model.last) + edge();
	const x = (t) => (Axis.at(t) - low()) / (high() - low()) *
		canvas.clientWidth;
	const time = (px) => Axis.time(low() + px / canvas.clientWidth *
		(high() - low()));

	function start() {
		canvas = document.getElementById("overview");
	}

	/** Counted again when the filter, the axis or the width has changed. */
	function count(width) {
		if (counts && countsOf === View.rows && version === Axis.version &&
		    counts.all.length === width)
			return counts;
		if (countsOf !== View.rows)
			failures = View.rows.filter(Model.isFailure);
		countsOf = View.rows;
		version = Axis.version;
		counts = {all: columns(View.rows, width),
			bad: columns(failures, width)};
		return counts;
	}

	/** How many of the rows are in each column. */
	function columns(rows, width) {
		const each = (high() - low()) / width;
		let before = 0;
		return Uint32Array.from({length: width}, (_, k) => {
			const until = k === width - 1 ? rows.length
				: Model.lower(rows, Axis.time(low() +
					(k + 1) * each));
			const n = until - before;
			before = until;
			return n;
		});
	}

	function draw() {
		const width = canvas.clientWidth;
		const theme = Shapes.theme;
		if (width === 0 || Model.count === 0)
			return;
		const c = Shapes.context(canvas, width, HEIGHT);
		canvas.style.width = "";
		const BAR = 3;
		const {all, bad} = count(Math.floor(width / BAR));
		const top = Math.log1p(all.reduce((a, b) => Math.max(a, b), 1));
		const tall = (n) => n === 0 ? 0
			: Math.max(2, Math.log1p(n) / top * (HEIGHT - 8));
		for (let k = 0; k < all.length; k++) {
			c.fillStyle = theme.quiet;
			c.globalAlpha = 0.55;
			c.fillRect(k * BAR, HEIGHT - tall(all[k]), BAR - 1,
				tall(all[k]));
			c.globalAlpha = 1;
			c.fillStyle = theme["s-failure"];
			if (bad[k] === 0)
				continue;
			const h = Math.max(tall(bad[k]), 14);
			c.fillRect(k * BAR - 1, HEIGHT - h, BAR + 1, h);
		}
		window_(c, width);
	}

	function window_(c, width) {
		const a = Math.max(x(View.from), 0), b = Math.min(x(View.to), width);
		const theme = Shapes.theme;
		c.fillStyle = theme.paper;
		c.globalAlpha = 0.6;
		c.fillRect(0, 0, a, HEIGHT);
		c.fillRect(b, 0, width - b, HEIGHT);
		c.globalAlpha = 1;
		c.strokeStyle = theme.focus;
		c.lineWidth = 1.5;
		c.strokeRect(a + 0.75, 0.75, Math.max(b - a - 1.5, 2), HEIGHT - 1.5);
	}

	return {start, draw, time};
})();
