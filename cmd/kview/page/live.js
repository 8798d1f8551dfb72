/*
 * Live: lines as they come, by server-sent events. What came is taken once in a
 * frame, and not more than a frame has time for.
 */
const Live = (() => {
	const MOST = 100000, DROP = 20000; // rows
	const FRAME_MS = 12, PANEL_MS = 250, AGAIN_MS = 3000, TELL_MS = 5000,
		DOWN_MS = 3000;
	const $ = (id) => document.getElementById(id);
	const stats = {events: 0, resets: 0, batches: 0};
	let source = null, pending = [], at = 0, asked = false;
	let ahead = 0; // ms that the clock of the server is ahead of ours
	let ended = false, shown = false, paneled = 0, said = "";
	let told = 0, toldAt = -Infinity, movedAt = -Infinity; // rows, when

	// ---- the connection ----

	function say(text, lost) {
		if (text === said)
			return;
		said = text;
		$("connection").textContent = text;
		$("live").classList.toggle("lost", !!lost);
	}

	function connect() {
		source = new EventSource("events");
		source.addEventListener("message", (e) => take(e.data));
		source.addEventListener("reset", () => take(null));
		source.addEventListener("error", () => {
			say("Connection lost, trying again", true);
			if (source.readyState === EventSource.CLOSED)
				setTimeout(connect, AGAIN_MS);
		});
		source.addEventListener("open", summary);
	}

	/** By the kinds of the primaries, so that one of several pages is found. */
	function title() {
		const kinds = new Set(Model.tracks.filter((t) => t.decides)
			.map((t) => Model.shortKind(t.kind)));
		const text = kinds.size === 0 ? "kpipe, live"
			: [...kinds].slice(0, 3).join(", ") + " · live";
		if (document.title === text)
			return;
		document.title = text;
		$("title").textContent = text;
	}

	/** For readers of the screen as well: so it is short, and rare. */
	function summary() {
		if (source.readyState !== EventSource.OPEN)
			return;
		const phase = Panels.phase();
		say(ended ? "The recording has ended"
			: phase ? "Live: " + phase : "Live");
	}

	// ---- what came ----

	function take(data) {
		pending.push(data);
		ask();
	}

	/** A page that is not seen has no frames. */
	function ask() {
		if (asked)
			return;
		asked = true;
		if (document.hidden)
			setTimeout(batch, 1000);
		else
			requestAnimationFrame(batch);
	}

	function batch() {
		const until = performance.now() + FRAME_MS;
		const from = Model.count;
		const forgotten = new Set();
		let again = false;
		asked = false;
		stats.batches++;
		while (at < pending.length &&
		    (document.hidden || performance.now() < until))
			again = event(pending[at++], forgotten) || again;
		if (at === pending.length) {
			pending = [];
			at = 0;
		} else {
			ask();
		}
		finish(from, again, forgotten);
	}

	/** True: all that was drawn is to be drawn again. */
	function event(data, forgotten) {
		if (data === null) {
			stats.resets++;
			View.selected = -1;
			Model.reset();
			Table.renumbered();
			forgotten.clear();
			ended = shown = false;
			View.awaits = location.hash.includes("at=");
			return true;
		}
		let again = false;
		for (const text of data.split("\n"))
			again = line(JSON.parse(text), text, forgotten) || again;
		return again;
	}

	function line(value, text, forgotten) {
		stats.events++;
		if (Array.isArray(value)) {
			learn(Model.push(value, text), value);
		} else if (value.forget !== undefined) {
			forgotten.add(value.forget);
		} else if (value.kind !== undefined && forgotten.has(value.track)) {
			drop(forgotten); // another object has its number
			Model.takeObject(value);
			return true;
		} else if (value.state) {
			Model.state = value.state;
		} else if (value.now) {
			ahead = value.now / 1000 - Date.now();
		} else if (value.ended) {
			ended = true;
		} else {
			Model.takeObject(value);
		}
		return false;
	}

	/** What a row says of the queue, and of another release. */
	function learn(t, value) {
		const d = value[5] || {};
		switch (value[2]) {
		case "decision":
			if (!t.decides)
				Model.changes++;
			t.decides = true;
			// The line of a result may come before that of its decision.
			t.waiting = !(t.settled >= value[0]) && !!(d.items ||
				d.delete || d.finalizers || d.status);
			break;
		case "write":
		case "unchanged":
		case "failure": {
			const p = d.primary && Model.trackOf(d.primary);
			for (const one of p ? [t, p] : [t]) {
				one.waiting = false;
				one.settled = value[0];
			}
			break;
		}
		case "gone":
			t.waiting = false;
			break;
		case "shadow":
			t.differs = t.differs || new Set();
			if (d.change === "gone")
				t.differs.clear();
			else if (d.change === "agrees")
				t.differs.delete(d.object + " " + d.part);
			else
				t.differs.add(d.object + " " + d.part);
		}
	}

	// ---- bounds ----

	function drop(forgotten) {
		const gone = new Set(forgotten);
		View.selected = Model.keep((i) => !gone.has(Model.track[i]),
			View.selected);
		Model.forget(gone);
		forgotten.clear();
		Model.changes++;
		Table.renumbered();
	}

	function finish(from, again, forgotten) {
		if (forgotten.size > 0) {
			drop(forgotten);
			again = true;
		}
		if (Model.count > MOST) {
			const first = Model.count - MOST + DROP;
			View.selected = Model.keep((i) => i >= first, View.selected);
			Table.renumbered();
			again = true;
		}
		if (again)
			View.filter();
		else
			View.append(from);
		if (!shown && at === 0 && Model.count > 0)
			begin();
		tick();
	}

	/** All is there that was: what happened last, or the moment of a link. */
	function begin() {
		shown = true;
		told = Model.count;
		Model.last = now();
		Axis.fold();
		View.open();
		View.now();
		if (!View.awaits)
			return;
		View.read();
		window.kview.linked();
		Picture.reveal();
	}

	/** What came last is in sight, also down the page, unless it is looked at. */
	function goDown() {
		const t = performance.now();
		if (!View.follow || View.selected >= 0 || t - movedAt < DOWN_MS ||
		    $("scroller").matches(":hover, :focus"))
			return;
		movedAt = t;
		Picture.reveal(View.rows.at(-1));
	}

	/** Failures and restarts, to readers of the screen; not each of many. */
	function tell() {
		const GRAVE = ["failure", "restart", "leader", "gap"];
		const t = performance.now();
		told = Math.min(told, Model.count);
		if (told === Model.count || t - toldAt < TELL_MS)
			return;
		for (let i = Model.count - 1; i >= told; i--)
			if (GRAVE.includes(Model.SORTS[Model.sort[i]].name)) {
				View.tell(`${Model.titleOf(i)}: ${Model.text[i]}`);
				toldAt = t;
				break;
			}
		told = Model.count;
	}

	// ---- time goes on ----

	function now() {
		return Model.count === 0 ? Date.now() + ahead
			: ended ? Model.time[Model.count - 1] + 1
			: Math.max(Date.now() + ahead, Model.time[Model.count - 1]);
	}

	function tick() {
		if (Model.count > 0)
			Model.last = Math.max(now(), Model.first + 1000);
		Axis.fold();
		if (shown) {
			tell();
			goDown();
		}
		if (View.follow && shown)
			View.now();
		$("follow").setAttribute("aria-pressed", View.follow);
		const t = performance.now();
		if (t - paneled < PANEL_MS)
			return;
		paneled = t;
		Panels.draw(now());
		title();
		summary();
	}

	function toggle() {
		if (View.follow)
			View.follow = false;
		else
			View.now();
		$("follow").setAttribute("aria-pressed", View.follow);
		View.changed();
	}

	function start() {
		// They change with each event.
		$("summary").removeAttribute("role");
		$("range").removeAttribute("role");
		$("follow").addEventListener("click", toggle);
		$("summary").after($("line"));
		document.addEventListener("visibilitychange", () => {
			if (!document.hidden)
				batch();
		});
		setInterval(() => document.hidden || tick(), PANEL_MS);
		connect();
	}

	window.kviewLive = stats;
	return {start, toggle};
})();
