#!/bin/bash
# `make test` and `make accept` of a folder of kgen: programs with `random`, and
# programs that never gave an answer.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

cd "$T" || exit
kgen new x --group e.com --kind Xx 'a: string' 2>/dev/null
cd x || exit
folder() { # TARGET
	make -s "$1" KPIPE="$OLDPWD_KPIPE"
}
OLDPWD_KPIPE=$(realpath "$(dirname "$(command -v kpipe)")/..")
runs 0 "the test of a new folder" folder test
is "$(<"$T/out")" "ok life.jsonl" "... passes"

sed -i 's/"Progressing"/"Going"/' reconcile.jq
runs 2 "a changed program fails" folder test
is "$(<"$T/out")" '--- t/life.out
+++ as it is now
@@ -11,3 +11,3 @@
 line 1 .status.conditions[0].observedGeneration: 1
-line 1 .status.conditions[0].reason: "Progressing"
+line 1 .status.conditions[0].reason: "Going"
 line 1 .status.conditions[0].status: "False"
not ok life.jsonl: make accept keeps the new output' \
	"... and the fields that differ are shown, each on a line"
sed -i 's/config_map(name; labels; /&{null: "", list: "[]"} + /' reconcile.jq
runs 2 "a changed item fails" folder test
is "$(grep '^[-+]line.*data' "$T/out")" '+line 1 ConfigMap/xx-example .data.list: "[]"
+line 1 ConfigMap/xx-example .data.null: ""' "... with the name of its object"
mv t/life.out "$T/life.out"
runs 2 "a test without an expected output fails" folder test
is "$(<"$T/out")" \
	"not ok life.jsonl: there is no t/life.out yet: make accept writes it" \
	"... and says how to make it"

cat >reconcile.jq <<'END'
include "operator";
def desired: [config_map("a"; {}; {v: random("a"; 8)})];
def status: {error};
END
sed -i 's/^  program:/  random: true\n&/' watches.yaml
runs 0 "a program with random is accepted" folder accept
ok "... with what it makes" jq -e -s '.[0].items[0].data.v | length == 8' \
	t/life.out
runs 0 "... and tested" folder test

cp t/life.out "$T/before"
sed -i '/random: true/d' watches.yaml
runs 2 "a program that only fails is not accepted" folder accept
is "$(<"$T/out")" "not ok life.jsonl: the program gave no answer; events that are not of this program are removed, or recorded again by make record" \
	"... with a message"
cp t/life.jsonl t/a.jsonl
runs 2 "two recordings" folder test
is "$(cut -d ';' -f 1 "$T/out")" "not ok a.jsonl: the program gave no answer
not ok life.jsonl: the program gave no answer" "... are both tried"
rm t/a.jsonl
same t/life.out "$T/before" "... and the expected output is as it was"
jq -c . <<<'{"items":[],"delete":[],"status":{"error":"random needs random: true in the entry of watches.yaml"}}' \
	>t/life.out
runs 2 "... nor is it tested, whatever is expected" folder test
: >t/life.jsonl
runs 2 "an empty recording fails" folder test
done_testing
