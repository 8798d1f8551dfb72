#!/bin/bash
# ireconcile: as_seen(OBJECT), which is kept as desired only in the version that
# the program saw.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
echo "  desiredReads: [owned]" >>"$T/watches.yaml"
program() { # ITEM
	cat >"$T/program.jq" <<END
include "operator";
def cm: {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "a-0"}, data: {k: "v"}};
def seen: cm + {metadata: {name: "a-0",
	resourceVersion: (.owned.ConfigMap[0].metadata.resourceVersion // "7")}};
def desired: [$1];
def status: {error: .error};
END
}
# outcome EVENT...: of each line the version of its item, what is asSeen, and
# the error of the status
outcome() {
	given thing a 1 "" '"status":{"error":null}'
	and printf '%s\n' "$@"
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>"$T/err" |
		jq -c '[.items[].metadata.resourceVersion,
			.reconcile.asSeen[]?, .reconcile.status.error?]'
}

program 'as_seen(seen)'
is "$(outcome)" "" "what does not exist is not created"
is "$(outcome "$(observed a-0 a v 2)")" "" "what agrees is in no line"
is "$(outcome "$(observed a-0 a w 2)")" '["2","ConfigMap/ns/a-0",null]' \
	"a difference: with the version that the program saw"
given initially "$(thing a 1 "" '"status":{"error":null}')" \
	"$(observed a-0 a w 2)"
and event MODIFIED "$(observed a-0 a w 3)"
is "$(ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>"$T/err" |
	jq -c '[.items[].metadata.resourceVersion]')" '["2"]
["3"]' "another version is another line, at once"
program 'exactly(as_seen(seen))'
is "$(outcome "$(observed a-0 a w 2)")" '["2","ConfigMap/ns/a-0",null]' \
	"it may be exactly, too"
program 'if_exists(as_seen(seen))'
is "$(outcome "$(observed a-0 a w 2)")" '["2","ConfigMap/ns/a-0",null]' \
	"... and if_exists, which it is"

refused() { # ITEM MESSAGE
	program "$1"
	outcome "$(observed a-0 a w 2)" >/dev/null
	ok "$1 is refused" grep -qF "item 0 (ConfigMap a-0) $2" "$T/err"
}
refused 'once(as_seen(seen))' 'is both once and as_seen'
refused 'keep(as_seen(seen))' 'is keep and something else, too'
refused 'patch_only(as_seen(seen))' 'is patch_only and something else, too'
refused 'as_seen(cm)' 'is as_seen, and has no resourceVersion that was seen'
refused 'as_seen(cm | .metadata.resourceVersion = 7)' \
	'is as_seen, and has no resourceVersion that was seen'
done_testing
