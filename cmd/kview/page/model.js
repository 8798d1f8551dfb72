"use strict";

/*
 * Model: the recording. Rows are columns of numbers in the order of time, so
 * that a hundred thousand of them are searched by halves; the details of a row
 * are parsed when somebody looks at them.
 */
const Model = (() => {
	// In the order of enum viewrow_sort. rank: which one stands for several:
	// the gravest; of what is usual, a change of the spec.
	const SORTS = [
		["present", "There at start", "ring", 1],
		["appeared", "Created", "disc", 8],
		["spec", "Spec changed", "diamond", 10],
		["status", "Status changed", "dot", 3],
		["meta", "Metadata changed", "speck", 2],
		["gone", "Deleted", "cross", 9],
		["decision", "Decision", "triangle", 6],
		["write", "Write", "square", 5],
		["unchanged", "Unchanged", "frame", 4],
		["failure", "Failure", "alarm", 14],
		["leader", "Leadership", "flag", 11],
		["restart", "Restart", "hexagon", 12],
		["phase", "Pipeline", "bar", 9],
		["gap", "Gap", "gap", 13],
		["bad", "Unreadable", "question", 13],
		["shadow", "Would differ", "outline", 11],
	].map(([name, label, shape, rank], index) =>
		({name, label, shape, rank, index}));
	const sortOf = new Map(SORTS.map((s) => [s.name, s.index]));
	const FAILURE = sortOf.get("failure");
	const BAD = sortOf.get("bad");
	const DECISION = sortOf.get("decision");

	const m = {SORTS, sortOf, tracks: [], sources: [], end: {},
		count: 0, timed: false, first: 0, last: 1, live: false,
		state: null, present: new Set(), changes: 0,
		named: new Set()}; // keys of objects that decisions name
	let low = []; // texts in small letters, of those that were searched
	let raw = [], byKey = null, causesOf = -1, causesFound = [];

	function track(index) {
		while (m.tracks.length <= index)
			m.tracks.push({index: m.tracks.length, kind: "",
				namespace: "", name: "", parent: -1,
				object: null, rows: [], spans: []});
		return m.tracks[index];
	}

	function takeObject(o) {
		if (o.live)
			m.live = m.timed = true;
		else if (o.end)
			m.end = o.end;
		else if (o.source !== undefined)
			m.sources.push(o);
		else if (o.kind !== undefined)
			name(Object.assign(track(o.track), o));
		else if (o.parent !== undefined)
			track(o.track).parent = o.parent;
		else if (o.standing !== undefined)
			track(o.track).standing = o.standing;
		else if (o.object !== undefined)
			track(o.track).object = o.object;
		m.changes++;
	}

	function name(t) {
		t.label = label(t);
		t.search = (t.kind + " " + t.namespace + "/" + t.name)
			.toLowerCase();
		byKey = null;
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
			learn(value);
			rows.push([value[0], value[1], sortOf.get(value[2]),
				value[3], value[4], line]);
		}
		m.timed = m.live || !!m.end.timed;
		arrange(rows);
	}

	/** What a decision names is not out of the way. True: it is news. */
	function learn(value) {
		const because = value[5] && value[5].because;
		const known = m.named.size;
		if (value[2] === "decision" && because)
			for (const e of because.events || [])
				m.named.add(keyOf(e));
		return m.named.size > known;
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
		m.present = new Set(m.sort);
		index();
		m.first = m.count ? m.time[0] : 0;
		m.last = m.count ? m.time[m.count - 1] : 1;
		if (m.last <= m.first)
			m.last = m.first + (m.timed ? 1000 : 1);
	}

	function index() {
		for (const t of m.tracks)
			t.rows = [];
		for (let i = 0; i < m.count; i++) {
			const t = track(m.track[i]);
			t.rows.push(i);
			t.decides = t.decides || m.sort[i] === DECISION;
		}
		for (const t of m.tracks) {
			name(t);
			t.spans = spansOf(t);
		}
		causesOf = -1;
		m.changes++;
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
		if (from !== null || (t.there && spans.length === 0))
			spans.push([from ?? -Infinity, Infinity]);
		return spans;
	}

	function label(t) {
		return t.index === 0 ? "Pipeline"
			: t.namespace ? t.namespace + "/" + t.name : t.name;
	}

	function key(t) {
		return t.kind + "/" + t.namespace + "/" + t.name;
	}

	const titleOf = (i) => {
		const t = m.tracks[m.track[i]];
		return t.index === 0 ? t.label
			: shortKind(t.kind) + " " + t.label;
	};
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

	const lowered = (i) => low[i] = low[i] ?? m.text[i].toLowerCase();
	const details = (i) => JSON.parse(raw[i])[5] || {};

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

	function trackOf(wanted) {
		byKey = byKey || new Map(m.tracks.map((t) => [key(t), t]));
		return byKey.get(wanted);
	}

	/** The key of what an event names. */
	function keyOf(e) {
		const group = (e.apiVersion || "").includes("/")
			? "." + e.apiVersion.split("/")[0] : "";
		return e.kind + group + "/" + (e.namespace || "") + "/" + e.name;
	}

	function rowOf(e) {
		const t = trackOf(keyOf(e));
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

	/** "15:04:05.123", with the date where there are several days. */
	function clock(t) {
		if (!m.timed)
			return stamp(t);
		const days = Math.floor(m.first / 864e5) !==
			Math.floor(m.last / 864e5);
		return stamp(t).slice(days ? 5 : 11, 23);
	}

	/** A time as it stands in an address, and back. */
	const moment = (t) => m.timed ? stamp(t).replace(" ", "T") + "Z"
		: String(Math.round(t));
	function parseMoment(text) {
		if (!m.timed)
			return Number(text);
		const found = /^(.{19})(\.\d{1,6})?Z?$/.exec(text);
		return found ? Date.parse(found[1] + "Z") +
			Number("0" + (found[2] || "")) * 1000 : NaN;
	}

	/** The row nearest to a time, of an object if it is known; -1: none. */
	function nearest(t, wanted) {
		const of = wanted && trackOf(wanted);
		const list = of ? of.rows : Array.from({length: m.count},
			(_, i) => i);
		const k = lower(list, t - 0.0005);
		const near = [list[k], list[k - 1]].filter((i) => i !== undefined);
		near.sort((a, b) => Math.abs(m.time[a] - t) - Math.abs(m.time[b] - t));
		return isNaN(t) ? -1 : near[0] ?? -1;
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
		if (m.live)
			return "line " + m.line[i];
		let source = {source: "", line: 1};
		for (const s of m.sources)
			if (s.first <= m.line[i])
				source = s;
		return source.source + ":" + (m.line[i] - source.line + 1);
	}

	// ---- live ----

	function grow() {
		const size = Math.max(1024, m.time.length * 2);
		for (const column of ["time", "line", "sort", "track"]) {
			const wide = new m[column].constructor(size);
			wide.set(m[column].subarray(0, m.count));
			m[column] = wide;
		}
	}

	/**
	 * One row more. The streams of a recording are merged as they come, so
	 * that a row may be some milliseconds older than the one before: then it
	 * is shown at the same time.
	 */
	function push(value, line) {
		const i = m.count, t = track(value[3]);
		if (i === m.time.length)
			grow();
		const time = value[0] / 1000;
		m.time[i] = i > 0 ? Math.max(time, m.time[i - 1]) : time;
		m.line[i] = value[1];
		m.sort[i] = sortOf.get(value[2]) ?? BAD;
		m.track[i] = value[3];
		m.text.push(value[4]);
		raw.push(line);
		t.rows.push(i);
		m.changes += learn(value) || t.rows.length === 1;
		m.present.add(m.sort[i]);
		m.count++;
		if (i === 0)
			m.first = time;
		m.last = Math.max(m.last, m.time[i]);
		alive(t, SORTS[m.sort[i]].name, m.time[i]);
		return t;
	}

	function alive(t, sort, time) {
		if (sort === "gone") {
			if (t.spans.length && t.spans.at(-1)[1] === Infinity)
				t.spans.at(-1)[1] = time;
			t.there = false;
		} else if (sort === "present" || sort === "appeared") {
			if (!t.spans.length || t.spans.at(-1)[1] !== Infinity)
				t.spans.push([time, Infinity]);
			t.there = true;
		}
	}

	/** Keeps the rows that are to stay; the new place of row `selected`. */
	function keep(stays, selected) {
		const rows = [];
		for (let i = 0; i < m.count; i++)
			if (stays(i))
				rows.push(i);
		for (const column of ["time", "line", "sort", "track"])
			m[column] = m[column].constructor.from(rows,
				(i) => m[column][i]);
		m.text = rows.map((i) => m.text[i]);
		raw = rows.map((i) => raw[i]);
		low = [];
		m.count = rows.length;
		m.first = m.count ? m.time[0] : m.first;
		index();
		return rows.indexOf(selected);
	}

	/** Those tracks are of no object any more. */
	function forget(numbers) {
		for (const n of numbers)
			m.named.delete(key(track(n)));
		for (const n of numbers)
			Object.assign(track(n), {kind: "", namespace: "",
				name: "", parent: -1, object: null, spans: [],
				there: false, decides: false, standing: null,
				waiting: false, settled: 0, differs: null});
	}

	function reset() {
		m.tracks = [];
		m.named.clear();
		m.state = null;
		m.last = -Infinity;
		keep(() => false, -1);
	}

	return Object.assign(m, {read, takeObject, push, keep, forget, reset,
		lower, lowered, details, causes, isFailure, stamp, clock, moment,
		parseMoment, nearest, duration, place, key, shortKind,
		titleOf, trackOf});
})();
