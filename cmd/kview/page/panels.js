/*
 * Panels: the present, above the picture of a page that is live: stages, kinds,
 * primaries, rates, decisions. Each is written only when it says something
 * else, so that focus and selection stay where they are.
 */
const Panels = (() => {
	const PRIMARIES = 50, DECISIONS = 8, MINUTE = 60000;
	const written = new Map();
	const $ = (id) => document.getElementById(id);

	function make(tag, text, parent, className) {
		const e = document.createElement(tag);
		if (text !== null)
			e.textContent = text;
		if (className)
			e.className = className;
		if (parent)
			parent.append(e);
		return e;
	}

	/** Writes it again if `what` is not what it was. */
	function write(id, what, fn) {
		const text = JSON.stringify(what);
		if (written.get(id) === text)
			return;
		written.set(id, text);
		const parent = $(id).tBodies ? $(id).tBodies[0] : $(id);
		parent.replaceChildren();
		for (const one of what)
			fn(parent, one);
	}

	function term(list, [name, text, bad]) {
		make("dt", name, list);
		make("dd", text, list, bad ? "bad" : "");
	}

	// ---- what there is to say ----

	/** "running, leader". */
	function phase() {
		const s = Model.state;
		if (!s || !s.phase)
			return "";
		return s.phase + (s.leader === undefined ? ""
			: s.leader ? ", leader" : ", standby") +
			(s.reason ? ": " + s.reason : "");
	}

	function stages() {
		const all = Object.entries((Model.state || {}).stages || {});
		const rows = all.map(([name, s]) => [name,
			(s.running ? s.ready ? "running" : "starting" : "stopped") +
			(s.starts > 1 ? `, started ${s.starts} times` : ""),
			!s.running]);
		return phase() ? [["phase", phase(), false], ...rows] : rows;
	}

	/** Rows of the last minute, by sort. */
	function rates(now) {
		const counts = new Map();
		for (let i = Model.count - 1; i >= 0 &&
		    Model.time[i] > now - MINUTE; i--)
			counts.set(Model.sort[i], (counts.get(Model.sort[i]) || 0) + 1);
		const of = (name) => counts.get(Model.sortOf.get(name)) || 0;
		const waiting = Model.tracks.filter((t) => t.waiting).length;
		return [["writes a minute", String(of("write")), false],
			["failures a minute", String(of("failure")),
				of("failure") > 0],
			["decisions a minute", String(of("decision")), false],
			["queue", waiting + (waiting === 1 ? " primary"
				: " primaries"), false]];
	}

	function kinds() {
		const counts = new Map();
		for (const t of Model.tracks)
			if (t.there)
				counts.set(t.kind, (counts.get(t.kind) || 0) + 1);
		return [...counts].sort((a, b) => a[0] < b[0] ? -1 : 1)
			.map(([kind, n]) => [kind, n.toLocaleString("en"), false]);
	}

	const isReady = (t) => !t.standing || t.standing.ready === undefined ||
		t.standing.ready === "True";

	function primaries() {
		const all = Model.tracks.filter((t) => t.decides && t.there);
		all.sort((a, b) => isReady(a) - isReady(b) ||
			(a.label < b.label ? -1 : 1));
		const rows = all.slice(0, PRIMARIES).map((t) => {
			const s = t.standing || {};
			return [t.index, Model.shortKind(t.kind), t.label,
				s.phase || "", (s.ready || "") +
				(s.reason ? ", " + s.reason : ""), isReady(t),
				t.waiting ? "waits" : "",
				t.differs && t.differs.size
					? String(t.differs.size) : ""];
		});
		if (all.length > PRIMARIES)
			rows.push([-1, "", `and ${all.length - PRIMARIES} more`,
				"", "", true, "", ""]);
		return rows;
	}

	function decisions() {
		const found = [];
		for (let i = Model.count - 1; i >= 0 &&
		    i > Model.count - 5000 && found.length < DECISIONS; i--)
			if (Model.SORTS[Model.sort[i]].name === "decision")
				found.push([i, Model.stamp(Model.time[i]).slice(11, 19),
					Model.tracks[Model.track[i]].label,
					Model.text[i]]);
		return found;
	}

	// ---- elements ----

	function link(parent, text, row) {
		const b = make("button", text, parent, "link");
		b.type = "button";
		b.addEventListener("click", () => {
			View.select(row());
			Picture.reveal();
		});
	}

	function primaryRow(body, [index, kind, name, phaseOf, ready, good, waits,
		differs]) {
		const tr = make("tr", null, body);
		const th = make("th", null, tr);
		th.scope = "row";
		if (index < 0)
			th.textContent = name;
		else
			link(th, kind + " " + name, () =>
				Model.tracks[index].rows.at(-1) ?? -1);
		make("td", phaseOf, tr);
		make("td", ready, tr, good ? "" : "bad");
		make("td", waits, tr);
		make("td", differs, tr);
	}

	function decisionItem(list, [row, time, name, text]) {
		const li = make("li", time + " ", list);
		link(li, name, () => row);
		li.append(" " + text);
	}

	function draw(now) {
		write("stages", stages(), term);
		write("rates", rates(now), term);
		write("kinds", kinds(), term);
		write("primaries", primaries(), primaryRow);
		write("decisions", decisions(), decisionItem);
	}

	return {draw, phase};
})();
