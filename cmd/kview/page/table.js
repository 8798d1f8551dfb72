/*
 * Table: the rows of the filter as a real table, a page of it at a time. One
 * row is in the order of focus; arrow keys move between rows.
 */
const Table = (() => {
	const PAGE = 100, PRINTED = 1000;
	let body, table, page = 0, current = -1, drawnOf = null, drawnPage = -1;
	let size = PAGE;

	const pages = () => Math.max(1, Math.ceil(View.rows.length / size));

	function start() {
		table = document.querySelector("#rows table");
		body = table.tBodies[0];
		body.addEventListener("click", (e) => pick(e.target.closest("tr")));
		body.addEventListener("keydown", key);
		const go = (id, fn) => document.getElementById(id)
			.addEventListener("click", () => turn(fn()));
		go("first", () => 0);
		go("previous", () => page - 1);
		go("next", () => page + 1);
		go("last", () => pages() - 1);
	}

	function pick(tr) {
		if (!tr)
			return;
		current = Number(tr.dataset.row);
		View.select(current);
	}

	function turn(to) {
		page = Math.min(Math.max(to, 0), pages() - 1);
		draw();
	}

	const KEYS = {
		ArrowDown: (at) => at + 1, ArrowUp: (at) => at - 1,
		PageDown: (at) => at + size, PageUp: (at) => at - size,
		Home: () => 0, End: () => View.rows.length - 1,
	};

	function key(e) {
		const tr = e.target.closest("tr");
		if (e.key === "Enter" || e.key === " ") {
			pick(tr);
			Details.focus();
			e.preventDefault();
			return;
		}
		if (!KEYS[e.key] || e.ctrlKey || e.altKey || e.metaKey)
			return;
		e.preventDefault();
		e.stopPropagation();
		const at = KEYS[e.key](View.place(Number(tr.dataset.row)));
		focus(Math.min(Math.max(at, 0), View.rows.length - 1));
	}

	/** Moves the focus to the row at that place of the filter. */
	function focus(at) {
		page = Math.floor(at / size);
		current = View.rows[at];
		draw();
		const tr = body.querySelector('tr[tabindex="0"]');
		if (tr)
			tr.focus();
	}

	function cell(tr, text, tag = "td") {
		const td = document.createElement(tag);
		td.textContent = text;
		tr.append(td);
		return td;
	}

	function row(at) {
		const i = View.rows[at], tr = document.createElement("tr");
		const sort = Model.SORTS[Model.sort[i]];
		const t = Model.tracks[Model.track[i]];
		tr.dataset.row = i;
		tr.className = "sort-" + sort.name;
		tr.setAttribute("aria-rowindex", at + 2);
		const when = cell(tr, Model.stamp(Model.time[i]));
		when.className = "when";
		cell(tr, sort.label).className = "what";
		const object = cell(tr, t.index === 0 ? "" : Model.shortKind(t.kind) +
			" ");
		object.className = "object";
		const name = document.createElement("b");
		name.textContent = t.label;
		object.append(name);
		cell(tr, Model.text[i]).className = "text";
		return tr;
	}

	function follow() {
		if (View.selected < 0 || View.selected === current)
			return;
		const at = View.place(View.selected);
		if (View.rows[at] !== View.selected)
			return;
		current = View.selected;
		page = Math.floor(at / size);
	}

	/** Live, the last page stays the last, unless it is read by keys. */
	let last = true, filled = 0;

	function draw() {
		const reads = body.contains(document.activeElement);
		follow();
		if (View.follow && last && !reads)
			page = pages() - 1;
		page = Math.min(page, pages() - 1);
		if (drawnOf !== View.rows || drawnPage !== page) {
			if (Model.live && drawnPage === page && !due())
				return;
			fill(reads);
		}
		last = page === pages() - 1;
		mark();
	}

	/** A few times in a second is enough for rows that only follow. */
	function due() {
		const now = performance.now();
		if (now - filled < 200) {
			setTimeout(View.changed, 200);
			return false;
		}
		filled = now;
		return true;
	}

	function fill(reads) {
		const focused = reads &&
			document.activeElement.closest("tr")?.dataset.row;
		const from = page * size;
		const to = Math.min(from + size, View.rows.length);
		const rows = [];
		for (let at = from; at < to; at++)
			rows.push(row(at));
		body.replaceChildren(...rows);
		if (focused)
			body.querySelector(`tr[data-row="${focused}"]`)?.focus();
		table.setAttribute("aria-rowcount", View.rows.length + 1);
		document.getElementById("range").textContent =
			View.rows.length === 0 ? "nothing matches"
			: `${from + 1} to ${to} of ${View.rows.length}`;
		for (const [id, off] of [["first", page === 0],
			["previous", page === 0], ["next", page >= pages() - 1],
			["last", page >= pages() - 1]])
			document.getElementById(id).disabled = off;
		drawnOf = View.rows;
		drawnPage = page;
	}

	function mark() {
		let target = null;
		for (const tr of body.rows) {
			const i = Number(tr.dataset.row);
			tr.toggleAttribute("data-selected", i === View.selected);
			tr.setAttribute("aria-current", i === View.selected);
			tr.tabIndex = -1;
			if (i === current)
				target = tr;
		}
		target = target || body.rows[0];
		if (!target)
			return;
		target.tabIndex = 0;
		if (Number(target.dataset.row) === View.selected)
			target.scrollIntoView({block: "nearest"});
	}

	/** For printing: as many rows as paper is worth. */
	function printing(on) {
		size = on ? PRINTED : PAGE;
		drawnPage = -1;
		draw();
	}

	/** The rows have other numbers now. */
	function renumbered() {
		current = -1;
		drawnPage = -1;
	}

	return {start, draw, focus, printing, renumbered};
})();
