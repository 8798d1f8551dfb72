#!/bin/bash
# Names in a program that cannot be meant are found at start: a kind that no
# entry of watches.yaml has, an entry point that is spelled wrong (where `.` may
# be something else, nothing is said), a function: with one whose name is near.
. "${0%/*}/lib.sh"

printf '%s\n' '- group: e.com' '  version: v1' '  kind: T' \
	'  program: reconcile.jq' '  desiredReads: [owned]' '  dependents:' \
	'  - {apiVersion: v1, kind: Secret, manage: true}' \
	'  - {apiVersion: apps/v1, kind: Role, manage: true}' \
	'  - {apiVersion: rbac.e.com/v1, kind: Role, manage: true}' \
	'  related:' '  - {apiVersion: v1, kind: Pod}' \
	'- group: e.com' '  version: v1' '  kind: U' \
	'  program: reconcile.jq' '  desiredReads: [owned]' '  dependents:' \
	'  - {apiVersion: v1, kind: ConfigMap, manage: true}' >"$T/watches.yaml"

# refused MESSAGE WHAT: the program on stdin
refused() {
	cat >"$T/reconcile.jq"
	runs 100 "$2" ireconcile -f "$T/watches.yaml" </dev/null
	is "$(sed 's/.*reconcile\.jq:/reconcile.jq:/' "$T/err")" "$1" "... so"
}

# accepted WHAT [MESSAGE]: the program on stdin
accepted() {
	cat >"$T/reconcile.jq"
	runs 0 "$1" ireconcile -f "$T/watches.yaml" </dev/null
	is "$(sed 's/.*reconcile\.jq:/reconcile.jq:/' "$T/err" | uniq)" \
		"${2:-}" "... ${2:+but it is told}"
}

# desiring TEXT: a program that has that in `desired`, in line 2
desiring() {
	printf 'include "operator";\ndef desired: [%s];\n' "$1"
}

# ---- kinds ----

none='reconcile.jq:2: no entry of watches.yaml has'
secrte="$none a dependent kind Secrte (did you mean .owned.Secret?)"
refused "$secrte" "a kind with two letters swapped" \
	< <(desiring '.owned.Secrte[]')
refused "$none a related kind Pods (did you mean .related.Pod?)" \
	"... of related kinds" < <(desiring '.related["Pods"][]')
refused "$none a dependent kind Pod (did you mean .related.Pod?)" \
	"a kind in the wrong place" < <(desiring '.owned."Pod"')
refused "$none a dependent kind Role (did you mean .owned[\"Role.apps\"]?)" \
	"a kind that is told apart by its group" < <(desiring '.owned.Role')
refused "$none a dependent kind Frobnicator" \
	"nothing is near" < <(desiring '.owned.Frobnicator')
while IFS= read -r text; do
	refused "$secrte" "seen in: $text" < <(desiring "$text")
done <<'END'
. as $in | .primary as {$spec} | label $out | .owned.Secrte
if .primary then 1 | . else .owned.Secrte end
if .primary | . then 1 else 2 end + .owned.Secrte
if .owned.Secrte then 1 else 2 end | .
{a: (1 | .), b: [.owned.Secrte]} | .a
"text \(.owned.Secrte | length)"
reduce .owned.Secrte[] as $s (0; . + 1)
.primary // .owned.Secrte[0]?
(.a = .b), .owned.Secrte
named(.owned.Secrte; "a")
config_map("a"; {}; {n: "\(.owned.Secrte | length)"})
need(.owned.Secrte == []; "some") | .primary
select(.owned.Secrte)
first(.owned.Secrte[])
last(.owned.Secrte[])
limit(1; .owned.Secrte[])
isempty(.owned.Secrte[])
error(.owned.Secrte)
has(.owned.Secrte)
contains(.owned.Secrte)
inside(.owned.Secrte)
END
refused "$secrte" "in a function that is called with the input" <<'END'
include "operator"; def keys_of(f): [.[] | f];
def secrets: .owned.Secrte; def first_of($x; n): n | .[0];
def desired: secrets as $s | [first_of(1; secrets)];
END

# Lines of programs, or of what they desire. N.jq is that of entries for TN, UN.
mapfile -t quiet < <(while IFS= read -r text; do
	echo "include \"operator\"; def desired: [$text];"
done <<'END'
.owned.Secret, .owned.ConfigMap, .related.Pod, .owned["Role.apps"]
.primary.spec | .owned.Secrte
.primary.owned.Secrte
. as {$primary} | $primary.owned.Secrte
"Secrte" as $k | .owned[$k]
.owned["Sec" + "rte"]?
[.primary.spec[]? | select(.owned.Secrte)]
(.owned.Secrte, .a) = 1 | .primary
.owned.Secrte |= 1 | .primary
.a |= .owned.Secrte
reduce 1 as $x ({}; .owned.Secrte)
foreach 1 as $x ({}; .; .owned.Secrte)
try error catch .owned.Secrte
def f: .owned.Secrte; .primary | f
[.primary.spec] | map(.owned.Secrte)
[paths(.owned.Secrte)]
{owned: {Secrte: 1}} | .owned.Secrte
[1 | (if . then 2 else .owned.Secrte end)?]
[1, 2 | .owned.Secrte?]
.owned as {Secrte: $s} | $s
.primary | def f: 1; .owned.Secrte
[.primary.spec[]? | def f: 1; {a: f, b: .owned.Secrte}]
[if .primary then .primary | def f: 1; .owned.Secrte else 1 end]
END
)
accepted "nothing is said of functions that are called with something else" \
	<<'END'
def secrets: .owned.Secrte; def each(f): .primary.spec | f;
def pods: .related.Podss; def again: .owned.Secrte | again;
def desired: [.primary.spec | secrets] + each(pods) + secrets;
END
mapfile -t -O "${#quiet[@]}" quiet <<'END'
def deep: if .owned.Secret then {owned: {X: 1}} | deep else .owned.X end; def desired: [deep];
def desired: if .owned.Secret == null then .owned.X else {owned: {X: []}} | desired end;
def at(f): {owned: {X: 1}} | f; def desired: [at(.owned.X)]; def at($x): 1;
def at($x): {owned: {X: 1}} | x; def desired: [at(.owned.X)];
def at(f; $n): if $n == 0 then f else {owned: {X: 1}} | at(f; $n - 1) end; def desired: [at(.owned.X; 1)];
def at(f): f; def desired: [at({owned: {X: 1}} | at(.owned.X))];
def select(f): {owned: {X: 1}} | f; def desired: [select(.owned.X)];
def at(f): def g: f; {owned: {X: 1}} | g; def desired: [at(.owned.X)];
def at(f): f | f; def desired: [at(.owned.X?)];
END
entries=$(<"$T/watches.yaml")
for n in "${!quiet[@]}"; do
	echo "${quiet[n]}" >"$T/$n.jq"
	kinds=${entries/kind: T/kind: T$n}
	kinds=${kinds/kind: U/kind: U$n}
	echo "${kinds//reconcile/$n}"
done >"$T/many.yaml"
runs 0 "${#quiet[@]} programs of which nothing is said" \
	ireconcile -f "$T/many.yaml" </dev/null
is "$(cat "$T/err")" "" "... so" || note "$(cd "$T" && grep . [0-9]*.jq)"
refused 'reconcile.jq:1: no entry of watches.yaml has a dependent kind X' \
	"a definition below the call does not count" <<'END'
def at(f): f; def desired: [at(.owned.X)]; def at(f): {owned: {X: 1}} | f;
END
printf '%s\n' 'def secrets: .owned.Secrte;' >"$T/mine.jq"
accepted "... nor of files that are included" <<'END'
include "mine"; def desired: secrets;
END

# ---- entry points ----

while read -r wrong right; do
	refused "reconcile.jq:2: $wrong is called nowhere (did you mean $right?)" \
		"$wrong instead of $right" < <(printf '%s\n' \
			'def desired: [];' "def $wrong: null;")
done <<'END'
statsu status
stats status
reque requeue
finalise finalize
event events
setled settled
END
refused 'reconcile.jq:1: desird is called nowhere (did you mean desired?)' \
	"desird instead of desired" <<'END'
def desird: [];
END
accepted "with both, it is a warning" \
	'reconcile.jq:2: statsu is called nowhere (did you mean status?)' <<'END'
def desired: [];
def statsu: {};
def status: {};
END
accepted "words of their own, functions that are called, with parameters" \
	<<'END'
def state: 1; def require: 2; def stats: {}; def requeue($x): 1;
def event(f): f; def settle: 3;
def desired: [settle | empty];
def status: stats;
END
again='reconcile.jq:3: desired is defined again: that in line 1 is never called'
accepted "a second definition" "$again" <<'END'
def desired: [1];
def x: 1;
def desired: [];
END
accepted "... but not of one that is called between them" <<'END'
def desired: [];
def base: desired;
def desired: base;
END

# ---- finalize ----

finalize='reconcile.jq:2: finalize is never called: no entry with this program has a finalizer'
finalizing() {
	printf '%s\n' 'def desired: [];' 'def finalize: {done: true};'
}
accepted "finalize, and no finalizer" "$finalize" < <(finalizing)
is "$(grep -c 'finalize is never' "$T/err")" 1 "... once, not for each entry"
cp "$T/watches.yaml" "$T/none.yaml"
while IFS= read -r line; do
	{
		cat "$T/none.yaml"
		echo "$line"
	} >"$T/watches.yaml"
	accepted "one entry has: $line" < <(finalizing)
done <<'END'
  finalizer: e.com/f
  retiredFinalizers: [e.com/f]
  when: .spec.a == 1
END
cp "$T/none.yaml" "$T/watches.yaml"

# ---- functions that are not there: what is near ----

refused 'reconcile.jq:2: configmap/3 is not defined (did you mean config_map/3?)' \
	"a name of the library" <<'END'
include "operator";
def desired: [configmap("a"; {}; {})];
END
refused 'reconcile.jq:2: config_map/2 is not defined (did you mean config_map/3?)' \
	"... with other arguments" <<'END'
include "operator";
def desired: [config_map("a"; {})];
END
refused 'reconcile.jq:1: config_map/3 is not defined (include "operator"; has it)' \
	"the library is not included" <<'END'
def desired: [config_map("a"; {}; {})];
END
refused 'reconcile.jq:2: pdos/0 is not defined (did you mean pods/0?)' \
	"a function of the program, letters swapped" <<'END'
def pods: [];
def desired: pdos;
END
refused 'reconcile.jq:1: lenght/0 is not defined (did you mean length/0?)' \
	"a function of jq" <<'END'
def desired: [lenght];
END
refused 'reconcile.jq:1: frobnicate/1 is not defined' "nothing is near" <<'END'
def desired: [frobnicate(1)];
END

# ---- defined too late ----

refused 'reconcile.jq:1: pods/0 is defined only below, in line 2: move it up' \
	"a function that is defined behind the call" <<'END'
def desired: pods;
def pods: [];
END
refused 'reconcile.jq:2: f/1 is defined only below, in line 4: move it up' \
	"... with a parameter, behind another of its name" <<'END'
def f: 1;
def desired: [f(1)];
def f($a; $b): 1;
def f($a): 1;
END
refused 'reconcile.jq:1: f/2 is not defined (did you mean f/0?)' \
	"... with another number of them, it is only near" <<'END'
def desired: [f(1; 2)];
def f: 1;
END
printf 'def mine: theirs;\n' >"$T/mine.jq"
cat >"$T/reconcile.jq" <<'END'
include "mine";
def theirs: [];
def desired: mine;
END
runs 100 "... in the file that includes it" \
	ireconcile -f "$T/watches.yaml" </dev/null
is "$(sed "s|.*fatal: ||; s|$T/||g" "$T/err")" \
	'mine.jq:1: theirs/0 is defined only later, in reconcile.jq:2' "... so"
accepted "a function calls itself, and one of its name above it" <<'END'
def f: 1;
def f($n): if $n > 0 then f($n - 1) else f end;
def desired: [f(3) | empty];
END
done_testing
