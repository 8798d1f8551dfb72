/*
 * The page: reads the data, connects what is drawn with keys, mouse and
 * address.
 */
(() => {
	const $ = (id) => document.getElementById(id);

	// ---- what stands still ----

	function plural(n, noun) {
		return n.toLocaleString("en") + " " + noun + (n === 1 ? "" : "s");
	}

	let summarized = null;

	function summary() {
		if (summarized === View.rows)
			return;
		summarized = View.rows;
		const failures = View.rows.reduce((n, i) =>
			n + (Model.isFailure(i) ? 1 : 0), 0);
		const objects = View.shown.filter((s, k) => k > 0 && s.length).length;
		$("summary").textContent = Model.count === 0 ? ""
			: [plural(View.rows.length, "event") +
				(View.rows.length < Model.count ? " of " +
					Model.count.toLocaleString("en") : ""),
			plural(objects, "object"), plural(failures, "failure"),
			Model.duration(Model.last - Model.first)].join("  ·  ");
	}

	function note(text, strong) {
		const p = document.createElement("p");
		p.textContent = text;
		p.className = strong ? "note strong" : "note";
		$("notes").append(p);
	}

	function notes() {
		const e = Model.end;
		if (e.failure)
			note("The rest could not be read: " + e.failure, true);
		if (Model.count === 0)
			note(e.lines ? "Nothing in this recording is to be shown" +
				(e.only ? " of " + e.only : "") + "."
				: "This recording is empty: it has no lines.", true);
		if (e.cut)
			note("The recording is cut: the end of its last line is " +
				"missing, as after a kill or in a copy of a file " +
				"that was still written.");
		if (e.bad)
			note(plural(e.bad, "line") + " could not be read.");
		if (Model.count && !Model.timed)
			note("The lines have no times (kwatch --timestamps), so " +
				"the axis is their order.");
		if (e.objectsLeftOut)
			note("Of " + plural(e.objectsLeftOut, "object") + " the " +
				"whole text is left out, to keep the page small.");
	}

	/** The values that are not there yet, each in its place. */
	function options(select, values) {
		if (select.options.length === 0)
			select.append(new Option(`all ${select.id}s`, ""));
		const have = new Set([...select.options].map((o) => o.value));
		for (const v of [...new Set(values)].filter(Boolean).sort()) {
			if (have.has(v))
				continue;
			const next = [...select.options].find((o) => o.value > v);
			select.insertBefore(new Option(v, v), next || null);
		}
		select.parentElement.hidden = select.options.length < 3;
		select.setAttribute("aria-label", select.id);
	}

	let choicesOf = -1;

	/** What the filter offers. */
	function choices() {
		if (choicesOf === Model.changes + Model.present.size / 100)
			return;
		choicesOf = Model.changes + Model.present.size / 100;
		const shown = Model.tracks.filter((t) => t.rows.length);
		options($("kind"), shown.map((t) => t.kind));
		options($("namespace"), shown.map((t) => t.namespace));
		document.body.classList.toggle("empty", Model.count === 0);
		legend();
	}

	/** A button for each sort that there is by now. */
	function legend() {
		const have = new Set([...$("legend").children].map((b) =>
			Number(b.dataset.sort)));
		for (const s of Model.SORTS) {
			if (!Model.present.has(s.index) || have.has(s.index))
				continue;
			const b = document.createElement("button");
			const canvas = document.createElement("canvas");
			b.type = "button";
			b.dataset.sort = s.index;
			b.title = "Show or hide";
			canvas.setAttribute("aria-hidden", "true");
			b.append(canvas, s.label);
			b.addEventListener("click", () =>
				View.toggle(View.hidden, s.index));
			const next = [...$("legend").children].find((o) =>
				Number(o.dataset.sort) > s.index);
			$("legend").insertBefore(b, next || null);
			legendOf = "";
		}
	}

	let legendOf = "";

	function drawLegend() {
		const now = Shapes.theme.ink + [...View.hidden] +
			window.devicePixelRatio;
		if (now === legendOf)
			return;
		legendOf = now;
		for (const b of $("legend").children) {
			const sort = Number(b.dataset.sort);
			const c = Shapes.context(b.firstChild, 18, 18);
			c.clearRect(0, 0, 18, 18);
			Shapes.put(c, sort, 9, 9);
			b.setAttribute("aria-pressed", !View.hidden.has(sort));
		}
	}

	const KEYS = [["← →", "move in time"], ["+ −", "zoom"], ["0", "show all"],
		["End", "what happened last"], ["n p", "next, previous event"],
		["↑ ↓", "event of another object"], ["Enter", "details"],
		["/", "search"], ["f", "failures only"], ["q", "quiet objects"],
		["c", "copy the link"], ["Esc", "close"],
		["wheel", "zoom at the pointer"], ["Shift wheel", "scroll objects"],
		["drag", "move"], ["Shift drag", "zoom to a range"],
		["double click", "zoom to a mark"]];

	function keyList() {
		for (const [key, text] of KEYS) {
			const span = document.createElement("span");
			const kbd = document.createElement("kbd");
			kbd.textContent = key;
			span.append(kbd, " " + text);
			$("keys").append(span);
		}
	}

	function toggleKeys() {
		$("keys").hidden = !$("keys").hidden;
		$("help").setAttribute("aria-expanded", !$("keys").hidden);
		View.changed();
	}

	// ---- the filter ----

	function filters() {
		$("search").addEventListener("input", () =>
			View.set({search: $("search").value}));
		$("kind").addEventListener("change", () =>
			View.set({kind: $("kind").value}));
		$("namespace").addEventListener("change", () =>
			View.set({namespace: $("namespace").value}));
		$("failures").addEventListener("change", () =>
			View.set({failures: $("failures").checked}));
		$("quiet").addEventListener("change", () =>
			View.set({quiet: $("quiet").checked}));
		$("tools").addEventListener("submit", (e) => e.preventDefault());
		$("in").addEventListener("click", () => View.zoom(0.5));
		$("out").addEventListener("click", () => View.zoom(2));
		$("fit").addEventListener("click", () => View.fit());
		$("latest").addEventListener("click", latest);
		$("help").addEventListener("click", toggleKeys);
	}

	function showFilter() {
		for (const id of ["search", "kind", "namespace"])
			if ($(id).value !== View[id])
				$(id).value = View[id];
		$("failures").checked = View.failures;
		$("quiet").checked = View.quiet;
	}

	// ---- keys ----

	const ACTIONS = {
		"+": () => View.zoom(0.6), "=": () => View.zoom(0.6),
		"-": () => View.zoom(1 / 0.6), "0": () => View.fit(),
		"ArrowLeft": () => View.pan(-0.15),
		"ArrowRight": () => View.pan(0.15),
		"n": () => step(1), "p": () => step(-1),
		"f": () => View.set({failures: !View.failures}),
		"q": () => View.set({quiet: !View.quiet}),
		"c": Details.copyLink, "End": latest,
		"/": () => $("search").focus(), "?": toggleKeys,
		"Escape": () => View.select(-1),
		"l": () => Model.live && Live.toggle(),
	};

	function step(by) {
		View.step(by);
		Picture.reveal();
	}

	function latest() {
		View.open();
		Picture.reveal(View.rows.at(-1));
	}

	/** In the picture, where they do not scroll. */
	const ACROSS = {"ArrowDown": 1, "ArrowUp": -1};

	function keys() {
		document.addEventListener("keydown", (e) => {
			const tag = e.target.tagName;
			if (e.ctrlKey || e.altKey || e.metaKey)
				return;
			if (tag === "INPUT" || tag === "SELECT") {
				if (e.key === "Escape")
					e.target.blur();
				return;
			}
			if (ACTIONS[e.key]) {
				ACTIONS[e.key]();
				e.preventDefault();
			}
		});
		$("scroller").addEventListener("keydown", (e) => {
			if (e.key === "Enter" && View.selected >= 0)
				Details.focus();
			if (!ACROSS[e.key])
				return;
			View.across(ACROSS[e.key]);
			Picture.reveal();
			e.preventDefault();
		});
	}

	// ---- the mouse ----

	const at = (e) => {
		const box = $("picture").getBoundingClientRect();
		return {x: e.clientX - box.left, y: e.clientY - box.top};
	};

	function wheel(e) {
		const p = at(e);
		if (Picture.isLabel(p.x) || (e.shiftKey && !e.deltaX))
			return;
		e.preventDefault();
		if (e.deltaX && Math.abs(e.deltaX) > Math.abs(e.deltaY))
			View.pan(Picture.share(e.deltaX));
		else
			View.zoom(Math.exp(Math.sign(e.deltaY) *
				Math.min(Math.abs(e.deltaY), 100) * 0.002),
			Picture.time(p.x));
	}

	function press(e) {
		const p = at(e), line = Picture.lineAt(p.y);
		if (e.button !== 0)
			return;
		if (Picture.isLabel(p.x) && !Picture.isAxis(p.y)) {
			if (line && line.kind !== undefined)
				View.toggle(View.closed, line.kind);
			else if (line && line.more !== undefined)
				View.toggle(View.opened, line.more);
			else if (line && line.parent)
				View.toggle(View.closed, line.track.index);
			return;
		}
		drag(e, p);
	}

	function drag(e, from) {
		const start = {from: Axis.at(View.from), to: Axis.at(View.to)};
		const range = e.shiftKey || Picture.isAxis(from.y);
		const begun = Picture.time(from.x);
		let moved = false;
		const move = (m) => {
			const p = at(m);
			moved = moved || Math.abs(p.x - from.x) > 3;
			if (!moved || range)
				return;
			const by = Picture.share(from.x - p.x) *
				(start.to - start.from);
			View.show(Axis.time(start.from + by),
				Axis.time(start.to + by));
		};
		const up = (m) => {
			window.removeEventListener("mousemove", move);
			window.removeEventListener("mouseup", up);
			const end = Picture.time(at(m).x);
			if (!moved)
				click(from);
			else if (range)
				View.show(Math.min(begun, end), Math.max(begun, end));
		};
		window.addEventListener("mousemove", move);
		window.addEventListener("mouseup", up);
	}

	function click(p) {
		const mark = Picture.markAt(p.x, p.y);
		View.select(mark ? mark.best : -1);
	}

	function zoomToMark(e) {
		const p = at(e), mark = Picture.markAt(p.x, p.y);
		if (!mark || mark.to - mark.from < 2)
			return;
		const a = Model.time[mark.list[mark.from]];
		const b = Model.time[mark.list[mark.to - 1]];
		View.show(a - (b - a) * 0.2, b + (b - a) * 0.2);
	}

	function hover(e) {
		const p = at(e), mark = e.buttons ? null : Picture.markAt(p.x, p.y);
		const tip = $("tip");
		const fold = Picture.isAxis(p.y) && Axis.foldAt(Picture.time(p.x));
		$("picture").style.cursor = mark || Picture.isLabel(p.x)
			? "pointer" : Picture.isAxis(p.y) ? "col-resize" : "grab";
		tip.hidden = !mark && !fold;
		if (fold)
			showTip(p, Model.duration(fold.to - fold.from) +
				" without an event are folded here");
		if (!mark)
			return;
		const i = mark.best, count = mark.to - mark.from;
		const lines = [Model.stamp(Model.time[i]),
			Model.SORTS[Model.sort[i]].label + ": " + Model.text[i]];
		if (count > 1)
			lines.push(`and ${count - 1} more here (double click)`);
		showTip(p, lines.join("\n"));
	}

	function showTip(p, text) {
		const tip = $("tip");
		tip.textContent = text;
		const box = $("scroller").getBoundingClientRect();
		tip.style.left = Math.max(8, Math.min(box.left + p.x + 12,
			innerWidth - tip.offsetWidth - 12)) + "px";
		tip.style.top = box.top + p.y + 18 + "px";
	}

	function mouse() {
		const canvas = $("picture"), overview = $("overview");
		canvas.addEventListener("wheel", wheel, {passive: false});
		canvas.addEventListener("mousedown", press);
		canvas.addEventListener("dblclick", zoomToMark);
		canvas.addEventListener("mousemove", hover);
		canvas.addEventListener("mouseleave", () => $("tip").hidden = true);
		$("scroller").addEventListener("scroll", View.changed);
		const centre = (e) => {
			const at = Axis.at(Overview.time(e.offsetX));
			const half = (Axis.at(View.to) - Axis.at(View.from)) / 2;
			if (e.buttons & 1)
				View.show(Axis.time(at - half),
					Axis.time(at + half));
		};
		overview.addEventListener("mousedown", centre);
		overview.addEventListener("mousemove", centre);
	}

	// ---- drawing ----

	/** A link may name what this page has not. */
	function linked() {
		if (View.missing)
			note(`The link names ${View.missing}, of which nothing ` +
				"is here.", true);
		View.missing = "";
	}

	function draw() {
		choices();
		showFilter();
		summary();
		drawLegend();
		Overview.draw();
		Details.draw();
		Picture.draw();
		Table.draw();
		View.write();
	}

	function theme() {
		Shapes.readTheme();
		View.changed();
	}

	function printing(on) {
		document.documentElement.classList.toggle("printing", on);
		Shapes.readTheme();
		Picture.printing(on);
		Table.printing(on);
		draw();
	}

	function start() {
		const data = $("data");
		Model.read(data.textContent);
		data.textContent = ""; // it is in the model now
		$("title").textContent = document.title;
		if (!Model.timed)
			$("when").textContent = "Line";
		for (const part of [Picture, Overview, Table, Details])
			part.start();
		if (Model.live)
			KEYS.push(["l", "follow now, or stop"]);
		keyList();
		if (!Model.live)
			notes();
		filters();
		keys();
		mouse();
		Shapes.readTheme();
		View.listen(draw);
		View.read();
		linked();
		draw();
		Picture.reveal(View.selected < 0 ? View.rows.at(-1) : View.selected);
		if (Model.live)
			Live.start();
		window.addEventListener("resize", View.changed);
		window.addEventListener("hashchange", () => {
			View.read();
			linked();
			Picture.reveal();
		});
		window.addEventListener("beforeprint", () => printing(true));
		window.addEventListener("afterprint", () => printing(false));
		matchMedia("(prefers-color-scheme: dark)")
			.addEventListener("change", theme);
		document.documentElement.dataset.ready = "true";
	}

	/** For tests: what is there, and how much was drawn last. */
	window.kview = {model: Model, view: View, axis: Axis, draw, linked,
		picture: Picture, stats: Picture.stats};
	start();
})();
