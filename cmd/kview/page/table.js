/*
 * Table: the rows of the filter as a real table, the newest first, a page of it
 * at a time. One row is in the order of focus; arrow keys move between rows. While
 * a page that is live does not follow, or is read by keys, newer rows wait.
 */
const Table = (() => {
	const PAGE = 100, PRINTED = 1000;
	let body, table, page = 0, current = -1, drawn = "", size = PAGE;

	let held = null; // so many rows are shown, the newest of them first

	const count = () => Math.min(held ?? Infinity, View.rows.length);
	const pages = () => Math.max(1, Math.ceil(count() / size));
	/** The row at a place in the table, and back. */
	const rowAt = (at) => View.rows[count() - 1 - at];
	const placeOf = (i) => count() - 1 - View.place(i);

	function start() {
		table = document.querySelector("#rows table");
		body = table.tBodies[0];
		body.addEventListener("click", (e) => pick(e.target.closest("tr")));
		body.addEventListener("keydown", key);
		const go = (id, fn) => document.getElementById(id)
			.addEventListener("click", () => turn(fn()));
		go("newest", () => 0);
		go("newer", () => page - 1);
		go("older", () => page + 1);
		go("oldest", () => pages() - 1);
	}

	function pick(tr) {
		if (!tr)
			return;
		current = Number(tr.dataset.row);
		View.select(current);
	}

	function turn(to) {
		if (to === 0)
			held = null;
		page = Math.min(Math.max(to, 0), pages() - 1);
		draw();
	}

	const KEYS = {
		ArrowDown: (at) => at + 1, ArrowUp: (at) => at - 1,
		PageDown: (at) => at + size, PageUp: (at) => at - size,
		Home: () => 0, End: () => count() - 1,
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
		const at = KEYS[e.key](placeOf(Number(tr.dataset.row)));
		focus(Math.min(Math.max(at, 0), count() - 1));
	}

	/** Moves the focus to the row at that place of the filter. */
	function focus(at) {
		page = Math.floor(at / size);
		current = rowAt(at);
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
		const i = rowAt(at), tr = document.createElement("tr");
		const sort = Model.SORTS[Model.sort[i]];
		const t = Model.tracks[Model.track[i]];
		tr.dataset.row = i;
		tr.className = "sort-" + sort.name;
		tr.setAttribute("aria-rowindex", at + 2);
		const when = cell(tr, Model.clock(Model.time[i]));
		when.className = "when";
		when.title = Model.stamp(Model.time[i]);
		cell(tr, sort.label).className = "what";
		const object = cell(tr, t.index === 0 ? "" : Model.shortKind(t.kind) +
			" ");
		object.className = "object";
		const name = document.createElement("b");
		name.textContent = t.label;
		object.append(name);
		const text = cell(tr, "");
		text.className = "text";
		Details.write(text, Model.text[i]);
		return tr;
	}

	function follow() {
		if (View.selected < 0 || View.selected === current)
			return;
		if (View.rows[View.place(View.selected)] !== View.selected)
			return;
		current = View.selected;
		if (placeOf(current) < 0)
			held = null;
		page = Math.floor(placeOf(current) / size);
	}

	let filled = 0, filteredOf = 0;

	function draw() {
		const reads = body.contains(document.activeElement);
		if (filteredOf !== View.filtered) {
			filteredOf = View.filtered;
			held = null;
			page = 0;
			current = -1;
		}
		if (!Model.live || (View.follow && !reads && page === 0))
			held = null;
		else
			held = held ?? View.rows.length;
		follow();
		page = Math.min(page, pages() - 1);
		const shown = `${View.filtered} ${count()} ${page}`;
		if (drawn !== shown) {
			if (drawn !== "" && Model.live && !due())
				return;
			fill(reads);
			drawn = shown;
		}
		range();
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
		const rows = [];
		for (let at = page * size; at < end(); at++)
			rows.push(row(at));
		body.replaceChildren(...rows);
		if (focused)
			body.querySelector(`tr[data-row="${focused}"]`)?.focus();
		table.setAttribute("aria-rowcount", count() + 1);
		table.classList.toggle("days", Model.timed &&
			Model.clock(Model.first).length > 12);
	}

	const end = () => Math.min((page + 1) * size, count());

	function range() {
		const newer = View.rows.length - count();
		const text = count() === 0 ? "nothing matches"
			: `${page * size + 1} to ${end()} of ${count()}` +
			(newer ? `, ${newer} newer` : "");
		const p = document.getElementById("range");
		if (p.textContent !== text)
			p.textContent = text;
		for (const [id, off] of [["newest", page === 0 && !newer],
			["newer", page === 0], ["older", page >= pages() - 1],
			["oldest", page >= pages() - 1]])
			document.getElementById(id).disabled = off;
	}

	let scrolledTo = -1;

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
		if (Number(target.dataset.row) === View.selected &&
		    scrolledTo !== View.selected)
			target.scrollIntoView({block: "nearest"});
		scrolledTo = View.selected;
	}

	/** For printing: as many rows as paper is worth. */
	function printing(on) {
		size = on ? PRINTED : PAGE;
		drawn = "";
		draw();
	}

	/** The rows have other numbers now. */
	function renumbered() {
		current = -1;
		held = null;
		drawn = "";
	}

	return {start, draw, focus, printing, renumbered};
})();
