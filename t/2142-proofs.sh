#!/bin/bash
# ireconcile with a key: marks count only with a proof.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches 'finalizer: example.com/cleaner' dependents: \
	'- {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}'
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c", namespace: "of-a"}}];
END
key=0123456789abcdef0123456789abcdef
old=fedcba9876543210fedcba9876543210
lost="lost lost lost lost lost lost lost"
printf '%s\n\n  %s \n' "$key" "$old" >"$T/keys"
ireconcile() {
	command ireconcile --marks-key-fd=9 "$@" 9<"$T/keys"
}
primary=Thing.example.com/ns/a self=ConfigMap/of-a/c
good=$(proof "$key" $primary uid-a $self)
# proven NAME PROOF [PRIMARY]: the marks of that ConfigMap; an empty PROOF: none
proven() {
	marks "ConfigMap/of-a/$1" "${3:-}" \
		"\"kpipe.dev/paths\":\"PATHS\"${2:+,\"kpipe.dev/proof\":\"$2\"}"
}
item() { # PROOF
	printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{%s,"name":"c","namespace":"of-a"}}' \
		"$(proven c "$1")"
}
# member NAME PROOF [PRIMARY]: as it is observed
member() {
	where=of-a object ConfigMap "$1" 7 "$(proven "$@" | sed "s/PATHS/$paths/")"
}
finalizer='"finalizers":["example.com/cleaner"]'
origin='"annotations":{"kpipe.dev/origin":"uid-a"}'

# ---- what is written ----

thing a 1 >"$T/in"
line "$(item "$good")" a 1 \
	"\"known\":{\"$self\":null},\"finalizers\":{\"add\":[\"example.com/cleaner\"],\"origin\":\"uid-a\"}" \
	>"$T/want"
replay 0 "a new primary: a proof, and its origin is noted"
paths=$(sed 's/.*"kpipe.dev\/paths":"\([^"]*\)".*/\1/' "$T/out")
command ireconcile -f "$T/watches.yaml" <"$T/in" >"$T/plain"
is "$(sed 's/.*"kpipe.dev\/paths":"\([^"]*\)".*/\1/' "$T/plain")" "$paths" \
	"the digest of paths is the same without a key"
is "$(grep -c -e proof -e origin "$T/plain")" 0 "... and nothing is proven"

# of_a METADATA MEMBER [LINE]: what is printed for the Thing and the ConfigMap
of_a() {
	local what=$1

	{
		event ADDED "$(thing a 1 "$finalizer${2:+,$2}")"
		[ -z "$3" ] || event ADDED "$3"
	} >"$T/in"
	echo "${4:-}" | sed '/^$/d' >"$T/want"
	replay 0 "$what"
}
new=$(line "$(item "$good")" a 1 "\"known\":{\"$self\":null}")
unproven='"differs":[{"path":".metadata.annotations[\"kpipe.dev/proof\"]"}],"version":"7"'
again=$(line "$(item "$good")" a 1 \
	"\"known\":{\"$self\":\"uid-c\"},\"because\":{\"items\":{\"$self\":{$unproven}}}")
of_a "converged is silent" "$origin" "$(member c "$good")"
of_a "an origin that is missing is noted" "" \
	"$(member c "$good")" \
	"$(line "" a 1 '"finalizers":{"add":["example.com/cleaner"],"origin":"uid-a"}')"
of_a "... and one that cannot be a uid is replaced" \
	'"annotations":{"kpipe.dev/origin":"uid a"}' "$(member c "$good")" \
	"$(line "" a 1 '"finalizers":{"add":["example.com/cleaner"],"origin":"uid-a"}')"
of_a "a proof by the key before is renewed" "$origin" \
	"$(member c "$(proof "$old" $primary uid-a $self)")" "$again"

# ---- a restored primary: another uid, with the origin of the old one ----

restored='"annotations":{"kpipe.dev/origin":"uid-0"}'
kept=$(proof "$key" $primary uid-0 $self)
of_a "a restored primary has its members" "$restored" "$(member c "$kept")"
of_a "... and makes what is missing as theirs" "$restored" "" \
	"$(line "$(item "$kept")" a 1 "\"known\":{\"$self\":null},\"origin\":\"uid-0\"")"

# ---- what proves nothing ----

# forged WHAT PROOF: with that proof the ConfigMap does not count as ours
forged() {
	of_a "no member: $1" "$origin" "$(member c "$2")" "$new"
}
forged "no proof" ""
forged "a proof by another key" "$(proof "$lost" $primary uid-a $self)"
forged "a proof of a sibling" "$(proof "$key" $primary uid-a ConfigMap/of-a/d)"
forged "a proof of another primary" \
	"$(proof "$key" Thing.example.com/ns/b uid-a $self)"
forged "a proof of another kind of primary" \
	"$(proof "$key" Other.example.com/ns/a uid-a $self)"
forged "a proof of an earlier primary of that name" "$kept"
forged "another origin, put before a good code" "${good/uid-a/uid-b}"
forged "a proof that is cut" "${good%?}"
forged "no origin" "v1  ${good##* }"
forged "another version" "v2${good#v1}"

# unproven NAME WHAT REMEDY: $told is the line of the log, $event the Event
unproven() {
	local text="ConfigMap/of-a/$1: $2, and without the proof that this operator made it; if an older version did, or the key was lost, $3"

	told="ireconcile: warning: thing.example.com ns/a: $text"
	event="\"events\":[{\"message\":\"$text\",\"reason\":\"Unproven\",\"type\":\"Warning\"}]"
}

# They are not pruned, nor waited for, nor shown.
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {n: (.owned.ConfigMap | length)};
END
unproven f "left alone: not desired" "start once with --accept-unproven-marks"
for p in "" "$(proof "$lost" $primary uid-a ConfigMap/of-a/f)"; do
	of_a "forged marks are not a member's (${p:-none})" "$origin" \
		"$(member f "$p")" "$(line "" a 1 "\"status\":{\"n\":0},$event")"
	is "$(<"$T/err")" "$told" "... which the log tells as well"
done
of_a "retained ones are not told" "$origin" \
	"$(member f "" | sed 's/"annotations":{/&"kpipe.dev\/retain":"true",/')" \
	"$(line "" a 1 '"status":{"n":0}')"
says "" "... in the log either"
of_a "nor is what names another primary" "$origin" \
	"$(member f "" Thing.example.com/ns/b)" \
	"$(line "" a 1 '"status":{"n":0}')"
of_a "nor what names one of another kind" "$origin" \
	"$(member f "" Other.example.com/ns/a)" \
	"$(line "" a 1 '"status":{"n":0}')"
there "$(thing a 1 "$finalizer,$origin")" \
	"$(member f "" | sed 's/"annotations":{/&"kpipe.dev\/instance":"x",/')" \
	>"$T/in"
ireconcile -f "$T/watches.yaml" --instance=y <"$T/in" >"$T/out" 2>"$T/err"
is "$(jq -c '.reconcile | [.status, .events]' "$T/out")" '[{"n":0},null]' \
	"nor what another instance made"
of_a "a member that is not desired goes" "$origin" \
	"$(member e "$(proof "$key" $primary uid-a ConfigMap/of-a/e)")" \
	"$(line "" a 1 "\"delete\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"namespace\":\"of-a\",\"name\":\"e\",\"uid\":\"uid-e\"}],\"status\":{\"n\":1},\"onError\":{\"n\":1}")"
unproven d "not deleted with its primary" "delete it by hand"
of_a "a forged one does not hold up the deletion" "$origin,$dying" \
	"$(member d "")" \
	"$(line "" a 1 "\"finalizers\":{\"remove\":[\"example.com/cleaner\"]},\"status\":{\"n\":0},\"onError\":{\"n\":0},$event,\"deleting\":true")"
says "$told" "... which is told when it goes"
given initially "$(thing a 1 "$finalizer,$origin")" "$(member d "")"
and tick 00:05
and event MODIFIED "$(thing a 2 "$finalizer,$origin,$dying")"
decide
is "$(grep -c -e 'd: left alone: not' -e 'd: not deleted with' "$T/err")" 2 \
	"... also if it was told before"

# ---- orphans ----

given initially "$(thing b 1 "$finalizer,${origin/uid-a/uid-b}")" \
	"$(member d "" "$(printf 'Thing.example.com/ns/x:\\nkpipe: fatal')")" \
	"$(member e "$(proof "$key" $primary uid-a ConfigMap/of-a/e)")" \
	"$(member f "$(proof "$key" Thing.example.com/ns/b uid-0 ConfigMap/of-a/f)" Thing.example.com/ns/b)"
and tick 59:00
ireconcile -f "$T/watches.yaml" --clock=input --report-fd=8 <"$T/in" \
	>"$T/out" 2>"$T/err" 8>"$T/report"
left="is an orphan: it belongs to this object, which does not exist"
says "ireconcile: warning: thing.example.com ns/a: ConfigMap/of-a/e $left
ireconcile: warning: thing.example.com ns/b: ConfigMap/of-a/f $left" \
	"left over are proven ones, those of an earlier primary included"
is "$(jq -r '.metrics["kpipe_orphans{controller=\"thing.example.com\"}"]
	| select(. != null)' "$T/report" | tail -n 1)" 2 "... and counted"

# ---- the upgrade ----

cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c", namespace: "of-a"}}];
END
upgrade() {
	{
		event ADDED "$(thing a 1 "$finalizer,$origin")"
		event ADDED "$1"
		[ $# -lt 2 ] || event MODIFIED "$2"
	} >"$T/in"
	runs 0 "--accept-unproven-marks: exit code" ireconcile \
		-f "$T/watches.yaml" --clock=input --accept-unproven-marks \
		--log-level=info --report-fd=8 8>"$T/report" <"$T/in"
	hide_paths "$T/out" >"$T/got"
}
echo "$again" >"$T/want"
upgrade "$(member c "")"
same "$T/got" "$T/want" "accepted once: applied again, with its uid and a proof"
says "ireconcile: warning: 1 objects have marks without a proof; what is desired gets it as it is applied again, what is not is deleted" \
	"... and said"
is "$(jq '.metrics["kpipe_unproven_marks"] | select(. != null)' "$T/report" |
	tail -n 1)" 1 "... and counted"
upgrade "$(member c "$(proof "$lost" $primary uid-9 $self)")"
same "$T/got" "$T/want" "... also where the key was lost"
: >"$T/want"
upgrade "$(member c "$good")"
same "$T/got" "$T/want" "what is proven is not applied again"
says "ireconcile: no object has marks without a proof: start without --accept-unproven-marks" \
	"... and it says that none is left"

# ---- refusals ----

sed -i 's/^  finalizer.*/&\n  marks: false/' "$T/watches.yaml"
thing a 1 >"$T/in"
command ireconcile -f "$T/watches.yaml" <"$T/in" >"$T/out" 2>"$T/err"
says "ireconcile: error: thing.example.com ns/a: ConfigMap/of-a/c cannot have this owner, and \"marks: false\" of the entry at $T/watches.yaml:1 allows nothing else" \
	"marks: false: nothing outside is made"
echo short >"$T/keys"
runs 100 "a short key" ireconcile -f "$T/watches.yaml" </dev/null
says "ireconcile: fatal: the key of marks: line 1: a key has at least 32 characters" \
	"... is refused"
: >"$T/keys"
runs 111 "no key came" ireconcile -f "$T/watches.yaml" </dev/null
runs 100 "--accept-unproven-marks without a key" \
	command ireconcile -f "$T/watches.yaml" --accept-unproven-marks
done_testing
