/*
 * View: what of the model is shown: the range of time, the filter, the
 * selection. All else draws what it says, once per frame after a change.
 */
const View = (() => {
	const v = {from: 0, to: 1, search: "", kind: "", namespace: "",
		failures: false, hidden: new Set(), closed: new Set(),
		selected: -1, rows: new Int32Array(0), lines: [], shown: [],
		follow: false, whole: false};
	const listeners = [];
	let asked = false;

	const frame = window.requestAnimationFrame.bind(window);

	function changed() {
		if (asked)
			return;
		asked = true;
		frame(() => {
			asked = false;
			for (const fn of listeners)
				fn();
		});
	}

	// ---- the filter ----

	function accepts(i, words) {
		const t = Model.tracks[Model.track[i]];
		if (v.hidden.has(Model.sort[i]) ||
		    (v.failures && !Model.isFailure(i)) ||
		    (v.kind && t.kind !== v.kind) ||
		    (v.namespace && t.namespace !== v.namespace))
			return false;
		return words.every((w) => t.search.includes(w) ||
			Model.text[i].toLowerCase().includes(w));
	}

	/** Finds the rows and the lines of the picture again. */
	function filter() {
		const words = v.search.toLowerCase().split(/\s+/).filter(Boolean);
		const rows = [];
		v.shown = Model.tracks.map(() => []);
		for (let i = 0; i < Model.count; i++)
			if (accepts(i, words)) {
				rows.push(i);
				v.shown[Model.track[i]].push(i);
			}
		v.rows = Int32Array.from(rows);
		v.lines = Tree.lines(v.shown, v.closed);
		changed();
	}

	let room = new Int32Array(0), wordsOf = null, words = [];

	/** Rows from there on are new; those before are as they were. */
	function append(from) {
		let n = v.rows.length;
		if (wordsOf !== v.search)
			words = v.search.toLowerCase().split(/\s+/).filter(Boolean);
		wordsOf = v.search;
		if (v.rows.buffer !== room.buffer ||
		    n + Model.count - from > room.length) {
			room = new Int32Array(2 * (n + Model.count - from) + 1024);
			room.set(v.rows);
		}
		while (v.shown.length < Model.tracks.length)
			v.shown.push([]);
		for (let i = from; i < Model.count; i++)
			if (accepts(i, words)) {
				room[n++] = i;
				v.shown[Model.track[i]].push(i);
			}
		v.rows = room.subarray(0, n);
		v.lines = Tree.lines(v.shown, v.closed);
		changed();
	}

	function set(what) {
		Object.assign(v, what);
		filter();
	}

	function toggle(set, key) {
		if (!set.delete(key))
			set.add(key);
		filter();
	}

	// ---- the range ----

	const least = () => Model.timed ? 0.01 : 4;

	function show(from, to) {
		const pad = (Model.last - Model.first) * 0.02;
		const low = Model.first - pad, high = Model.last + pad;
		let span = Math.min(Math.max(to - from, least()), high - low);
		from = Math.min(Math.max(from, low), high - span);
		v.from = from;
		v.to = from + span;
		v.follow = Model.live && v.to >= Model.last;
		v.whole = false;
		changed();
	}

	function fit() {
		show(Model.first - 1e15, Model.last + 1e15);
		v.whole = true;
	}

	/** The right end is now, a little before the edge. */
	function now() {
		const span = v.to - v.from;
		if (v.whole)
			fit();
		else
			show(Model.last - span * 0.98, Model.last + span * 0.02);
		v.follow = true;
	}

	/** factor < 1: nearer; at: the time that stays where it is. */
	function zoom(factor, at = (v.from + v.to) / 2) {
		const span = Math.max((v.to - v.from) * factor, least());
		if (v.follow)
			at = v.to;
		const share = (at - v.from) / (v.to - v.from);
		show(at - span * share, at - span * share + span);
	}

	function pan(share) {
		const by = (v.to - v.from) * share;
		show(v.from + by, v.to + by);
	}

	// ---- the selection ----

	function select(i) {
		v.selected = i;
		if (i >= 0) {
			const t = Model.time[i], span = v.to - v.from;
			if (t < v.from || t > v.to)
				show(t - span / 2, t + span / 2);
		}
		changed();
	}

	/** The next row of the filter, or the one before. */
	function step(by) {
		if (v.rows.length === 0)
			return;
		let at = place(v.selected);
		if (v.selected < 0)
			at = Model.lower(v.rows, v.from);
		else if (v.rows[at] === v.selected || by < 0)
			at += by;
		select(v.rows[Math.min(Math.max(at, 0), v.rows.length - 1)]);
	}

	/** Where row i is among those of the filter, or would be. */
	function place(i) {
		let low = 0, high = v.rows.length;
		while (low < high) {
			const mid = (low + high) >> 1;
			if (v.rows[mid] < i)
				low = mid + 1;
			else
				high = mid;
		}
		return low;
	}

	// ---- the address ----

	function write() {
		const p = new URLSearchParams();
		if (v.search) p.set("filter", v.search);
		if (v.kind) p.set("kind", v.kind);
		if (v.namespace) p.set("namespace", v.namespace);
		if (v.failures) p.set("failures", "1");
		if (v.selected >= 0 && !Model.live) p.set("select", v.selected);
		const text = p.toString();
		if (text === location.hash.slice(1))
			return;
		try {
			history.replaceState(null, "", "#" + text);
		} catch (e) {
			// An address that must not be changed is no loss.
		}
	}

	function read() {
		const p = new URLSearchParams(location.hash.slice(1));
		const row = parseInt(p.get("select") || "-1", 10);
		set({search: p.get("filter") || "", kind: p.get("kind") || "",
			namespace: p.get("namespace") || "",
			failures: p.get("failures") === "1"});
		select(row >= 0 && row < Model.count ? row : -1);
	}

	return Object.assign(v, {filter, append, now, set, toggle, show, fit, zoom, pan,
		select, step, place, write, read, changed,
		listen: (fn) => listeners.push(fn)});
})();

/*
 * Tree: the lines of the picture: the pipeline, then roots by kind, primaries
 * first, each above what belongs to it.
 */
const Tree = (() => {
	const numbers = new Intl.Collator("en", {numeric: true}).compare;
	const order = (a, b) => numbers(a.namespace, b.namespace) ||
		numbers(a.name, b.name);

	let children = null, kinds = null, builtOf = -1;

	function build() {
		const decides = new Set();
		builtOf = Model.changes;
		children = new Map();
		kinds = new Map();
		for (const t of Model.tracks.slice(1)) {
			if (t.decides)
				decides.add(t.kind);
			const p = Model.tracks[t.parent];
			const list = p && t.parent > 0 ? children : kinds;
			const key = list === children ? t.parent : t.kind;
			if (!list.has(key))
				list.set(key, []);
			list.get(key).push(t);
		}
		for (const list of children.values())
			list.sort((a, b) => a.kind < b.kind ? -1
				: a.kind > b.kind ? 1 : order(a, b));
		const rank = (k) => decides.has(k) ? 0
			: kinds.get(k).some((t) => children.has(t.index)) ? 1 : 2;
		const names = [...kinds.keys()];
		names.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
		kinds = names.map((kind) => ({kind,
			roots: kinds.get(kind).sort(order)}));
	}

	function add(lines, t, depth, shown, closed) {
		const below = [];
		if (depth < 32)
			for (const c of children.get(t.index) || [])
				add(below, c, depth + 1, shown, closed);
		if (shown[t.index].length === 0 && below.length === 0)
			return;
		const shut = closed.has(t.index);
		lines.push({track: t, depth, shut, parent: below.length > 0});
		if (!shut)
			for (const line of below)
				lines.push(line);
	}

	function lines(shown, closed) {
		if (builtOf !== Model.changes)
			build();
		const all = [];
		if (shown.length && shown[0].length)
			all.push({track: Model.tracks[0], depth: 0});
		for (const {kind, roots} of kinds) {
			const own = [];
			for (const t of roots)
				add(own, t, 0, shown, closed);
			if (own.length === 0)
				continue;
			const shut = closed.has(kind);
			all.push({kind, shut,
				count: own.filter((l) => l.depth === 0).length});
			if (!shut)
				for (const line of own)
					all.push(line);
		}
		return all;
	}

	return {lines};
})();
