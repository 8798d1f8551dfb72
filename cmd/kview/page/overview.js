/*
 * Overview: the whole recording in one strip: how many rows, which failed, and
 * the range that the picture shows.
 */
const Overview = (() => {
	const HEIGHT = 46;
	let canvas, counts = null, countsOf = null;

	const low = () => Model.first - (Model.last - Model.first) * 0.02;
	const high = () => Model.last + (Model.last - Model.first) * 0.02;
	const x = (t) => (t - low()) / (high() - low()) * canvas.clientWidth;
	const time = (px) => low() + px / canvas.clientWidth * (high() - low());

	function start() {
		canvas = document.getElementById("overview");
	}

	/** Counted again when the filter or the width has changed. */
	function count(width) {
		if (counts && countsOf === View.rows && counts.all.length === width)
			return counts;
		counts = {all: new Uint32Array(width), bad: new Uint32Array(width)};
		countsOf = View.rows;
		for (const i of View.rows) {
			const px = Math.min(width - 1, Math.floor(
				(Model.time[i] - low()) / (high() - low()) * width));
			counts.all[px]++;
			if (Model.isFailure(i))
				counts.bad[px]++;
		}
		return counts;
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
