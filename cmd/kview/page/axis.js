/*
 * Axis: where a time stands. A stretch without events that is long beside the
 * others is folded: it is as wide as its mark needs. What draws, zooms and moves
 * does so by places on the axis, which are milliseconds where nothing is folded.
 */
const Axis = (() => {
	// Shorter stretches stay; longer ones are folded if they are a tenth of what
	// is not folded, and if they are LONG.
	const SILENT = 5000, LONG = 60000;
	const SHARE = 0.06, SHARES = 0.4; // of the axis: a fold, all of them
	const TIMES = 3; // a fold is shorter than what it folds, so many times
	let gaps = [], last = null, folds = [], ends = 0;
	const axis = {version: 0};

	/** Rows of the filter, of which those before `from` are known. */
	function scan(rows, from) {
		if (from === 0) {
			gaps = [];
			last = null;
		}
		const time = Model.time;
		let before = last ?? Infinity;
		for (let k = from; k < rows.length; k++) {
			const t = time[rows[k]];
			if (t - before > SILENT)
				gaps.push([before, t]);
			before = t;
		}
		last = rows.length > 0 ? before : null;
		ends = NaN;
	}

	/** Folds again, if rows or the end have changed. */
	function fold() {
		if (ends === Model.last)
			return;
		ends = Model.last;
		const all = Model.timed ? gaps.slice() : [];
		if (Model.timed && last !== null && Model.last - last > SILENT)
			all.push([last, Model.last]);
		const least = leastOf(all);
		place(...width(all.filter(([a, b]) => b - a >= least)));
	}

	/** How long the shortest stretch is that is folded. */
	function leastOf(all) {
		let rest = Model.last - Model.first, least = Infinity;
		for (const long of all.map(([a, b]) => b - a)
			.sort((a, b) => b - a)) {
			if (long <= Math.min(LONG, rest / 10))
				break;
			least = long;
			rest -= long;
		}
		return least;
	}

	/** How wide a fold is, and which stretches are worth one. */
	function width(all) {
		let kept = all, wide = 0;
		for (let before = -1; before !== kept.length;) {
			const share = Math.min(SHARE, SHARES / (kept.length || 1));
			const busy = kept.reduce((n, [a, b]) => n - (b - a),
				Model.last - Model.first);
			before = kept.length;
			wide = Math.max(1, share * busy /
				(1 - share * kept.length));
			kept = kept.filter(([a, b]) => b - a > TIMES * wide);
		}
		return [wide, kept];
	}

	function place(wide, kept) {
		let saved = 0;
		folds = kept.map(([from, to]) => {
			const at = from - saved;
			saved += to - from - wide;
			return {from, to, at, end: at + wide};
		});
		axis.version++;
	}

	/** The last fold whose member is not above v. */
	function before(v, member) {
		let low = 0, high = folds.length;
		while (low < high) {
			const mid = (low + high) >> 1;
			if (folds[mid][member] <= v)
				low = mid + 1;
			else
				high = mid;
		}
		return folds[low - 1];
	}

	function at(t) {
		const f = before(t, "from");
		if (!f)
			return t;
		return t >= f.to ? f.end + (t - f.to)
			: f.at + (t - f.from) / (f.to - f.from) * (f.end - f.at);
	}

	function time(p) {
		const f = before(p, "at");
		if (!f)
			return p;
		return p >= f.end ? f.to + (p - f.end)
			: f.from + (p - f.at) / (f.end - f.at) * (f.to - f.from);
	}

	/** The fold that time t is in. */
	function foldAt(t) {
		const f = before(t, "from");
		return f && t < f.to ? f : null;
	}

	/** Those between two times. */
	const among = (from, to) => folds.filter((f) =>
		f.to > from && f.from < to);

	return Object.assign(axis, {scan, fold, at, time, foldAt, among});
})();
