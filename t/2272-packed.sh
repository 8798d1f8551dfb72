#!/bin/bash
# Objects come out as they went in, however their texts are kept: random ones,
# alike and unlike, that come, change, go and come again.
. "${0%/*}/lib.sh"

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  related:
  - {apiVersion: v1, kind: Secret, map: {field: spec.secret}}
END
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [config_map(.primary.metadata.name; {}; {
	primary: (.primary | tojson), secret: (.related.Secret | tojson)})];
END

# events: random changes of 150 Things and as many Secrets, a third of them
# before their initial state is complete; then a change of every Thing.
events() {
	python3 - <<'END'
import json, random
rnd = random.Random(7)
serial = 0
def kind(name):
    return ("v1", "Secret") if name[0] == "s" else ("example.com/v1", "Thing")
def value(depth):
    pick = rnd.randrange(6)
    if pick == 0:
        return "".join(chr(rnd.choice([34, 92, 10, 233, 0x1f600] +
            list(range(35, 92)))) for _ in range(rnd.randrange(60)))
    if pick == 1 or depth == 0:
        return rnd.choice(["/dev/termination-log", "IfNotPresent", "", True,
            None, 0, 1.5, "default-scheduler"])
    if pick == 2:
        return [value(depth - 1) for _ in range(rnd.randrange(5))]
    return {rnd.choice(["path", "resources", "ports", "image%d" %
        rnd.randrange(99)]): value(depth - 1) for _ in range(rnd.randrange(5))}
def put(type, name):
    global serial
    serial += 1
    api, k = kind(name)
    data = {"spec": {"secret": "s" + name[1:], "any": value(5)}}
    if rnd.randrange(50) == 0:
        data["spec"]["any"] = ["x" * 50000, rnd.random()]
    print(json.dumps({"type": type, "object": {"apiVersion": api, "kind": k,
        "metadata": {"name": name, "namespace": "ns", "uid": "u-" + name,
            "resourceVersion": str(serial)}, **data}}, sort_keys=True,
        separators=(",", ":")))
def complete():
    for api, k in (("v1", "Secret"), ("example.com/v1", "Thing"),
            ("v1", "ConfigMap")):
        print(json.dumps({"type": "BOOKMARK", "object": {"apiVersion": api,
            "kind": k, "metadata": {"annotations":
            {"k8s.io/initial-events-end": "true"}}}}))
names = [c + str(i) for c in "ts" for i in range(150)]
there = set()
for step in range(2500):
    if step == 800:
        complete()
    name = rnd.choice(names)
    if name in there and rnd.randrange(4) == 0:
        put("DELETED", name)
        there.discard(name)
    else:
        put("MODIFIED" if name in there else "ADDED", name)
        there.add(name)
for name in sorted(there):
    if name[0] == "t":
        put("MODIFIED", name)
END
}
events >"$T/events"

# What is there after all events: "NAME PRIMARY SECRETS", sorted.
jq -ncrS 'reduce (inputs | select(.type != "BOOKMARK")) as $e ({};
	if $e.type == "DELETED" then del(.[$e.object.metadata.name])
	else .[$e.object.metadata.name] = $e.object end)
	| . as $all | .[] | select(.kind == "Thing")
	| "\(.metadata.name) \(tojson) \([$all[.spec.secret] // empty] | tojson)"' \
	"$T/events" | sort >"$T/want"
runs 0 "random events" ireconcile -f "$T/watches.yaml" --clock=input <"$T/events"
jq -cr '.reconcile.primary.name as $name | .items[0].data | select(. != null)
	| "\($name) \(.primary) \(.secret)"' "$T/out" | tac |
	awk 'NR == FNR {there[$1]; next} $1 in there && !seen[$1]++' \
		"$T/want" - | sort >"$T/got"
[ "$(wc -l <"$T/want")" -gt 80 ]
tap $? "... leave many objects"
ok "every program got them as they were" cmp "$T/got" "$T/want"
done_testing
