"use strict";

/*
 * Model: the recording. Rows are columns of numbers in the order of time, so
 * that a hundred thousand of them are searched by halves; the details of a row
 * are parsed when somebody looks at them.
 */
const Model = (() => {
	// In the order of enum viewrow_sort. rank: which one stands for several.
	const SORTS = [
		["present", "There at start", "ring", 1],
		["appeared", "Created", "disc", 8],
		["spec", "Spec changed", "diamond", 7],
		["status", "Status changed", "dot", 3],
		["meta", "Metadata changed", "speck", 2],
		["gone", "Deleted", "cross", 9],
		["decision", "Decision", "triangle", 6],
		["write", "Write", "square", 5],
		["unchanged", "Unchanged", "frame", 4],
		["failure", "Failure", "alarm", 14],
		["leader", "Leadership", "flag", 11],
		["restart", "Restart", "hexagon", 12],
		["phase", "Pipeline", "bar", 10],
		["gap", "Gap", "gap", 13],
		["bad", "Unreadable", "question", 13],
	].map(([name, label, shape, rank], index) =>
		({name, label, shape, rank, index}));
	const sortOf = new Map(SORTS.map((s) => [s.name, s.index]));
	const FAILURE = sortOf.get("failure");
	const BAD = sortOf.get("bad");

	const m = {SORTS, sortOf, tracks: [], sources: [], end: {},
		count: 0, timed: false, first: 0, last: 1};
	let raw = [];

	function track(index) {
		while (m.tracks.length <= index)
			m.tracks.push({index: m.tracks.length, kind: "",
				namespace: "", name: "", parent: -1,
				object: null, rows: [], spans: []});
		return m.tracks[index];
	}

	function takeObject(o) {
		if (o.end)
			m.end = o.end;
		else if (o.source !== undefined)
			m.sources.push(o);
		else if (o.kind !== undefined)
			Object.assign(track(o.track), o);
		else if (o.parent !== undefined)
			track(o.track).parent = o.parent;
		else
			track(o.track).object = o.object;
	}

	/** Lines of a page's data, as pagefile.h describes them. */
	function read(text) {
		const rows = [];
		for (let at = 0, end; at < text.length; at = end + 1) {
			end = text.indexOf("\n", at);
			if (end < 0)
				end = text.length;
			if (end === at)
				continue;
			const line = text.slice(at, end);
			const value = JSON.parse(line);
			if (!Array.isArray(value)) {
				takeObject(value);
				continue;
			}
			const source = m.sources.at(-1);
			if (source && source.first === undefined)
				source.first = value[1];
			rows.push([value[0], value[1], sortOf.get(value[2]),
				value[3], value[4], line]);
		}
		m.timed = !!m.end.timed;
		arrange(rows);
	}

	/** A row without a time is as old as the one before it. */
	function arrange(rows) {
		let now = 0, sorted = true;
		const firstTimed = rows.find((r) => r[0] !== null);
		if (firstTimed)
			now = firstTimed[0] / 1000;
		for (const r of rows) {
			const t = !m.timed ? r[1]
				: r[0] === null ? now : r[0] / 1000;
			sorted = sorted && t >= now;
			r[0] = now = t;
		}
		if (!sorted)
			rows.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
		fill(rows);
	}

	function fill(rows) {
		m.count = rows.length;
		m.time = Float64Array.from(rows, (r) => r[0]);
		m.line = Int32Array.from(rows, (r) => r[1]);
		m.sort = Uint8Array.from(rows, (r) => r[2]);
		m.track = Int32Array.from(rows, (r) => r[3]);
		m.text = rows.map((r) => r[4]);
		raw = rows.map((r) => r[5]);
		rows.forEach((r, i) => track(r[3]).rows.push(i));
		for (const t of m.tracks) {
			t.label = label(t);
			t.search = (t.kind + " " + t.namespace + "/" + t.name)
				.toLowerCase();
			t.spans = spansOf(t);
		}
		m.first = m.count ? m.time[0] : 0;
		m.last = m.count ? m.time[m.count - 1] : 1;
		if (m.last <= m.first)
			m.last = m.first + (m.timed ? 1000 : 1);
	}

	/** When the object was there: pairs of times; Infinity: until the end. */
	function spansOf(t) {
		const spans = [];
		let from = null;
		for (const i of t.rows) {
			const name = SORTS[m.sort[i]].name;
			if (name === "present" || name === "appeared")
				from = from ?? m.time[i];
			else if (name === "gone") {
				spans.push([from ?? -Infinity, m.time[i]]);
				from = null;
			}
		}
		if (from !== null)
			spans.push([from, Infinity]);
		return spans;
	}

	function label(t) {
		return t.index === 0 ? "Pipeline"
			: t.namespace ? t.namespace + "/" + t.name : t.name;
	}

	function key(t) {
		return t.kind + "/" + t.namespace + "/" + t.name;
	}

	const shortKind = (kind) => kind.split(".")[0];

	/** The first place in list whose time is at least t. */
	function lower(list, t) {
		let low = 0, high = list.length;
		while (low < high) {
			const mid = (low + high) >> 1;
			if (m.time[list[mid]] < t)
				low = mid + 1;
			else
				high = mid;
		}
		return low;
	}

	const details = (i) => JSON.parse(raw[i])[5] || {};

	let causesOf = -1, causesFound = [];

	/** Rows that brought the versions which a decision names. */
	function causes(i) {
		if (i === causesOf)
			return causesFound;
		const d = details(i);
		const events = (d.because && d.because.events) || d.events || [];
		causesOf = i;
		causesFound = events.map((e) => ({event: e, row: rowOf(e)}));
		return causesFound;
	}

	let byKey = null;
	function trackOf(wanted) {
		byKey = byKey || new Map(m.tracks.map((t) => [key(t), t]));
		return byKey.get(wanted);
	}

	function rowOf(e) {
		const group = (e.apiVersion || "").includes("/")
			? "." + e.apiVersion.split("/")[0] : "";
		const t = trackOf(e.kind + group + "/" + (e.namespace || "") +
			"/" + e.name);
		if (!t)
			return -1;
		const found = t.rows.find((i) =>
			raw[i].includes('"version":"' + e.resourceVersion + '"'));
		return found === undefined ? -1 : found;
	}

	const isFailure = (i) => m.sort[i] === FAILURE || m.sort[i] === BAD;

	/** "2026-11-27 15:04:05.123456", or the number of the line. */
	function stamp(t) {
		if (!m.timed)
			return "line " + Math.round(t);
		const micros = Math.round(t * 1000);
		const iso = new Date(Math.floor(micros / 1000)).toISOString();
		return iso.slice(0, 10) + " " + iso.slice(11, 23) +
			String(micros % 1000).padStart(3, "0");
	}

	function duration(ms) {
		if (!m.timed)
			return Math.round(ms) + " lines";
		if (ms < 1000)
			return +ms.toPrecision(3) + " ms";
		const s = ms / 1000;
		if (s < 120)
			return +s.toPrecision(3) + " s";
		if (s < 7200)
			return Math.floor(s / 60) + " min " +
				Math.round(s % 60) + " s";
		if (s < 172800)
			return Math.floor(s / 3600) + " h " +
				Math.round(s % 3600 / 60) + " min";
		return +(s / 86400).toPrecision(3) + " days";
	}

	/** Where a line is: file and number. */
	function place(i) {
		let source = {source: "", line: 1};
		for (const s of m.sources)
			if (s.first <= m.line[i])
				source = s;
		return source.source + ":" + (m.line[i] - source.line + 1);
	}

	return Object.assign(m, {read, lower, details, causes, isFailure, stamp,
		duration, place, key, shortKind, trackOf});
})();
