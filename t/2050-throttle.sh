#!/bin/bash
# ireconcile: at most `limit` primaries in work, first come, first served.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches 'throttle: {limit: 2, timeout: 15m}' dependents: \
	'- {apiVersion: v1, kind: ConfigMap, manage: true}'
cat >"$T/program.jq" <<'END'
def desired: if .primary.spec.k == "bad" then error("bad") else
	[{apiVersion: "v1", kind: "ConfigMap",
	  metadata: {name: .primary.metadata.name}, data: {k: .primary.spec.k}}] end;
def status: if .error then {phase: "Failed"}
	elif .outstanding == [] then {phase: "Available"}
	else {phase: "Processing"} end;
def settled: .primary.status.phase == "Available";
END
a_thing() { # NAME RV VALUE [PHASE]
	local rest="\"spec\":{\"k\":\"$3\"}"

	[ $# -lt 4 ] || rest+=",\"status\":{\"phase\":\"$4\"}"
	thing "$1" "$2" "" "$rest"
}
# The digest differs between primaries: the owner's uid is in the paths.
own() { # NAME RV VALUE: its ConfigMap, observed
	PATHS=$(paths_of "$(a_thing "$1" 1 v)")
	event ADDED "$(observed "$1" "$1" "$3" "$2")"
}
complete() {
	initially
}
# Each line as NAME@VERSION:ITEMS:STATUS.
short() {
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>"$T/err" |
		jq -r '"\(.reconcile.primary.name)@\(.reconcile.primary.resourceVersion):\(.items | map(.data.k) | join(",")):\(.reconcile.status.phase // "-")"' |
		tr '\n' ' '
}
available() { # NAME RV VALUE: it is created, and becomes Available
	own "$1" "$2" "$3"
	event MODIFIED "$(a_thing "$1" "$2" "$3" Available)"
}

{
	complete
	for i in a b c d; do
		event ADDED "$(a_thing $i 1 v)"
	done
} >"$T/start"
cp "$T/start" "$T/in"
is "$(short)" "a@1:v:Processing b@1:v:Processing " "two of four begin"

given cat "$T/start"
and available b 2 v
is "$(short)" \
	"a@1:v:Processing b@1:v:Processing b@1::Available c@1:v:Processing " \
	"the next comes when one is settled, its status observed"

given cat "$T/start"
and own b 2 v
is "$(short)" "a@1:v:Processing b@1:v:Processing b@1::Available " \
	"... and not before"

# Nothing is outstanding and the status is observed, but it is not settled.
sed -i.saved 's/.outstanding == \[\]/& and .primary.metadata.labels.up == "yes"/' \
	"$T/program.jq"
given cat "$T/start"
and own b 2 v
and event MODIFIED "$(a_thing b 3 v Processing)"
is "$(short)" "a@1:v:Processing b@1:v:Processing " \
	"what is not settled keeps its slot"
mv "$T/program.jq.saved" "$T/program.jq"

given cat "$T/start"
and event DELETED "$(a_thing a 1 v)"
and event DELETED "$(a_thing b 1 v)"
is "$(short)" \
	"a@1:v:Processing b@1:v:Processing a@1::- c@1:v:Processing b@1::- d@1:v:Processing " \
	"a primary that is gone frees its slot"

given cat "$T/start"
and event MODIFIED "$(a_thing a 2 v Failed)"
and event MODIFIED "$(a_thing b 2 bad)"
is "$(short)" \
	"a@1:v:Processing b@1:v:Processing c@1:v:Processing b@2::Failed d@1:v:Processing " \
	"Failed, by kapply or by the program, frees it"

given cat "$T/start"
and event BOOKMARK "$(object Secret s 1)" 1970-01-01T00:14:59Z
short >"$T/before"
event BOOKMARK "$(object Secret s 1)" 1970-01-01T00:15:00Z >>"$T/in"
short >"$T/after"
is "$(tr ' ' '\n' <"$T/after" | grep -c '^[cd]')" 2 "a slot is held 15 minutes"
is "$(tr ' ' '\n' <"$T/before" | grep -c '^[cd]')" 0 "... and not less"

# A waiting primary keeps its state, and its changes wait, too.
given begin_all
for i in a b c; do
	and event ADDED "$(a_thing $i 1 v Available)"
	and own $i 1 v
done
and end_all
for i in a b c; do
	and event MODIFIED "$(a_thing $i 2 w Available)"
done
and event MODIFIED "$(a_thing c 3 v Available)"
and event MODIFIED "$(a_thing c 4 x Available)"
and available a 5 w
is "$(short)" \
	"a@2:w:Processing b@2:w:Processing a@2::- c@4:x:Processing " \
	"changes wait, too; what agrees again does not"

# At the start, primaries that were begun and are not settled hold slots.
{
	for i in a b c d; do
		event ADDED "$(a_thing $i 1 v)"
	done
	for i in c d; do
		event MODIFIED "$(a_thing $i 2 v Processing)"
		own $i 1 other
	done
} >"$T/in"
is "$(short)" "c@2:v:- d@2:v:- " "at the start those in work go on"

# First come, first served, in whatever order they are evaluated.
cp "$T/watches.yaml" "$T/w" && cp "$T/program.jq" "$T/p"
echo '  related: [{apiVersion: v1, kind: Secret}]' >>"$T/watches.yaml"
sed -i 's/^def settled: /&.related.Secret != [] and /' "$T/program.jq"
given complete
for i in a b d c; do
	and event ADDED "$(a_thing $i 1 v)"
done
and own a 2 v
and event MODIFIED "$(a_thing a 2 v Available)"
and event ADDED "$(object Secret s 1)"
is "$(short)" \
	"a@1:v:Processing b@1:v:Processing a@1::Available d@1:v:Processing " \
	"first come, first served"
mv "$T/w" "$T/watches.yaml" && mv "$T/p" "$T/program.jq"

# Deletion needs no slot.
sed -i 's/  throttle:/  finalizer: example.com\/x\n&/' "$T/watches.yaml"
given cat "$T/start"
and event MODIFIED "$(thing d 2 '"finalizers":["example.com/x"],'"$dying")"
is "$(short)" "a@1:v:Processing b@1:v:Processing d@2::Available " \
	"deletion does not wait"


# One that is deleted while it waits does not block others.
given cat "$T/start"
and event MODIFIED "$(thing c 2 '"finalizers":["example.com/x","example.org/y"],'"$dying")"
and own a 3 v
and event MODIFIED "$(thing a 3 '"finalizers":["example.com/x"]' '"spec":{"k":"v"},"status":{"phase":"Available"}')"
short >"$T/got"
is "$(tr ' ' '\n' <"$T/got" | grep '^d')" "d@1:v:Processing" \
	"a waiting primary that is deleted leaves the queue"
sed -i '/finalizer:/d' "$T/watches.yaml"

# --all prints sets that agree, too; they need no slot.
given cat "$T/start"
and available b 2 v
ireconcile -f "$T/watches.yaml" --clock=input --all <"$T/in" >"$T/out"
is "$(jq -r .reconcile.primary.name "$T/out" | grep -c '^c')" 1 \
	"--all: settled frees a slot"

# What is no longer desired is cancelled, even if a change waited for a slot
# meanwhile.
cat >"$T/program.jq" <<'END'
def desired: .primary.spec.k as $k
	| if $k == "none" then [] else [{apiVersion: "v1", kind: "ConfigMap",
		metadata: {name: $k}, data: {k: $k}}] end;
def settled: false;
END
sed -i 's/limit: 2/limit: 1/' "$T/watches.yaml"
given complete
and event ADDED "$(a_thing a 1 v)"
and event ADDED "$(a_thing b 1 v)"
and event BOOKMARK "$(object Secret s 1)" 1970-01-01T00:15:00Z
and event MODIFIED "$(a_thing a 2 w)"
and event MODIFIED "$(a_thing a 3 none)"
short >"$T/got"
is "$(tr ' ' '\n' <"$T/got" | tail -n 1)" "a@3::-" \
	"what waited in between is cancelled"

done_testing
