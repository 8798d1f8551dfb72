/*
 * View: what of the model is shown: the range of time, the filter, the
 * selection. All else draws what it says, once per frame after a change.
 */
const View = (() => {
	const LATEST = 300, LATEST_MS = 600000; // what a page opens on
	const v = {from: 0, to: 1, search: "", kind: "", namespace: "",
		failures: false, quiet: false, hidden: new Set(),
		closed: new Set(), opened: new Set(), selected: -1,
		rows: new Int32Array(0), lines: [], shown: [], follow: false,
		since: -Infinity, // lines without an event from there on are quiet
		range: "latest", // or "whole", or "own": where it was moved to
		filtered: 0, // how often the filter was applied to all
		awaits: false}; // a link names a moment that is not here yet
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

	let wanted = [], missing = []; // words; those that a track's name lacks

	function split() {
		wanted = v.search.toLowerCase().split(/\s+/).filter(Boolean);
		missing = [];
	}

	function accepts(i) {
		const t = Model.tracks[Model.track[i]];
		if (v.hidden.has(Model.sort[i]) ||
		    (v.failures && !Model.isFailure(i)) ||
		    (v.kind && t.kind !== v.kind) ||
		    (v.namespace && t.namespace !== v.namespace))
			return false;
		if (wanted.length === 0)
			return true;
		const words = missing[t.index] = missing[t.index] ||
			wanted.filter((w) => !t.search.includes(w));
		return words.length === 0 ||
			words.every((w) => Model.lowered(i).includes(w));
	}

	/** Finds the rows and the lines of the picture again. */
	function filter() {
		const rows = [];
		v.filtered++;
		split();
		v.shown = Model.tracks.map(() => []);
		for (let i = 0; i < Model.count; i++)
			if (accepts(i)) {
				rows.push(i);
				v.shown[Model.track[i]].push(i);
			}
		v.rows = Int32Array.from(rows);
		Axis.scan(v.rows, 0);
		Axis.fold();
		v.lines = Tree.lines(v);
		changed();
	}

	let room = new Int32Array(0);

	/** Rows from there on are new; those before are as they were. */
	function append(from) {
		let n = v.rows.length;
		if (v.rows.buffer !== room.buffer ||
		    n + Model.count - from > room.length) {
			room = new Int32Array(2 * (n + Model.count - from) + 1024);
			room.set(v.rows);
		}
		while (v.shown.length < Model.tracks.length)
			v.shown.push([]);
		for (let i = from; i < Model.count; i++)
			if (accepts(i)) {
				room[n++] = i;
				v.shown[Model.track[i]].push(i);
			}
		const known = v.rows.length;
		v.rows = room.subarray(0, n);
		Axis.scan(v.rows, known);
		Axis.fold();
		v.lines = Tree.lines(v);
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
	const place = (t) => Axis.at(t);
	let span = 1; // of places, as it was chosen

	/** Shows what is between two places on the axis. */
	function put(a, b) {
		const first = place(Model.first), last = place(Model.last);
		const pad = (last - first) * 0.02;
		span = Math.min(Math.max(b - a, least()), last - first + 2 * pad);
		a = Math.min(Math.max(a, first - pad), last + pad - span);
		v.from = Axis.time(a);
		v.to = Axis.time(a + span);
		v.follow = Model.live && a + span >= last;
		v.range = "own";
		if (v.from < v.since)
			quieten(Axis.time(a - span));
		changed();
	}

	/** Lines without an event since then are out of the way. */
	function quieten(since) {
		if (since === v.since)
			return;
		v.since = since;
		v.lines = Tree.lines(v);
	}

	/** ... between two times. */
	function show(from, to) {
		put(place(from), place(to));
	}

	function fit() {
		put(-1e15, 1e15);
		v.range = "whole";
		quieten(-Infinity);
	}

	/** Opens on what happened last. */
	function open() {
		latest();
		quieten(v.rows.length > LATEST ? v.from : -Infinity);
	}

	/** ... so many events, or minutes of a page that is live. */
	function latest() {
		const from = v.rows[v.rows.length - LATEST];
		const last = place(Model.last);
		const a = Math.max(place(from === undefined ? Model.first
			: Model.time[from]),
		Model.live ? last - LATEST_MS : -1e15);
		const pad = (last - a) * 0.02;
		put(a - pad, last + pad);
		v.range = "latest";
	}

	/** The right end is now, a little before the edge. */
	function now() {
		const last = place(Model.last);
		if (v.range === "whole")
			fit();
		else if (v.range === "latest")
			latest();
		else
			put(last - span * 0.98, last + span * 0.02);
		v.follow = true;
	}

	/** factor < 1: nearer; at: the time that stays where it is. */
	function zoom(factor, at) {
		const a = place(v.from), b = place(v.to);
		const wide = Math.max((b - a) * factor, least());
		const middle = v.follow ? b
			: at === undefined ? (a + b) / 2 : place(at);
		const share = (middle - a) / (b - a);
		put(middle - wide * share, middle - wide * share + wide);
	}

	function pan(share) {
		const a = place(v.from), b = place(v.to);
		put(a + (b - a) * share, b + (b - a) * share);
	}

	// ---- the selection ----

	function select(i) {
		v.selected = i;
		if (i >= 0) {
			centre(Model.time[i]);
			if (!v.lines.some((l) => l.track &&
			    l.track.index === Model.track[i]))
				v.lines = Tree.lines(v);
			tell(`${Model.SORTS[Model.sort[i]].label}: ` +
				`${Model.titleOf(i)}, ${Model.text[i]}`);
		}
		changed();
	}

	/** Moves, if time t is not in sight. */
	function centre(t) {
		const wide = place(v.to) - place(v.from);
		if (t < v.from || t > v.to)
			put(place(t) - wide / 2, place(t) + wide / 2);
	}

	/** For readers of the screen, who do not see the picture. */
	function tell(text) {
		document.getElementById("told").textContent = text;
	}

	/** The event of the line above or below that is nearest in time. */
	function across(by) {
		const from = v.lines.findIndex((l) => l.track &&
			v.selected >= 0 &&
			l.track.index === Model.track[v.selected]);
		const t = v.selected >= 0 ? Model.time[v.selected] : v.to;
		for (let k = from < 0 && by < 0 ? v.lines.length - 1 : from + by;
			v.lines[k]; k += by) {
			const list = v.lines[k].track
				? v.shown[v.lines[k].track.index] : [];
			if (list.length === 0)
				continue;
			const at = Model.lower(list, t);
			const near = [list[at], list[at - 1]].filter((i) =>
				i !== undefined);
			near.sort((a, b) => Math.abs(Model.time[a] - t) -
				Math.abs(Model.time[b] - t));
			select(near[0]);
			return;
		}
	}

	/** The next row of the filter, or the one before. */
	function step(by) {
		if (v.rows.length === 0)
			return;
		let at = placeOf(v.selected);
		if (v.selected < 0)
			at = by > 0 ? Model.lower(v.rows, v.from)
				: Model.lower(v.rows, v.to) - 1;
		else if (v.rows[at] === v.selected || by < 0)
			at += by;
		select(v.rows[Math.min(Math.max(at, 0), v.rows.length - 1)]);
	}

	/** Where row i is among those of the filter, or would be. */
	function placeOf(i) {
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
		if (v.awaits)
			return;
		if (v.search) p.set("filter", v.search);
		if (v.kind) p.set("kind", v.kind);
		if (v.namespace) p.set("namespace", v.namespace);
		if (v.failures) p.set("failures", "1");
		if (v.quiet) p.set("quiet", "1");
		if (v.selected >= 0) {
			const t = Model.tracks[Model.track[v.selected]];
			p.set("at", Model.moment(Model.time[v.selected]));
			if (t.index > 0) p.set("object", Model.key(t));
			if (v.range === "own")
				p.set("span", +(span / 1000).toPrecision(3));
		}
		const text = p.toString().replace(/%2F/g, "/").replace(/%3A/g, ":");
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
		set({search: p.get("filter") || "", kind: p.get("kind") || "",
			namespace: p.get("namespace") || "",
			failures: p.get("failures") === "1",
			quiet: p.get("quiet") === "1"});
		v.awaits = Model.count === 0 && p.has("at");
		if (v.range !== "own")
			open();
		if (!v.awaits)
			select(named(p));
	}

	/** The row that an address names; -1: none. */
	function named(p) {
		if (!p.has("at")) {
			const row = parseInt(p.get("select") || "-1", 10);
			return row < Model.count ? Math.max(row, -1) : -1;
		}
		const object = p.get("object") || "";
		const i = Model.nearest(Model.parseMoment(p.get("at")), object);
		const wide = Number(p.get("span")) * 1000;
		if (i >= 0 && wide > 0) {
			const at = place(Model.time[i]);
			put(at - wide / 2, at + wide / 2);
		}
		v.missing = i < 0 ? "that time"
			: object && !Model.trackOf(object) ? object : "";
		return i;
	}

	return Object.assign(v, {filter, append, now, open, set, toggle, show,
		fit, zoom, pan, select, across, step, tell, place: placeOf, write,
		read, changed, listen: (fn) => listeners.push(fn)});
})();

