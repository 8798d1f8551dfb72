#!/bin/bash
# page.sh [EVENTS [OBJECTS]]: how smooth the page of kview is, in Chromium without
# a window and without a graphics card: the time of a frame, in milliseconds, while
# each of them moves, zooms, scrolls or selects, and what a filter and another
# object cost.
set -euo pipefail

cd "$(dirname "$0")/../.."
PATH=$PWD/bin:$PATH
events=${1:-100000} objects=${2:-5000}
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT

t/view/many "$events" "$objects" >"$T/many.jsonl"
begin=$EPOCHREALTIME
kview "$T/many.jsonl" >"$T/many.html"
end=$EPOCHREALTIME
echo "$events events of $objects objects; $(nproc) cores;" \
	"kview $(awk "BEGIN { printf \"%.1f\", $end - $begin }") s," \
	"page of $(($(stat -c %s "$T/many.html") / 1000000)) MB"

# frames WHAT LINE: the line is done before each of 60 frames. Work: scripts;
# frame: from one to the next; beside other processes the least tells most. CPU:
# time of the processor for a frame, the mean of them, whatever else runs.
frames() {
	echo 'kview.view.set({search: "", failures: false}), kview.view.select(-1), kview.view.fit()'
	echo '!cost'
	echo "new Promise((done) => { const work = [], all = []; let before = 0, n = 0;
		const stats = (l) => (l.sort((a, b) => a - b), [l[0], l[l.length >> 1], l[Math.floor(l.length * 0.95)]].map((x) => x.toFixed(1)).join(' '));
		const frame = (now) => { if (n > 1) all.push(now - before); before = now;
			if (n++ > 60) return done('$1|' + stats(work) + '|' + stats(all));
			const t = performance.now(); $2; kview.draw(); work.push(performance.now() - t);
			requestAnimationFrame(frame); }; requestAnimationFrame(frame); })" |
		tr '\n\t' '  '
	printf '\n!cost\n'
}
{
	echo '"opens|" + Math.round(performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd)'
	echo 'new Promise((r) => setTimeout(r, 500))'
	frames "move" 'kview.view.pan(n % 2 ? 0.01 : -0.012)'
	frames "zoom" 'kview.view.zoom(0.97)'
	frames "scroll" 'document.getElementById("scroller").scrollTop += 60'
	frames "next event" 'kview.view.step(n % 3 ? -1 : 1)'
	frames "search" 'kview.view.set({search: "o" + n % 40})'
	frames "failures only" 'kview.view.set({failures: n % 2 === 0})'
	frames "new object" 'const m = kview.model, k = m.tracks.length, i = m.count;
		m.takeObject({track: k, kind: "Part.example.com", namespace: "ns3", name: "n" + n});
		m.push([m.last * 1000 + 1, i, "appeared", k, "created"], "[0,0,0,0,0,{}]");
		kview.view.append(i)'
} | t/view/drive "$T/many.html" 1400x900 | tr -d '"' |
	awk -F'[| ]' 'BEGIN { printf "%-14s %26s %26s %9s\n", "", "work: least median 95 %", "frame: least median 95 %", "CPU" }
		/^opens/ { split($0, p, "|"); print "opens after", p[2], "ms"; next }
		/^[0-9.]+$/ { if (what != "") printf " %9.1f\n", ($1 - cost) / 61; what = ""; cost = $1; next }
		!/[|]/ { next }
		{ split($0, p, "|"); split(p[2], w, " "); split(p[3], f, " "); what = p[1]
		printf "%-14s %12s %6s %6s %12s %6s %6s", what, w[1], w[2], w[3], f[1], f[2], f[3] }'
