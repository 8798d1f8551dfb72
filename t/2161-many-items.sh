#!/bin/bash
# ireconcile: a primary with many items takes time by their number, not by its
# square.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches dependents: '- {apiVersion: v1, kind: ConfigMap, manage: true}'
cat >"$T/program.jq" <<'END'
def desired: [range(.primary.spec.n) | {apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "c\(.)"}}];
END

# arrive N: a primary with N items, of which the first 60 arrive one by one
arrive() {
	initially "$(thing a 1 "" "\"spec\":{\"n\":$1}")"
	thing a 1 "" "\"spec\":{\"n\":$1}" >"$T/one"
	ireconcile -f "$T/watches.yaml" <"$T/one" | jq -c '.items[:60][] |
		.metadata += {uid: .metadata.name, resourceVersion: "2"} |
		{type: "ADDED", time: "2026-01-01T00:00:01Z", object: .}'
}
# cost N: milliseconds of processor time
cost() {
	arrive "$1" >"$T/in"
	TIMEFORMAT='%U %S'
	{ time timeout 600 ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" \
		>"$T/out"; } 2>&1 | awk '{ print int(($1 + $2) * 1000) }'
}
few=$(cost 500)
is "$(head -n 1 "$T/out" | jq '.items | length')" 500 "500 items"
many=$(cost 4000)
is "$(head -n 1 "$T/out" | jq '.items | length')" 4000 "4000 items"
# 60 evaluations of 8 times as many items: 8 times as many steps, not 64.
ok "the time of an evaluation grows with the number of items" \
	test "$many" -lt $((few * 16 + 300)) || note "$few ms, then $many ms"
done_testing
