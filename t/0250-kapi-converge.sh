#!/bin/bash
# Watches of kapi deliver every change once and in order, also to clients that
# lose the connection, come too late, or list in pages: t/kapi/converge. SEED=N
# repeats a run, CONVERGE_SECONDS sets its length.
# shellcheck source=t/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=t/kapi.sh
. "${0%/*}/kapi.sh"

command -v python3 >/dev/null || skip_all "needs python3"
kapi_up
seed=${SEED:-$RANDOM}
t/kapi/converge "$url" "${CONVERGE_SECONDS:-1.5}" "$seed" >"$T/out" 2>"$T/err"
is "$(<"$T/out")" "0 wrong" "watchers know in the end what is there" ||
	note "SEED=$seed"
ok "... after writes, lost connections and lost history" jq -e \
	'.writes > 100 and .events > 300 and .reconnects > 20 and .relists > 8' \
	"$T/err"
note "$(<"$T/err")"
kapi_down
done_testing
