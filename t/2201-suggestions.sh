#!/bin/bash
# A function that is not defined: what was perhaps meant.
. "${0%/*}/lib.sh"

printf '%s\n' '- group: e.com' '  version: v1' '  kind: T' \
	'  program: reconcile.jq' >"$T/watches.yaml"

# refused MESSAGE WHAT: the program on stdin
refused() {
	cat >"$T/reconcile.jq"
	runs 100 "$2" ireconcile -f "$T/watches.yaml" </dev/null
	is "$(sed 's/.*reconcile\.jq:/reconcile.jq:/' "$T/err")" "$1" "... so"
}

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
done_testing
