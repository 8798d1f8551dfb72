#!/bin/bash
# Expensive primaries wait: namespaces take turns, and a primary whose
# evaluation took long is not evaluated again at once.
. "${0%/*}/lib.sh"
. t/ireconcile.sh
. "${0%/*}/clock/lib.sh"
clock_begin

write_program
# Well above the 50 ms of an expensive evaluation, and well below its limit.
much=4 sandbox=--sandbox=auto
! nm -D "$BIN/ireconcile" | grep -q __asan_init || sandbox=--sandbox=off
cat >"$T/program.jq" <<'END'
def desired: (reduce range(.primary.spec.n * 100000) as $i (0; . + 1)) as $x
	| [{apiVersion: "v1", kind: "ConfigMap",
	   metadata: {name: .primary.metadata.name}, data: {k: .primary.spec.k}}];
END

# in_namespace NAMESPACE NAME N RV
in_namespace() {
	thing "$2" "$4" "" "$(spec "$3" "v$4")" |
		sed 's/"namespace":"ns"/"namespace":"'"$1"'"/'
	echo
}

# All wait until the gate opens, so that the order is that of the queue.
mkfifo "$T/gate" "$T/input"
start bash -c "exec ireconcile -f '$T/watches.yaml' $sandbox --gate-fd=7 --report-fd=8 \
	<'$T/input' >'$T/out' 2>'$T/err' 7<>'$T/gate' 8>'$T/report'"
pid=$!
exec 6>"$T/input"
{
	begin_all
	for i in {1..6}; do
		in_namespace busy "busy-$i" "$much" 1
	done
	in_namespace quiet quiet-1 0 1
	in_namespace quiet quiet-2 0 1
	in_namespace calm calm-1 0 1
	end_all
} >&6
ok "all is read" wait_for 20 test -s "$T/report"
echo >"$T/gate"
all() { [ "$(wc -l <"$T/out")" -eq "$1" ]; }
ok "all are evaluated" wait_for 60 all 9
is "$(jq -r .reconcile.primary.name "$T/out" | xargs)" \
	"busy-1 calm-1 quiet-1 quiet-2 busy-2 busy-3 busy-4 busy-5 busy-6" \
	"a namespace that took much comes after those that took little"

# Ten changes of an expensive primary, each with a change of another primary.
value() { grep -q '"k":"v'"$2"'".*"name":"'"$1"'"' "$T/out"; }
in_namespace busy slow "$much" 1 >&6
wait_for 30 value slow 1
for i in {2..11}; do
	in_namespace busy slow "$much" "$i" >&6
	in_namespace busy other 0 "$i" >&6
	wait_for 30 value other "$i" || break
done
ok "one that is cheap is evaluated each time" [ "$i" -eq 11 ]
exec 6>&-
wait "$pid"
is "$?" 0 "... exit code"
# It waits ten times as long as its evaluation took, or until the input ends.
slow=$(jq -r 'select(.reconcile.primary.name == "slow").reconcile.primary.name' \
	"$T/out" | wc -l)
ok "... the expensive one is not ($slow times)" [ "$slow" -lt 6 ]
says "" "... without a word"

done_testing
