#!/bin/bash
# ireconcile: `def plan:` is computed once for an evaluation, from what desired
# sees, and is .plan of the other functions.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

# entry [LINE]...: of Things, with these lines too
entry() {
	watches 'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]' \
		'related: [{apiVersion: v1, kind: Secret}]' "$@"
}
# program: on stdin; with a function that makes a ConfigMap
program() {
	{
		echo 'def cm($name; $data): {apiVersion: "v1", kind: "ConfigMap",'
		echo '  metadata: {name: $name}, data: $data};'
		cat
	} >"$T/program.jq"
}
# gives CODE WANT WHAT: of $T/in; each line as its data, its status, its events
gives() {
	runs "$1" "$3" ireconcile -v -f "$T/watches.yaml" --clock=input <"$T/in"
	is "$(jq -rc '[([.items[].data] | select(. != [])),
		(.reconcile | .status, .events // empty)]' "$T/out")" "$2" \
		"... so"
}
# plans N WHAT: so many were computed
plans() {
	is "$(grep -c 'a new plan' "$T/err")" "$1" "$2"
}
# says TEXT WHAT: the first error or warning
says() {
	is "$(sed -nE '/is defined again/d; s/.*ireconcile: (error|warning): ([^:]*: )?(.*)/\3/p' \
		"$T/err" | head -1)" "$1" "$2"
}
the_thing() {
	event "${4:-ADDED}" "$(thing a "$1" "\"generation\":$1${3:-}" \
		"\"spec\":$2")" "${5:-2026-01-01T00:00:00Z}"
}

# All functions see the same.
entry
program <<'END'
def plan: {size: .primary.spec.n, by: "plan", z: 1, a: length};
def desired: [cm("c"; {size: "\(.plan.size)"})];
def status: {plan, n: (.owned.ConfigMap | length),
	order: (.plan | keys_unsorted | join(" "))};
def requeue: .plan.size;
def events: [{type: "Normal", reason: "Planned", message: .plan.by}];
END
given initially
and the_thing 1 '{"n":3}'
gives 0 '[[{"size":"3"}],{"n":0,"order":"size by z a","plan":{"a":5,"by":"plan","size":3,"z":1}},[{"message":"plan","reason":"Planned","type":"Normal"}]]' \
	"a plan is .plan of desired, status and events"
is "$(grep -c 'a new plan, requeue in 3.0 s' "$T/err")" 1 "... of requeue; it is logged"

# Only a change of what desired sees computes it again.
given end_all
and the_thing 1 '{"n":3}'
and event ADDED "$(object ConfigMap c 2 "$(owner a)")"
and event MODIFIED "$(object ConfigMap c 3 "$(owner a)")"
and the_thing 4 '{"n":5}' "" MODIFIED
ireconcile -v -f "$T/watches.yaml" --clock=input <"$T/in" >"$T/out" 2>"$T/err"
plans 2 "the plan is computed when desired is"
is "$(grep -c evaluated "$T/err") $(grep -c ' outstanding' "$T/err")" "0 4" \
	"... and not in each evaluation"
is "$(jq -c '.reconcile.status | [.n, .plan.size]' "$T/out" | tail -1)" \
	"[1,5]" "... and status sees it each time"

# A plan that counts objects is, for status, the one that was applied.
entry 'desiredReads: [owned]'
program <<'END'
def plan: {counted: (.owned.ConfigMap | length)};
def desired: [cm("c", "d"; {n: "\(.plan.counted)"})];
def status: {counted: .plan.counted, there: (.owned.ConfigMap | length)};
END
given end_all
and the_thing 1 '{}'
and event ADDED "$(object ConfigMap c 2 "$(owner a)")"
gives 0 '[[{"n":"0"},{"n":"0"}],{"counted":0,"there":0}]
[[{"n":"0"},{"n":"0"}],{"counted":0,"there":1}]' \
	"while a line is awaited, the plan is that of the line"
plans 1 "... computed once"
event ADDED "$(object ConfigMap d 3 "$(owner a)")" >>"$T/in"
ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" >"$T/out"
is "$(jq -c '.reconcile.status' "$T/out" | tail -1)" \
	'{"counted":2,"there":2}' "... and then another one"

# With the time in it, there is one for each evaluation.
entry 'desiredReads: [now]'
program <<'END'
def plan: {at: (.now | todate)};
def desired: [cm("c"; .plan)];
def status: .plan;
END
given end_all
and the_thing 1 '{}'
and event ADDED "$(object ConfigMap c 2 "$(owner a)" \
	'"data":{"at":"2026-01-01T00:00:00Z"}')" 2026-01-01T00:00:03Z
gives 0 '[[{"at":"2026-01-01T00:00:00Z"}],{"at":"2026-01-01T00:00:00Z"}]
[[{"at":"2026-01-01T00:00:03Z"}],{"at":"2026-01-01T00:00:03Z"}]' \
	"a plan of the time"

# The example of the manual.
sed -n '/^```jq plan$/,/^```$/{/^```/!p}' doc/program.md >"$T/program.jq"
given end_all
and the_thing 1 '{"schedule":"30 2 * * *"}'
gives 0 '[[{"next":"2026-01-01T02:30:00Z"}],{"next":"2026-01-01T02:30:00Z"}]' \
	"the example of doc/program.md"

# ---- errors ----

entry
given event ADDED "$(object Secret s 1 "" '"data":{"hunter1":"hunter2"}')"
and end_all
and the_thing 1 '{"n":3}'
# fails MESSAGE WHAT: the plan on stdin; status sees neither a plan nor items
fails() {
	{
		cat
		echo 'def desired: [cm("c"; {})];'
		echo 'def status: {plan, error};'
	} >"$T/plan"
	program <"$T/plan"
	gives 1 "[{\"error\":$(jq -n --arg x "$1" '$x'),\"plan\":null}]" "$2"
	says "$1" "... in the log"
}
fails 'program.jq:5: plan gives no result; nothing is null' "no plan" <<'END'
def helper: 1;
def helper2: 2;
def plan: empty;
END
fails 'program.jq:4: plan gives more than one result' "two plans" <<'END'
def plan: "an earlier one does not count";
def plan: 1, 2;
END
fails 'program.jq:4: plan: Cannot iterate over number (...) at .primary.spec.n' \
	"an error of jq" <<'END'
def plan:
  [.primary.spec.n[]];
END
fails 'no room' "an error of the author" <<'END'
def plan: error("no room");
END
fails 'program.jq:3: plan: boolean (...) has no length at .owned, which desiredReads in watches.yaml does not list' \
	"what it may not read" <<'END'
def plan: "owned" as $o | .[$o] | length;
END
fails 'program.jq:3: plan: boolean (...) has no length at .now, which desiredReads in watches.yaml does not list' \
	"... nor the time" <<'END'
def plan: "now" as $o | .[$o] | length;
END
fails 'program.jq:3: plan: .n is an integer beyond 2^53: digits would be lost' \
	"a number that is not the intended one" <<'END'
def plan: {n: 9007199254740993};
END
fails 'program.jq:3: plan gives a value longer than 1048576 bytes' \
	"a plan that is too long" <<'END'
def plan: "0123456789abcdef" * 65536;
END
program <<'END'
def plan: [range(1e9)];
def desired: [cm("c"; {})];
def status: {plan, error: (.error | sub("took more than .* and"; "... and"))};
END
gives 1 '[{"error":"program.jq:3: plan of Thing.example.com/ns/a ... and was stopped","plan":null}]' \
	"a plan that was stopped"
cp "$T/in" "$T/saved"
event ADDED "$(object Pod p 1)" 2026-01-01T00:00:11Z >>"$T/in"
ireconcile -v -f "$T/watches.yaml" --clock=input <"$T/in" >"$T/out" 2>"$T/err"
plans 2 "... is computed again after the back-off"
mv "$T/saved" "$T/in"
program <<'END'
def plan: "0123456789abcdef" * 65535;
def desired: [cm("c"; {})];
def status: {n: (.plan | length)};
END
gives 0 '[[{}],{"n":1048560}]' "... and one that is not too long"
program <<'END'
def helper: .now;
def plan: helper;
def desired: [];
END
runs 100 "what it reads is checked at the start" \
	ireconcile -f "$T/watches.yaml" <"$T/in"
is "$(sed 's/.*program\.jq/program.jq/' "$T/err")" \
	"program.jq:3: plan reads .now, which desiredReads in watches.yaml does not list" \
	"... with the place"

program <<'END'
def pln: 1;
def desired: [];
END
runs 100 "a name that is almost plan" \
	ireconcile -f "$T/watches.yaml" <"$T/in"
is "$(sed 's/.*program\.jq/program.jq/' "$T/err")" \
	"program.jq:3: pln is called nowhere (did you mean plan?)" "... so"

# An error of desired: its plan is known.
program <<'END'
def plan: {n: .primary.spec.n};
def desired: .plan.n.x;
def status: {plan, error};
END
gives 1 '[{"error":"program.jq:4: desired: Cannot index number with string \"x\" at .plan.n","plan":{"n":3}}]' \
	"an error of desired has a path in the plan"
# Keys of a plan may be values of others.
program <<'END'
def plan: {users: (.related.Secret[0].data | with_entries({key: .value, value: {a: 1}}))};
def desired: [.plan.users[] | .a | keys];
def status: {error};
END
gives 1 '[{"error":"program.jq:4: desired: number (...) has no keys"}]' \
	"... without its computed keys"
is "$(grep -c hunter "$T/err" "$T/out" | paste -sd' ' | sed 's/[^ ]*://g')" \
	"0 0" "... anywhere"

# Without `plan` nothing is new.
program <<'END'
def desired: [cm("c"; {})];
def status: {plan: .plan?, has: has("plan"), of: (.primary.spec | .plan)};
END
sed -i 's/"n":3/"plan":"p"/' "$T/in"
gives 0 '[[{}],{"has":false,"of":"p","plan":null}]' "without plan there is none"

# ---- deletion ----

deleted=",$dying,\"finalizers\":[\"example.com/f\"]"
entry 'finalizer: example.com/f'
given end_all
and event ADDED "$(object ConfigMap c 2 "$(owner a)")"
and the_thing 1 '{"n":3}' "$deleted"
program <<'END'
def plan: {names: "c\(.primary.spec.n)"};
def desired: [cm(.plan.names; {})];
def finalize: {items: [cm(.plan.names; {})], done: false};
def status: {plan, error};
END
gives 0 '[[{}],{"error":null,"plan":{"names":"c3"}}]' \
	"finalize and the last status have a plan"

# What fails in it is told, and stops no deletion.
program <<'END'
def plan: .primary.spec.n | keys;
def desired: [];
def finalize: {delete: .owned.ConfigMap, done: (.plan == null and
	(.error | startswith("program.jq:3: plan: number (...) has no keys")))};
def status: {plan, failed: (.error != null)};
END
gives 0 '[{"failed":true,"plan":null}]' "a plan that fails: finalize is called"
is "$(jq -c '.reconcile | [(.delete | length), .finalizers.remove]' "$T/out")" \
	'[1,["example.com/f"]]' "... and knows of it"
says 'program.jq:3: plan: number (...) has no keys at .primary.spec.n' "... as the log does"
sed -i '/^def finalize/,/startswith/d' "$T/program.jq"
gives 0 '[{"failed":true,"plan":null}]' "... and without finalize"
is "$(jq -c '.reconcile.delete | length' "$T/out")" 1 "... members are deleted"

# ---- throttle ----

entry 'throttle: {limit: 1}'
program <<'END'
def plan: {ready: (.primary.spec.n > 2)};
def desired: [cm(.primary.metadata.name; {})];
def settled: .plan.ready;
END
# begins N WHAT: when Thing b, of this n, was begun before the start
begins() {
	given event ADDED "$(object ConfigMap b 2 "$(owner b)")"
	and event ADDED "$(thing a 1 "" '"spec":{"n":1}')"
	and event ADDED "$(thing b 1 "" "\"spec\":{\"n\":$1}")"
	and end_all
	runs 0 "$2" ireconcile -f "$T/watches.yaml" --clock=input <"$T/in"
	is "$(<"$T/err")" "" "... without an error"
}
begins 1 "settled has a plan at the start: a slot is taken"
is "$(jq -r '.reconcile.primary.name' "$T/out" | uniq)" b \
	"... so no other begins"
begins 3 "... and is free"
is "$(jq -r '.reconcile.primary.name' "$T/out" | uniq)" a \
	"... for the first that comes"
done_testing
