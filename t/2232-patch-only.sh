#!/bin/bash
# ireconcile: patch_only(OBJECT): fields of what is not a member are held while
# they are desired, and given back afterwards; only of what the program sees in
# .related, and of kinds that say so.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches 'finalizer: a/b' dependents: \
	'- {apiVersion: v1, kind: ConfigMap, manage: true}' related: \
	'- {apiVersion: v1, kind: Pod, patch: true, map: {field: "spec.pods[]"}}' \
	'- {apiVersion: v1, kind: Service}'
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [.primary.spec.hold[]? | patch_only({apiVersion: "v1", kind: "Pod",
	metadata: {name: ., labels: {team: "a"}}})]
	+ [.primary.spec.items[]?];
def status: {error: .error, left: [.outstanding[].metadata.name]};
END
# primary SPEC [RV [META]]
primary() {
	thing a "${2:-1}" "\"finalizers\":[\"a/b\"]${3:+,$3}" "\"spec\":$1"
}
# file PRIMARY [OBJECT]...
file() {
	local o

	begin_all
	for o; do
		event ADDED "$o"
	done
	end_all
}
lines() {
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>"$T/err" |
		jq -c '[(.items | map([.metadata.name, .metadata.labels])),
			.reconcile.patch, (.reconcile.release // [] |
			map([.kind, .metadata.name, .metadata.uid])),
			.reconcile.finalizers.remove,
			(.reconcile.status.error // empty)]'
}
last() {
	lines | tail -n 1
}
# gives WHAT WANT PRIMARY [OBJECT]...: the last line
gives() {
	file "${@:3}" >"$T/in"
	is "$(last)" "$2" "$1"
}
mark=kpipe.dev/patch-$(part_of)

spec='{"hold":["x"],"pods":["x"]}'
gives "what exists is patched" \
	'[[["x",{"team":"a"}]],{"Pod/ns/x":"take"},[],null]' \
	"$(primary "$spec")" "$(object Pod x 2)"
gives "... and a second one" \
	'[[["x",{"team":"a"}],["y",{"team":"a"}]],{"Pod/ns/x":"take","Pod/ns/y":"take"},[],null]' \
	"$(primary '{"hold":["x","y"],"pods":["x","y"]}')" \
	"$(object Pod x 2)" "$(object Pod y 3)"
file "$(primary "$spec")" "$(object Pod x 2)" >"$T/in"
ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" >"$T/line" 2>/dev/null
is "$(jq -c .reconcile.known "$T/line")" '{"Pod/ns/x":"uid-x"}' "... by its uid"
is "$(jq -c '.items[0].metadata | [.ownerReferences, (.labels | keys),
	(.annotations | keys)]' "$T/line")" "[null,[\"team\"],[\"$mark\"]]" \
	"... with one mark, without an owner"
value=$(jq -r '.items[0].metadata.annotations[]' "$T/line")
is "$(jq -c .reconcile.because.items "$T/line")" \
	'{"Pod/ns/x":{"differs":[{"path":".metadata.labels","observed":"nothing","wanted":"{\"team\":\"a\"}"}],"version":"2"}}' \
	"... the reason is the field, not the mark"
is "${value% *}" Thing.example.com/ns/a "... that names the primary"

# held [LABEL [VALUE]]: Pod x as it was patched
held() {
	object Pod x "${3:-3}" "\"labels\":{\"app\":\"x\",\"team\":\"${1:-a}\"},\"annotations\":{\"$mark\":\"${2:-$value}\"}"
}
gives "what is held is not written" '' "$(primary "$spec")" "$(held)"
event MODIFIED "$(held b "" 4)" >>"$T/in"
is "$(last)" '[[["x",{"team":"a"}]],{"Pod/ns/x":"hold"},[],null]' \
	"what is changed is repaired, with force"
gives "other fields than before are taken, without" \
	'[[["x",{"team":"a"}]],{"Pod/ns/x":"take"},[],null]' \
	"$(primary "$spec")" "$(held a "Thing.example.com/ns/a other")"
because() {
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>/dev/null |
		tail -n 1 | jq -c '.reconcile.because.items[]'
}
is "$(because)" "{\"differs\":[{\"path\":\".metadata.annotations[\\\"$mark\\\"]\"}],\"version\":\"3\"}" \
	"... the reason is the mark, where all fields are right"

cp "$T/program.jq" "$T/before"
sed -i 's/team: "a"/team: "b"/' "$T/program.jq"
gives "another value than before is, too: it may be others' by now" \
	'[[["x",{"team":"b"}]],{"Pod/ns/x":"take"},[],null]' \
	"$(primary "$spec")" "$(held)"
is "$(because)" '{"differs":[{"path":".metadata.labels.team","observed":"\"a\"","wanted":"\"b\""}],"version":"3"}' \
	"... the reason is that value"
cp "$T/before" "$T/program.jq"

# as N OBJECT: with the uid N
as() {
	echo "${2/uid-x/uid-$1}"
}
# seen: the object is changed back, and each time a line repairs it
seen() {
	event MODIFIED "$(held b "" "$1")" "2026-01-01T00:00:$1Z"
	event MODIFIED "$(held a "" "$1.5")" "2026-01-01T00:00:$1.5Z"
}
given file "$(primary "$spec")" "$(held)"
for n in 10 11 12 13 14; do and seen $n; done
lines >"$T/out"
is "$(grep -c hold "$T/out")" 5 "repairs are counted"
is "$(cut -d: -f 1,3- "$T/err")" "ireconcile: thing.example.com ns/a: Pod/ns/x: .metadata.labels.team is changed by somebody else each time it was repaired" \
	"... so that it is not a fight"
# so fast that no evaluation sees the repaired object
mkfifo "$T/pipe"
start bash -c "exec ireconcile -f '$T/watches.yaml' <'$T/pipe' >'$T/fast' 2>/dev/null"
exec 9>"$T/pipe"
file "$(primary "$spec")" "$(object Pod x 2)" >&9
has_lines() {
	[ "$(wc -l <"$T/fast")" -eq "$1" ]
}
for n in 1 2 3 4 5; do
	wait_for 10 has_lines $n || break
	{
		event MODIFIED "$(held a "" "1$n")"
		event MODIFIED "$(held b "" "2$n")"
	} >"$T/both"
	cat "$T/both" >&9
done
ok "... that are changed back at once, too" wait_for 10 has_lines 6
exec 9>&-
is "$(tail -n 1 "$T/fast" | jq -c .reconcile.loops)" \
	'{"Pod/ns/x":".metadata.labels.team"}' "... and found"
given file "$(primary "$spec")"
for n in 10 11 12 13 14 15 16; do
	and event ADDED "$(as $n "$(object Pod x $n)")" "2026-01-01T00:00:$n.1Z"
	and event MODIFIED "$(as $n "$(held a "" $n)")" "2026-01-01T00:00:$n.2Z"
	and event DELETED "$(as $n "$(held a "" $n)")" "2026-01-01T00:00:$n.3Z"
done
lines >"$T/out"
is "$(grep -c take "$T/out")" 7 "another object of that name is patched, too"
says "" "... which is not a repair"

# ---- what is others' ----

# again: the patches that lines ask for, and what kapply tries at once
again() {
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>/dev/null |
		jq -c '[.reconcile.patch, .reconcile.vacated]'
}
# theirs LABEL VERSION [MORE]: Pod x, whose label another client has set
theirs() {
	object Pod x "$2" "\"labels\":{\"team\":\"$1\"}" "${3:-}"
}
file "$(primary "$spec")" "$(theirs z 2)" >"$T/in"
take='[{"Pod/ns/x":"take"},null]'
is "$(again)" "$take" "a field of others is asked for"
event MODIFIED "$(theirs z 3 '"status":{"a":1}')" 1970-01-01T00:00:01Z >>"$T/in"
is "$(again)" "$take" "... and not again when something else changes"
event MODIFIED "$(theirs y 4)" 1970-01-01T00:00:02Z >>"$T/in"
is "$(again)" "$take
[{\"Pod/ns/x\":\"take\"},[\"Pod/ns/x\"]]" \
	"... but when what may be held does: at once"

# ---- not there ----

gives "what is absent is not created" '' "$(primary "$spec")"
event ADDED "$(object Pod x 2)" >>"$T/in"
is "$(last)" '[[["x",{"team":"a"}]],{"Pod/ns/x":"take"},[],null]' \
	"... but patched when it comes"
gives "what the program does not see stays as it is" '' \
	"$(primary '{"hold":["x"]}')" "$(object Pod x 2)"
gives "... and what is on its way out" '' "$(primary "$spec")" \
	"$(object Pod x 2 "$dying")"

# ---- given back ----

back='[[],null,[["Pod","x","uid-x"]],null]'
gives "what is not desired any more is given back" "$back" \
	"$(primary '{"pods":["x"]}')" "$(held)"
event MODIFIED "$(object Pod x 5)" >>"$T/in"
is "$(ireconcile -f "$T/watches.yaml" --clock=input --all <"$T/in" | tail -n 1 |
	jq -c .reconcile.status.left)" '[]' "... until it has no mark any more"
gives "... also if the program does not see it any more" "$back" \
	"$(primary '{}')" "$(held)"
event MODIFIED "$(primary "$spec" 9)" >>"$T/in"
is "$(last)" '[[],null,[],null]' "... which is cancelled if it is desired again"
file "$(primary '{}')" "$(object Pod x 3 "\"annotations\":{\"$mark\":\"${value/\/a/\/b}\"}")" \
	>"$T/in"
is "$(last)" '' "a mark of another primary is ignored"
other=Other.example.com/ns/a
gives "... and of one of another kind with this name" '' "$(primary '{}')" \
	"$(object Pod x 3 "\"annotations\":{\"kpipe.dev/patch-$(part_of "$other")\":\"$other ${value#* }\"}")"

gives "the primary goes: it is given back" "$back" \
	"$(primary "$spec" 1 "$dying")" "$(held)"
event MODIFIED "$(object Pod x 5)" >>"$T/in"
is "$(last)" '[[],null,[],["a/b"]]' "... and then the finalizer goes"
cp "$T/program.jq" "$T/before"
echo 'def finalize: {done: true};' >>"$T/program.jq"
gives "... also if the program says that it is done" "$back" \
	"$(primary "$spec" 1 "$dying")" "$(held)"
cp "$T/before" "$T/program.jq"
file "$(thing a 1 "" "\"spec\":$spec")" "$(object Pod x 2)" >"$T/in"
is "$(ireconcile -f "$T/watches.yaml" <"$T/in" | jq -c .reconcile.finalizers.add)" \
	'["a/b"]' "the finalizer is set first"

# ---- two primaries, and the key ----

file "$(primary "$spec")" "$(thing b 1 '"finalizers":["a/b"]' "\"spec\":$spec")" \
	"$(object Pod x 2)" >"$T/in"
is "$(ireconcile -f "$T/watches.yaml" <"$T/in" |
	jq -r '.items[].metadata.annotations | keys[]' | sort -u | wc -l)" 2 \
	"two primaries have a mark each"

echo 0123456789abcdef0123456789abcdef >"$T/key"
# with_key: the same with a key
with_key() {
	# shellcheck disable=SC2016
	bash -c 'exec ireconcile -f "$0" --clock=input --marks-key-fd=3 <"$1" 3<"$2"' \
		"$T/watches.yaml" "$T/in" "$T/key"
}
file "$(primary '{}')" "$(held)" >"$T/in"
is "$(with_key | tail -n 1 | jq -c .reconcile.release)" null \
	"with a key a mark without a proof is ignored"
file "$(primary "$spec")" "$(object Pod x 2)" >"$T/in"
with_key | tail -n 1 | jq -r '.items[0].metadata.annotations[]' >"$T/value"
file "$(primary '{}')" "$(held a "$(<"$T/value")")" >"$T/in"
is "$(with_key | tail -n 1 | jq -c '[.reconcile.release[].metadata.name]')" '["x"]' \
	"... with one it counts"
file "$(primary '{}')" "$(held a "$(<"$T/value")" | sed 's/"x"/"y"/; s/uid-x/uid-y/')" >"$T/in"
is "$(with_key | tail -n 1 | jq -c .reconcile.release)" null \
	"... not on another object"

# ---- refused ----

# refused ITEM MESSAGE
refused() {
	cat >"$T/program.jq" <<END
include "operator";
def pod: {apiVersion: "v1", kind: "Pod", metadata: {name: "x"}};
def cm: config_map("c"; {}; {});
def desired: [$1];
def status: {error: .error};
END
	file "$(primary "${3:-$spec}")" "$(object Pod x 2)" >"$T/in"
	is "$(ireconcile -f "$T/watches.yaml" <"$T/in" 2>/dev/null |
		jq -r .reconcile.status.error)" "$2" "$1 is refused"
}
for f in keep delete_foreign; do
	refused "patch_only($f(pod))" \
		"program.jq:4: desired: item 0 (Pod x) is $f and something else, too"
done
for f in once if_exists exactly retain; do
	refused "patch_only($f(pod))" \
		"program.jq:4: desired: item 0 (Pod x) is patch_only and something else, too"
done
refused 'patch_only(cm)' "ConfigMap of v1 is not a related kind with patch: true; write \"- {apiVersion: v1, kind: ConfigMap, patch: true}\" into related of the entry at $T/watches.yaml:1"
refused 'patch_only(pod | .metadata.finalizers = ["a/b"])' \
	"Pod/ns/x: patch_only cannot hold .metadata.finalizers: labels, annotations, and what is outside of metadata and status"
refused 'patch_only(pod | .status.phase = "x")' \
	"Pod/ns/x: patch_only cannot hold .status: labels, annotations, and what is outside of metadata and status"
refused 'patch_only(pod | .metadata.annotations = {"kpipe.dev/paused": "true"})' \
	"Pod/ns/x: patch_only cannot hold kpipe.dev/paused, which is kpipe's own"
refused 'patch_only(pod | .metadata.labels = {n: 1})' \
	"Pod/ns/x: .metadata.labels.n is a number, and has to be a text: tostring makes one"

# refused_conf KIND MESSAGE [SED]
refused_conf() {
	sed "s/patch: true, map: .*/$1}/; ${3:-}" "$T/watches.yaml" >"$T/other.yaml"
	ireconcile -f "$T/other.yaml" </dev/null 2>"$T/err"
	is "$(sed 's/.*: //' "$T/err")" "$2" "$1: $2"
}
refused_conf "patch: true, fields: [spec]" "patch is not allowed with fields"
refused_conf "patch: true, selector: a=b" "patch is not allowed with selector"
refused_conf "patch: true" "finalizer is needed, to give back what is held" /finalizer/d
done_testing
