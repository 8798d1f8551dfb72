#!/bin/bash
# ireconcile: members that are left over when their primary is gone.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches 'finalizer: example.com/cleaner' dependents: \
	'- {apiVersion: v1, kind: Namespace, manage: true}' \
	'- {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}' \
	'- {apiVersion: v1, kind: Secret, map: {label: thing}}'
echo 'def desired: [];' >"$T/program.jq"

# member KIND NAME RV PRIMARY [METADATA]: an object with the marks of a member
# of the Thing NAMESPACE/NAME
member() {
	where=other object "$1" "$2" "$3" \
		"$(marks "$1/other/$2" "Thing.example.com/$4")${5:+,$5}"
}
has=$(thing a 1 '"finalizers":["example.com/cleaner"]')
left() { # KEY PRIMARY
	echo "ireconcile: warning: thing.example.com $2: $1 is an orphan: it belongs to this object, which does not exist"
}
# orphans WHAT LOG [NUMBER]: of $T/in
orphans() {
	ireconcile -f "$T/watches.yaml" --clock=input --report-fd=8 \
		<"$T/in" >"$T/out" 2>"$T/err" 8>"$T/report"
	is "$(<"$T/err")" "$2" "$1"
	is "$(<"$T/out")" "" "... nothing is printed"
	[ $# -lt 3 ] || is "$(jq '.metrics["kpipe_orphans{controller=\"thing.example.com\"}"] | select(. != null)' "$T/report" | tail -n 1)" \
		"$3" "... number of orphans"
}

# An orphan from the start, beside several objects that are not orphans.
given initially "$has" "$(member ConfigMap lost 2 ns/gone)" \
	"$(member ConfigMap dying 2 ns/gone "$dying")" \
	"$(member ConfigMap copied 2 ns/gone | sed 's/other\/copied/other\/x/')" \
	"$(member Secret unmanaged 2 ns/gone '"x":1' | sed 's/"labels":{/&"thing":"gone",/')" \
	"$(object ConfigMap owned 2 "$(owner gone)")"
and tick 00:09.9
orphans "one look is not enough" "" 1
tick 00:10 >>"$T/in"
orphans "what is left over is said" "$(left ConfigMap/other/lost ns/gone)" 1
tick 59:00 >>"$T/in"
orphans "... once" "$(left ConfigMap/other/lost ns/gone)" 1
and event DELETED "$(member ConfigMap lost 3 ns/gone)"
and tick 59:40
orphans "... and is not one when it is deleted" \
	"$(left ConfigMap/other/lost ns/gone)" 0

# Its primary is deleted, and the member a moment later, or not at all.
given initially "$(thing b 1)"
and event DELETED "$(thing b 2)" 2026-01-01T00:01:00Z
and event ADDED "$(member ConfigMap late 3 ns/b)"
and event DELETED "$(member ConfigMap late 4 ns/b)" 2026-01-01T00:01:09Z
and tick 05:00
sed -i '/finalizer/d;/Namespace/d;/namespaces/d' "$T/watches.yaml"
echo '  - {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}' \
	>>"$T/watches.yaml"
ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>"$T/err" >"$T/out"
says "" "a member that goes after its primary is not an orphan"
sed -i '/DELETED.*ConfigMap/d' "$T/in"
orphans "a member that stays is one" "$(left ConfigMap/other/late ns/b)" 1
and event ADDED "$(thing b 5 '"annotations":{"kpipe.dev/paused":"true"}')"
and tick 06:00
is "$(ireconcile -f "$T/watches.yaml" --clock=input --report-fd=8 <"$T/in" \
	8>"$T/report" 2>&1 | head -n 1)" "$(left ConfigMap/other/late ns/b)" \
	"... until its primary is there again"
is "$(grep -o 'kpipe_orphans{[^}]*}":[0-9]*' "$T/report" | tail -n 1 | sed 's/.*://')" \
	0 "... number"

# Members of primaries in other namespaces, or that a selector leaves out, do
# not count: this process does not know those primaries.
given initially "$(member ConfigMap theirs 2 elsewhere/x)" \
	"$(member ConfigMap ours 2 ns/x)"
and tick 01:00
WATCH_NAMESPACE=ns orphans "only those of our namespaces" \
	"$(left ConfigMap/other/ours ns/x)" 1
sed -i 's/  program:/  selector: {matchLabels: {a: b}}\n&/' "$T/watches.yaml"
orphans "not with a selector" "" 0

# ---- what a run does not see, because -n leaves it out ----

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  namespaces: [far, ns, further]
  program: program.jq
  finalizer: example.com/cleaner
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
END
thing a 1 "\"finalizers\":[\"example.com/cleaner\"],$dying" >"$T/in"
unseen="its finalizer is removed without a look at far, further, which $T/watches.yaml:1 names and this run leaves out (-n): what was made there for it stays; a run that sees it calls it an orphan"
# unseen WHAT LOG OPTION...
unseen() {
	ireconcile -f "$T/watches.yaml" "${@:3}" <"$T/in" >"$T/out" 2>"$T/err"
	is "$(<"$T/err")" "${2:+ireconcile: warning: thing.example.com ns/a: $2}" \
		"$1"
}
unseen "a deletion with -n: the namespaces that are not seen" "$unseen" -n ns
is "$(jq -c '.reconcile | [.finalizers.remove, .events]' "$T/out")" \
	"[[\"example.com/cleaner\"],[{\"message\":\"$unseen\",\"reason\":\"Unseen\",\"type\":\"Warning\"}]]" \
	"... in an Event, too, and the finalizer goes"
unseen "... with all of them" "" -n ns,far,further
unseen "... without -n" ""
sed -i 's/  dependents/  marks: false\n&/' "$T/watches.yaml"
unseen "... where nothing can be elsewhere" "" -n ns
sed -i -e '/marks/d' -e 's/manage: true/&, namespaces: []/' "$T/watches.yaml"
unseen "... where a dependent is seen everywhere" "" -n ns
sed -i 's/namespaces: \[\]/namespaces: [ns]/' "$T/watches.yaml"
unseen "... where it is never elsewhere" "" -n ns
sed -i -e 's/, namespaces: \[ns\]//' -e 's/^  finalizer: \(.*\)/  finalizer: example.com\/x\n  retiredFinalizers: [\1]/' \
	"$T/watches.yaml"
thing a 1 '"finalizers":["example.com/cleaner"]' >"$T/in"
unseen "... of a primary that stays" "" -n ns
is "$(jq -c .reconcile.finalizers.remove "$T/out")" '["example.com/cleaner"]' \
	"... which loses a retired finalizer"

done_testing
