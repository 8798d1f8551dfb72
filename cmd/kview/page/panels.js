/*
 * Panels: the present, above the picture of a page that is live: stages, kinds,
 * primaries, rates, decisions. Each is written only when it says something
 * else, so that focus and selection stay where they are.
 */
const Panels = (() => {
	const MOST = 500, MINUTE = 60000;
	// Lines of a card; below this width they are below each other.
	const lineCount = () => innerWidth > 1150 ? 5 : 3;
	const written = new Map(), opened = new Set();
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

	/**
	 * Writes it again if `what` is not what it was: so many lines as a card has
	 * room for, the others behind a button. columns: of a table.
	 */
	function write(id, what, fn, columns) {
		const room = columns || id === "decisions" ? lineCount() : 5;
		const full = what.length > room + 1;
		const most = !full ? room + 1 : opened.has(id) ? MOST : room;
		const shown = what.slice(0, most);
		const text = JSON.stringify([shown, full, what.length]);
		if (written.get(id) === text)
			return;
		written.set(id, text);
		const parent = $(id).tBodies ? $(id).tBodies[0] : $(id);
		parent.replaceChildren();
		for (const one of shown)
			fn(parent, one);
		if (full)
			rest(id, parent, what.length - room, columns);
	}

	/** The button that opens and closes a card. */
	function rest(id, parent, count, columns) {
		const open = opened.has(id);
		const line = columns ? make("td", null, make("tr", null, parent))
			: make(parent.tagName === "OL" ? "li" : "dt", null, parent);
		const b = make("button", open ? "less" : `and ${count} more`,
			line, "link");
		if (columns)
			line.colSpan = columns;
		b.type = "button";
		b.setAttribute("aria-expanded", open);
		b.addEventListener("click", () => {
			if (!opened.delete(id))
				opened.add(id);
			$(id).closest("section").classList.toggle("open", !open);
			written.delete(id);
			View.changed();
			draw(drawnAt);
		});
	}

	function term(list, [name, text, bad, title]) {
		make("dt", name, list).title = title || name;
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
			(s.starts > 1 ? `, start ${s.starts}` : ""),
			!s.running]);
		return rows;
	}

	/** Rows of the last minute, by sort. */
	function rates(now) {
		const counts = new Map();
		for (let i = Model.count - 1; i >= 0 &&
		    Model.time[i] > now - MINUTE; i--)
			counts.set(Model.sort[i], (counts.get(Model.sort[i]) || 0) + 1);
		const of = (name) => counts.get(Model.sortOf.get(name)) || 0;
		const waiting = Model.tracks.filter((t) => t.waiting).length;
		return [["writes", String(of("write")), false],
			["failures", String(of("failure")), of("failure") > 0],
			["decisions", String(of("decision")), false],
			["in the queue", String(waiting), false]];
	}

	/** How many there are; the group only where it tells two apart. */
	function kinds() {
		const counts = new Map(), names = new Map();
		for (const t of Model.tracks)
			if (t.there)
				counts.set(t.kind, (counts.get(t.kind) || 0) + 1);
		for (const kind of counts.keys()) {
			const short = Model.shortKind(kind);
			names.set(short, (names.get(short) || 0) + 1);
		}
		return [...counts].sort((a, b) => a[0] < b[0] ? -1 : 1)
			.map(([kind, n]) => [names.get(Model.shortKind(kind)) > 1
				? kind : Model.shortKind(kind),
			n.toLocaleString("en"), false, kind]);
	}

	const isReady = (t) => !t.standing || t.standing.ready === undefined ||
		t.standing.ready === "True";

	function primaries() {
		const kinds = new Set(Model.tracks.filter((t) => t.decides)
			.map((t) => t.kind));
		const all = Model.tracks.filter((t) => t.there && kinds.has(t.kind));
		all.sort((a, b) => isReady(a) - isReady(b) ||
			(a.label < b.label ? -1 : 1));
		const one = new Set(all.map((t) => t.kind)).size < 2;
		return all.map((t) => {
			const s = t.standing || {};
			return [t.index, one ? t.label
				: Model.shortKind(t.kind) + " " + t.label,
			s.phase || "", (s.ready || "") +
				(s.reason ? ", " + s.reason : ""), isReady(t),
			t.waiting ? "waits" : "",
			t.differs && t.differs.size
				? String(t.differs.size) : ""];
		});
	}

	/** What was decided, without the cause and the status on its way. */
	function inShort(text, of) {
		const parts = text.split("; ").filter((p) =>
			!/^(because|by what) /.test(p));
		const [whole, kind, namespace, name, rest] =
			/^(\w+)[.\w]*\/([^/ ]*)\/(\S+)(.*)/
				.exec(parts.at(-1)) || [];
		if (whole && namespace && namespace !== of.namespace)
			return kind + " " + namespace + "/" + name + rest;
		if (whole)
			return kind + (name === of.name ? "" : " " + name) + rest;
		return parts.at(-1).replace(/^.*status: /, "").split(", ")
			.slice(0, 2).join(", ");
	}

	function decisions() {
		const found = [];
		for (let i = Model.count - 1; i >= 0 &&
		    i > Model.count - 5000 && found.length < lineCount(); i--) {
			const text = Model.text[i];
			const t = Model.tracks[Model.track[i]];
			if (Model.SORTS[Model.sort[i]].name === "decision" &&
			    !/^(status to write|status;|nothing is)/.test(text))
				found.push([i, Model.stamp(Model.time[i]).slice(11, 19),
					t.label, inShort(text, t), text]);
		}
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

	function primaryRow(body, [index, name, phaseOf, ready, good, waits,
		differs]) {
		const tr = make("tr", null, body);
		const th = make("th", null, tr);
		th.scope = "row";
		th.title = name;
		link(th, name, () => Model.tracks[index].rows.at(-1) ?? -1);
		make("td", phaseOf, tr).title = phaseOf;
		make("td", ready, tr, good ? "" : "bad").title = ready;
		make("td", waits, tr, "queue");
		make("td", differs, tr, "differs");
	}

	function decisionItem(list, [row, time, name, text, whole]) {
		const li = make("li", time + " ", list);
		link(li, name, () => row);
		li.append(" " + text);
		li.title = whole;
	}

	let drawnAt = 0;

	function draw(now) {
		const all = primaries();
		drawnAt = now;
		write("stages", stages(), term);
		write("rates", rates(now), term);
		write("kinds", kinds(), term);
		write("primaries", all, primaryRow, 5);
		// Columns that would be empty only take room.
		$("primaries").classList.toggle("no-queue", !all.some((p) => p[5]));
		$("primaries").classList.toggle("no-differs", !all.some((p) => p[6]));
		write("decisions", decisions(), decisionItem);
	}

	return {draw, phase};
})();
