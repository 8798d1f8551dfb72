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

# accepted WHAT: the program on stdin
accepted() {
	cat >"$T/reconcile.jq"
	runs 0 "$1" ireconcile -f "$T/watches.yaml" </dev/null
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
