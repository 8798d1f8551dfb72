/*
 * Details: all that is known of the selected row. Every text of the recording
 * comes into the page as text, never as markup.
 */
const Details = (() => {
	let aside, drawn = -2;

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

	/** Writes a text in which an arrow is not broken at the end of a line. */
	function write(e, text) {
		const parts = text.split("->");
		parts.forEach((part, k) => {
			if (k > 0)
				make("span", "->", e, "arrow");
			e.append(part);
		});
	}

	function start() {
		aside = document.getElementById("details");
	}

	function link(i, parent) {
		const t = Model.tracks[Model.track[i]];
		const b = make("button", Model.shortKind(t.kind) + " " + t.label,
			parent, "link");
		b.type = "button";
		b.addEventListener("click", () => View.select(i));
		return b;
	}

	function term(list, name, text) {
		if (text === undefined || text === null || text === "")
			return;
		make("dt", name, list);
		make("dd", String(text), list);
	}

	// ---- the difference ----

	function value(parent, text, className, label) {
		const td = make("td", null, parent, className);
		if (text === null || text === undefined)
			make("i", "absent", td);
		else if (text === true)
			make("i", "not shown", td);
		else
			make("code", text, td).setAttribute("aria-label",
				label + " " + text);
	}

	function fields(list, heads, more) {
		const table = make("table", null, null, "fields");
		const tr = make("tr", null, make("thead", null, table));
		for (const h of heads)
			make("th", h, tr).scope = "col";
		const body = make("tbody", null, table);
		for (const [path, before, after] of list) {
			const row = make("tr", null, body, "path");
			const th = make("th", path, row);
			th.scope = "row";
			th.colSpan = 2;
			const pair = make("tr", null, body);
			value(pair, before, "before", heads[0]);
			value(pair, after, "after", heads[1]);
		}
		if (more)
			make("caption", `and ${more} more fields`, table);
		return table;
	}

	function section(title) {
		make("h3", title, aside);
	}

	// ---- why ----

	function causes(i) {
		const all = Model.causes(i);
		if (all.length === 0)
			return;
		section("Because of");
		const ul = make("ul", null, aside);
		for (const {event, row} of all) {
			if (event.timer) {
				make("li", "a timer: " + event.timer, ul);
				continue;
			}
			const li = make("li", (event.type || "").toLowerCase() + " ", ul);
			if (row >= 0)
				link(row, li);
			else
				make("b", event.kind + " " + (event.namespace ?
					event.namespace + "/" : "") + event.name, li);
			if (event.manager)
				make("span", " by " + event.manager, li);
		}
		const more = (Model.details(i).because || {}).moreEvents;
		if (more)
			make("li", `and ${more} more`, ul);
	}

	function items(because) {
		const known = because.items || {};
		const keys = Object.keys(known).filter((k) => k.includes("/"));
		if (keys.length === 0)
			return;
		section("Items that differ");
		for (const k of keys) {
			const it = known[k];
			make("p", k + (it.gone ? " is gone" : it.repair ?
				" (changed back)" : ""), aside, "item");
			const list = it.differs || [];
			if (list.length)
				aside.append(fields(list.map((d) =>
					[d.path, d.observed, d.wanted]),
				["Observed", "Wanted"], it.moreDiffers));
		}
	}

	function why(i, d) {
		causes(i);
		const because = d.because;
		if (!because)
			return;
		if (typeof because === "string") {
			section("Why");
			make("p", because, aside);
			return;
		}
		items(because);
	}

	function keys(title, list) {
		if (!list || list.length === 0)
			return;
		section(title);
		const ul = make("ul", null, aside);
		for (const k of list)
			make("li", k, ul);
	}

	function json(title, data, open) {
		if (data === undefined || data === null)
			return;
		const box = make("details", null, aside);
		box.open = open;
		make("summary", title, box);
		make("pre", JSON.stringify(data, null, 2), box);
	}

	// ---- the row ----

	function head(i, t, sort) {
		const bar = make("div", null, aside, "bar");
		const h = make("h2", null, bar);
		make("span", sort.label, h, "badge sort-" + sort.name);
		const close = make("button", "×", bar, "close");
		close.type = "button";
		close.setAttribute("aria-label", "Close the details");
		close.addEventListener("click", () => View.select(-1));
		write(make("p", null, aside, "text"), Model.text[i] || sort.label);
		const list = make("dl", null, aside);
		term(list, "Object", t.index === 0 ? "the pipeline"
			: t.kind + " " + t.label);
		term(list, "Time", Model.timed ? Model.stamp(Model.time[i]) + " UTC"
			: "");
		term(list, "From", Model.place(i).replace(/^.*\//, ""));
		list.lastChild.title = Model.place(i);
		return list;
	}

	/** The address of the page keeps the moment, the object and the filter. */
	async function copyLink() {
		View.write();
		try {
			await navigator.clipboard.writeText(location.href);
			View.tell("The link is copied");
		} catch (e) {
			View.tell("The link is in the address of the page");
		}
		const b = document.getElementById("link");
		if (b)
			b.textContent = document.getElementById("told").textContent;
	}

	function neighbours(i, t) {
		const at = Model.lower(t.rows, Model.time[i]);
		const here = t.rows.indexOf(i, at);
		const p = make("p", null, aside, "steps");
		for (const [text, row] of [["‹ Before", t.rows[here - 1]],
			["After ›", t.rows[here + 1]]]) {
			const b = make("button", text, p);
			b.type = "button";
			b.disabled = row === undefined;
			b.addEventListener("click", () => View.select(row));
		}
		make("span", `${here + 1} of ${t.rows.length} of this object`, p);
		const copy = make("button", "Copy link", p);
		copy.type = "button";
		copy.id = "link";
		copy.title = "Copy a link to this moment ( c )";
		copy.addEventListener("click", copyLink);
	}

	function draw() {
		if (View.selected === drawn)
			return;
		drawn = View.selected;
		aside.hidden = drawn < 0;
		aside.replaceChildren();
		if (drawn < 0)
			return;
		const i = drawn, d = Model.details(i);
		const t = Model.tracks[Model.track[i]];
		const list = head(i, t, Model.SORTS[Model.sort[i]]);
		term(list, "Version", d.version);
		term(list, "Written by", d.manager);
		term(list, "Tool", d.tool);
		term(list, "For", d.primary);
		term(list, "Program", d.program);
		neighbours(i, t);
		if (d.message) {
			section("Message");
			make("p", d.message, aside, "message");
		}
		if (d.fields) {
			section("Changed fields");
			aside.append(fields(d.fields, ["Before", "After"], d.more));
		}
		if (d.differs) {
			section("This release, the other");
			aside.append(fields(d.differs.map((f) =>
				[f.path, f.before, f.after]), ["Before", "After"]));
		}
		why(i, d);
		keys("Items", d.items);
		keys("To delete", d.delete);
		json("Refused", d.refused, true);
		json("Held back: changed by another", d.loops, true);
		json("Finalizers", d.finalizers, true);
		json("Status", d.status, true);
		json("Stages", d.stages, true);
		json("The object's last recorded version", t.object, false);
	}

	return {start, draw, write, copyLink, renumbered: () => drawn = View.selected,
		focus: () => requestAnimationFrame(() => aside.focus())};
})();
