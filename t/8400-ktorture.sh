#!/bin/bash
# ktorture: what it refuses, a run that is clean, one that is not, and the last
# line, which plays a failure again.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL
watches=pipeline/memcached/watches.yaml
at=kapply/patch/deployments.apps/default/example

# ---- what it refuses ----

refuses "-f WATCHES is missing" ktorture
refuses 'unexpected argument "x"' ktorture -f "$watches" x
refuses 'option --seed needs a number, not "x"' ktorture -f "$watches" --seed=x
refuses "cannot read $T/watches.yaml: No such file or directory" \
	ktorture -f "$T/watches.yaml"
refuses "option --fault needs --scenario" ktorture -f "$watches" --fault="409@$at"
refuses "option --fault: at most 2" ktorture -f "$watches" --scenario=life \
	--fault="409@$at" --fault="409@$at" --fault="409@$at"
refuses 'option --scenario: there is no "none"' \
	ktorture -f "$watches" --scenario=none --schedules=1
life=(ktorture -f "$watches" --scenario=life)
runs 100 "a fault that is not there" "${life[@]}" --fault="49@$at"
is "$(<"$T/err")" "ktorture: fatal: \"49@$at\": no fault is called \"49\": see ktorture(1)" \
	"... is named"

# operator NAME SED: a copy of memcached with a bug
operator() {
	cp -r "$ROOT/pipeline/memcached" "$T/$1"
	rm "$T/$1"/t/*.scenario
	sed -i "$2" "$T/$1/reconcile.jq"
	! cmp -s "$ROOT/pipeline/memcached/reconcile.jq" "$T/$1/reconcile.jq" ||
		flaw "$1: no bug"
}
operator syntax 's/^include.*/&\ndef broken: (;/'
runs 100 "a program that is not one" \
	ktorture -f "$T/syntax/watches.yaml" --schedules=1
ok "... is named" grep -q "^ktorture: fatal: .*reconcile\.jq" "$T/err"

# ---- a clean run ----

runs 0 "five schedules" "${life[@]}" --seed=3 --schedules=5
ok "... the last line counts" grep -qxE \
	'5 schedules, 0 failed, in [0-9]+ s: [0-9]+ a minute; seed 3' \
	<(tail -n 1 "$T/out")
is "$(head -n 1 "$T/out" | xargs)" \
	"faults schedules failed slowest, s most writes" "... below a table"
is "$(sed '1d; $d' "$T/out" | awk '{ n += $(NF - 3) } END { print n }')" 5 \
	"... whose rows are those five"
ok "... and which wrote something" test \
	"$(sed '1d; $d' "$T/out" | awk '{ print $NF }' | sort -n | tail -n 1)" -gt 5
runs 0 "one fault" "${life[@]}" --seed=1 --fault="409@$at"
is "$(grep -A 1 '^\*\*\*' "$T/out" | sed 's/^[0-9:.]* //')" "*** 409@$at
kapply PATCH /apis/apps/v1/namespaces/default/deployments/example: 409 (fault: 409)" \
	"... is in its story"
is "$(tail -n 1 "$T/out")" "Nothing is wrong." "... which ends well"

# The last example of the manual page, as it is typed.
cp -r pipeline/memcached "$T/typed"
awk '/^\.Bd/ { inside = 1; text = ""; next }
	/^\.Ed/ { inside = 0 }
	inside { gsub(/\\e/, "\\"); text = text $0 "\n" }
	END { printf "%s", text }' cmd/ktorture/ktorture.1 >"$T/typed/example"
runs 0 "$(head -n 1 "$T/typed/example") ..." bash -ec 'cd "$1"; . ./example' - \
	"$T/typed"
ok "... gives a page" grep -q '<title>recording' "$T/typed/story.html"

# ---- what there is ----

"${life[@]}" --seed=1 --list | sort >"$T/list"
"${life[@]}" --seed=1 --list | sort >"$T/again"
ok "--list: each fault, with its scenario" grep -qx "life 409@$at" "$T/list"
ok "... at each request" test "$(wc -l <"$T/list")" -gt 500
same "$T/again" "$T/list" "... the same again"
# kinds: the faults that there are
kinds() {
	sed -n 's/^life \([^@:]*\).*/\1/p' "$T/list" | sed 's/-after$//' | sort -u
}
is "$(kinds | while read -r kind; do
	grep -qE "^\.It Li (.* )?$kind( |\$)" cmd/ktorture/ktorture.1 ||
		echo "$kind"
done)" "" "the manual page has all kinds"
ok "... many" test "$(kinds | wc -l)" -gt 30

# ---- what is wrong ----

# The shortest scenario is written there.
cd "$T" || exit
operator ready 's/elif running then/elif true then/'
runs 1 "a status that is Ready at once" ktorture -f "$T/ready/watches.yaml" \
	--seed=1 --schedules=3 --scenario=life --only=409
is "$(head -n 2 "$T/out" | sed 's/generation.*//')" "life, without any fault:
  claim: Memcached default/example: it says Ready of " "... needs no fault"
last=$(tail -n 1 "$T/out")
ok "... the last line is a command" grep -q '^ktorture -f .* --seed=1 ' <<<"$last"
ok "... behind the totals" grep -q '^3 schedules, 3 failed, ' <(tail -n 2 "$T/out")
runs 1 "... which fails again" bash -c "$last"
ok "... in its words" grep -q '^  claim: Memcached default/example: ' \
	<(sed '1,/^Wrong:/d' "$T/out")

ok "... whose scenario is a file" test -s ktorture-1.scenario
cd "$ROOT" || exit

# The first one ends it, here one without a fault.
runs 1 "--fail-fast" ktorture -f "$T/ready/watches.yaml" --seed=1 \
	--scenario=life --fail-fast
ok "... no schedule is played" grep -q '^0 schedules, ' \
	<(tail -n 2 "$T/out")
is "$(tail -n 1 "$T/out")" \
	"ktorture -f $T/ready/watches.yaml --seed=1 --scenario='life' --fail-fast" \
	"... the last line is a command"
runs 1 "... which fails again" bash -c "$(tail -n 1 "$T/out")"
runs 1 "... of specs" ktorture -f "$T/ready/watches.yaml" --seed=1 --specs \
	--fail-fast
is "$(tail -n 1 "$T/out")" \
	"ktorture -f $T/ready/watches.yaml --seed=1 --specs --fail-fast" \
	"... has that"
runs 0 "--list of a scenario" ktorture -f "$watches" --scenario=two --seed=1 \
	--list
is "$(cut -d ' ' -f 1 "$T/out" | sort -u)" two "... has its faults alone"

# Pods of its own, which a rule leaves out of what is compared.
cp -r pipeline/experimental "$T/early"
sed -i '/\[\.outstanding\[\]\.metadata\.name\] - \$ending/d
	s/and all(\$pods\[\]; ready);/| all($pods[]; ready);/' \
	"$T/early/reconcile.jq"
runs 1 "a status that is Ready before its Pods" \
	ktorture -f "$T/early/watches.yaml" --seed=1 --scenario=life --fail-fast
ok "... is found without a fault" grep -q \
	'^  claim: Experimental default/example: .*Pod default/example-0 is not avail' \
	"$T/out"

# What it says depends on what it has said.
operator counts 's/^def desired: need_good_name | \[/def n: (.owned.Deployment[0].metadata.annotations.n \/\/ "0") | tonumber + 1;\ndef desired: need_good_name | n as $n | [/
	s/^  })$/  }) | .metadata.annotations.n = ($n | tostring)/'
sed -i 's/^  program: .*/&\n  desiredReads: [owned]/' "$T/counts/watches.yaml"
runs 1 "a program that feeds itself" ktorture -f "$T/counts/watches.yaml" \
	--seed=1 --scenario=life --fail-fast
ok "... is found without a fault" grep -q \
	'^  requests: the operator writes in a loop: .*\.metadata\.annotations\.n' \
	"$T/out"

# Only with a fault.
operator error 's/condition("Ready"; false; "Failed"; .error)/condition("Ready"; true; "Failed"; .error)/'
in_error=(ktorture -f "$T/error/watches.yaml" --scenario=life)
runs 1 "a status that is Ready after an error" "${in_error[@]}" --seed=1 \
	--fault="403-while:40000@$at"
ok "... is found with a fault" grep -q '^  claim: Memcached default/example: ' \
	"$T/out"
runs 0 "... and not without" "${in_error[@]}" --seed=1 --fault="delay:2000@$at"

# ---- make torture ----

runs 0 "make torture" make -s torture OPERATOR=memcached SEED=3 SECONDS=0 \
	ARGS="--schedules=2 --scenario=life"
is "$(tail -n 1 "$T/out" | sed 's/, in.*;/;/')" "2 schedules, 0 failed; seed 3" \
	"... plays an operator of pipeline/"
for folder in "" none; do
	runs 2 "make torture OPERATOR=$folder" make -s torture "OPERATOR=$folder"
	is "$(head -n 1 "$T/err")" \
		"make torture: OPERATOR=NAME must be a folder in pipeline/" \
		"... says which"
	ok "... with 100" grep -q 'Error 100$' "$T/err"
done
kgen new web -o "$T/web" --group example.com --kind Web 2>"$T/err"
runs 0 "make torture in a folder of kgen" make -s -C "$T/web" torture \
	KPIPE="$ROOT" SEED=3 ARGS="--schedules=2 --scenario=life"
is "$(tail -n 1 "$T/out" | sed 's/, in.*;/;/')" "2 schedules, 0 failed; seed 3" \
	"... plays that"
rm "$T/web/watches.yaml"
runs 2 "... without watches.yaml" make -s -C "$T/web" torture KPIPE="$ROOT"
is "$(head -n 1 "$T/err")" \
	"ktorture: fatal: cannot read watches.yaml: No such file or directory" \
	"... says so"
ok "... with 100" grep -q 'Error 100$' "$T/err"
done_testing
