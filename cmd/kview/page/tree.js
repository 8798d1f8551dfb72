/*
 * Tree: the lines of the picture: the pipeline, then roots by kind, primaries
 * first, each above what belongs to it. What nothing happened to is behind a line
 * "N more", and so are, at the end, objects that no primary names.
 */
const Tree = (() => {
	const numbers = new Intl.Collator("en", {numeric: true}).compare;
	const order = (a, b) => numbers(a.namespace, b.namespace) ||
		numbers(a.name, b.name);
	const DEEPEST = 32, FEWEST = 2; // a line is no shorter than one that it hides

	let children = null, kinds = null, builtOf = -1, primaries = null;
	let sorted = []; // all by name, from the last time: new ones are few

	/** The track above; those that were only mentioned are passed over. */
	function above(t) {
		let p = Model.tracks[t.parent], depth = 0;
		while (p && p.index > 0 && p.rows.length === 0 && !p.there &&
		    depth++ < DEEPEST)
			p = Model.tracks[p.parent];
		return p && p.index > 0 && p !== t ? p : null;
	}

	function build() {
		const decides = new Set();
		builtOf = Model.changes;
		children = new Map();
		kinds = new Map();
		sorted = sorted.filter((t) => Model.tracks[t.index] === t);
		sorted = sorted.concat(Model.tracks.slice(1 + sorted.length))
			.sort(order);
		for (const t of sorted) {
			t.above = above(t);
			t.short = t.above && t.above.namespace === t.namespace
				? t.name : t.label;
			if (t.decides)
				decides.add(t.kind);
			t.named = Model.named.size > 0 &&
				Model.named.has(Model.key(t));
			const list = t.above ? children : kinds;
			const key = t.above ? t.above.index : t.kind;
			if (!list.has(key))
				list.set(key, []);
			list.get(key).push(t);
		}
		for (const list of children.values())
			list.sort((a, b) => a.kind < b.kind ? -1
				: a.kind > b.kind ? 1 : 0);
		const rank = (k) => decides.has(k) ? 0
			: kinds.get(k).some((t) => children.has(t.index)) ? 1 : 2;
		const names = [...kinds.keys()];
		names.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
		kinds = names.map((kind) => ({kind,
			roots: kinds.get(kind)}));
		primaries = decides;
	}

	/** More happened to it, since then, than that it was there. */
	function isLively(list, since) {
		for (let k = list.length - 1; k >= 0 &&
		    Model.time[list[k]] >= since; k--)
			if (Model.SORTS[Model.sort[list[k]]].name !== "present")
				return true;
		return false;
	}

	/** "12 more: ConfigMap 10, Secret 2" */
	function more(key, nodes, depth) {
		const counts = new Map();
		for (const n of nodes) {
			const kind = Model.shortKind(n.track.kind);
			counts.set(kind, (counts.get(kind) || 0) + 1);
		}
		return {more: key, depth, label: `${nodes.length} more: ` +
			[...counts].map(([kind, n]) => counts.size > 1
				? `${kind} ${n}` : kind).join(", ")};
	}

	/**
	 * The lines of one call. wanted: tracks that are to be seen, with those above
	 * them; all: nothing is out of the way.
	 */
	function growth(v) {
		const wanted = new Set();
		for (let t = v.selected < 0 ? null
			: Model.tracks[Model.track[v.selected]];
			t && !wanted.has(t); t = t.above)
			wanted.add(t);
		return {v, wanted, all: v.quiet || v.search !== "" || v.kind !== "" ||
			!v.shown.some((list, k) => k > 0 && isLively(list, -Infinity))};
	}

	/** A track and what is below it; null if the filter leaves nothing. */
	function node(g, t, depth) {
		const below = [], list = g.v.shown[t.index] || [];
		let lively = g.wanted.has(t) || isLively(list, g.v.since);
		let named = primaries.has(t.kind) || t.named || g.wanted.has(t);
		for (const c of depth < DEEPEST && children.get(t.index) || []) {
			const n = node(g, c, depth + 1);
			if (n === null)
				continue;
			below.push(n);
			lively = lively || n.lively;
			named = named || n.named;
		}
		return list.length === 0 && below.length === 0 ? null
			: {track: t, below, lively, named};
	}

	function add(g, lines, n, depth) {
		const shut = g.v.closed.has(n.track.index);
		lines.push({track: n.track, depth, shut,
			parent: n.below.length > 0});
		if (!shut)
			addAll(g, lines, n.below, n.track.index, depth + 1);
	}

	/** Those to which something happened, then the others behind one line. */
	function addAll(g, lines, nodes, key, depth) {
		const still = g.all ? [] : nodes.filter((n) => !n.lively);
		const hides = still.length >= FEWEST;
		for (const n of nodes)
			if (n.lively || !hides)
				add(g, lines, n, depth);
		if (!hides)
			return;
		const shut = !g.v.opened.has(key);
		lines.push(Object.assign(more(key, still, depth), {shut}));
		if (!shut)
			for (const n of still)
				add(g, lines, n, depth);
	}

	function addKind(g, lines, kind, nodes) {
		const shut = g.v.closed.has(kind);
		lines.push({kind, shut, count: nodes.length});
		if (!shut)
			addAll(g, lines, nodes, kind, 0);
	}

	function lines(v) {
		if (builtOf !== Model.changes)
			build();
		const g = growth(v), found = [], aside = [];
		if (v.shown.length && v.shown[0].length)
			found.push({track: Model.tracks[0], depth: 0});
		for (const {kind, roots} of kinds) {
			const nodes = roots.map((t) => node(g, t, 0))
				.filter(Boolean);
			const isMeant = (n) => g.all || primaries.size === 0 || n.named;
			const main = nodes.filter(isMeant);
			const rest = nodes.filter((n) => !isMeant(n));
			if (main.length)
				addKind(g, found, kind, main);
			if (rest.length)
				aside.push([kind, rest]);
		}
		if (aside.length === 0)
			return found;
		const shut = !v.opened.has("");
		found.push(Object.assign(more("", aside.flatMap(([, nodes]) => nodes),
			0), {shut}));
		if (!shut)
			for (const [kind, nodes] of aside)
				addKind(g, found, kind, nodes);
		return found;
	}

	return {lines};
})();
