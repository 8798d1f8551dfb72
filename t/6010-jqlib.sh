#!/bin/bash
# lib/jq: each function on small inputs, through ireconcile. A line of a
# table is EXPRESSION ~ INPUT ~ RESULT; the expression sees the input as `$in`
# and the program's own input as `.`; an error gives its text.
. "${0%/*}/lib.sh"

export TZDIR=$PWD/t/unit/ireconcile/crontab/zoneinfo

cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
END

# cases WHAT: the table on stdin
cases() {
	local n=0 expression in want

	{
		echo 'include "operator"; def desired: [];'
		echo 'def status: .primary.spec.in as $in | {r: ('
	} >"$T/program.jq"
	rm -f "$T/expressions" "$T/events" "$T/wanted"
	while IFS='~' read -r expression in want; do
		echo "$expression" >>"$T/expressions"
		printf 'if .primary.spec.n == %d then try (%s) catch . else\n' \
			"$n" "$expression" >>"$T/program.jq"
		jq -cn --argjson n "$n" --argjson in "$in" '{
			apiVersion: "example.com/v1", kind: "Thing",
			metadata: {name: "t\($n + 1000)", namespace: "a",
				uid: "u\($n)", resourceVersion: "1",
				generation: 3},
			spec: {n: $n, in: $in},
			status: ($in | .status? // {})}' >>"$T/events"
		jq -cSn --argjson want "$want" '$want' >>"$T/wanted"
		n=$((n + 1))
	done
	printf 'null %s)};\n' "$(printf 'end %.0s' $(seq "$n"))" >>"$T/program.jq"
	ireconcile -f "$T/watches.yaml" --clock=input --all \
		<"$T/events" >"$T/lines" 2>"$T/err"
	is "$(<"$T/err")" "" "$1: no complaints"
	jq -cS '.reconcile.status.r' "$T/lines" >"$T/results"
	paste "$T/expressions" "$T/results" >"$T/got"
	paste "$T/expressions" "$T/wanted" >"$T/want"
	same "$T/got" "$T/want" "$1"
}

cases "text and defaults" <<'END'
"abc" | sha256~null~"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
1 | try sha256 catch "refused"~null~"refused"
[$in[] | text]~["a", null, 1, true]~["a", "", "1", "true"]
[$in[] | is_dns_label]~["a", "a-1", "1a", "-a", "a-", "A", "a.b", "", "a\n", "a_b"]~[true, true, true, false, false, false, false, false, false, false]
[63, 64 | . as $n | "a" * $n | is_dns_label]~null~[true, false]
name_for("a"; "b")~null~"a-c14cddc033"
[$in[] | name_for(.; 1) | is_dns_label]~["a", "A.b", "", "-", "a-", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]~[true, true, true, true, true, true]
[name_for("a"; 1), name_for("a"; "1")] | unique | length~null~1
[name_for("a"; 1), name_for("a"; 2), name_for("b"; 1), name_for("A"; 1)] | unique | length~null~4
name_for("x" * 300; 1) | length~null~63
name_for(1) | startswith("t1")~null~true
try name_for("a"; null) catch .~null~"name_for: text is needed, not null"
"abc" | is_dns_label(2)~null~false
$in | compact~{"a": null, "b": {}, "c": [], "d": "", "e": 0, "f": false, "g": [1]}~{"d": "", "e": 0, "f": false, "g": [1]}
$in | filled({a: "x", b: 1, c: {d: true, e: "z"}, f: []})~{"a": null, "c": {"d": false, "e": ""}, "other": 1}~{"a": "x", "b": 1, "c": {"d": false, "e": "z"}, "f": []}
$in | filled({a: "", b: 1, f: []})~{"a": "y", "b": 0, "f": [{"g": null}]}~{"a": "y", "b": 0, "f": [{"g": null}]}
$in | filled({a: {b: "c"}})~null~{"a": {"b": "c"}}
$in | need(. == 1; "not one")~1~1
$in | need(. == 1; "not one")~2~"not one"
fail("because")~null~"because"
END

cases "items" <<'END'
once({a: 1})~null~{"kpipe.dev/once": {"a": 1}}
if_exists({a: 1})~null~{"kpipe.dev/if-exists": {"a": 1}}
as_seen({a: 1})~null~{"kpipe.dev/as-seen": {"a": 1}}
exactly({a: 1})~null~{"kpipe.dev/exactly": {"a": 1}}
retain({a: 1})~null~{"kpipe.dev/retain": {"a": 1}}
delete_foreign({a: 1})~null~{"kpipe.dev/delete-foreign": {"a": 1}}
patch_only({a: 1})~null~{"kpipe.dev/patch": {"a": 1}}
keep({a: 1})~null~{"kpipe.dev/keep": {"a": 1}}
after({a: 1}; {b: 2})~null~{"kpipe.dev/after": {"object": {"a": 1}, "others": [{"b": 2}]}}
[after({a: 1}; [{b: 2}], {c: 3}, []), after({a: 1}; empty)] | map(.["kpipe.dev/after"].others)~null~[[{"b": 2}, {"c": 3}], []]
independent({a: 1})~null~{"kpipe.dev/independent": {"a": 1}}
{a: {b: 1}} | immutable(.a.b, .c)~null~{"kpipe.dev/immutable": {"object": {"a": {"b": 1}}, "paths": [["a", "b"], ["c"]]}}
namespace("n"; {a: "b"})~null~{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n", "labels": {"a": "b"}}}
config_map("n"; {}; {k: "v"}) | in_namespace("x") | annotated({a: "b"})~null~{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "n", "namespace": "x", "annotations": {"a": "b"}}, "data": {"k": "v"}}
service("n"; {a: "b"}; {ports: [{port: 1}], type: "LoadBalancer"})~null~{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "n", "labels": {"a": "b"}}, "spec": {"selector": {"a": "b"}, "ports": [{"port": 1}], "type": "LoadBalancer"}}
deployment(.primary.metadata.name[:1]; {a: "b"}; {replicas: 2, annotations: {c: "d"}, containers: [{name: "x"}]})~null~{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "t", "labels": {"a": "b"}}, "spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}, "spec": {"containers": [{"name": "x"}]}}}}
deployment("t"; null; $in) | [.metadata, .spec.template.spec, (.spec | del(.template))]~null~[{"name": "t"}, null, {"selector": {"matchLabels": null}}]
deployment("t"; {}; $in).spec | [tojson, .template.spec]~{"zz": 1, "replicas": null, "paused": false, "annotations": {}, "aa": null}~["{\"replicas\":null,\"paused\":false,\"selector\":{\"matchLabels\":{}},\"template\":{\"metadata\":{},\"spec\":{\"zz\":1,\"aa\":null}}}", {"zz": 1, "aa": null}]
[$in[] | try (deployment("t"; {}; .) | "none") catch .]~[1, "a", true, [], {}]~["Cannot index number with string", "Cannot index string with string", "Cannot index boolean with string", "Cannot index array with string", "none"]
statefulset("n"; {a: "b"}; {replicas: 0, volumeClaimTemplates: [claim("c"; "1Gi")], containers: []}) | .spec~null~{"serviceName": "n", "replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": []}}, "volumeClaimTemplates": [{"metadata": {"name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]}
statefulset("n"; {}; {serviceName: "s"}) | .spec.serviceName~null~"s"
daemonset("n"; {a: "b"}; {containers: [1]}) | .spec.template.spec~null~{"containers": [1]}
[named($in; "b", "c")]~[{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]~[{"metadata": {"name": "b"}}, null]
END

cases "conditions" <<'END'
condition("Ready"; true; "Done"; null)~null~{"type": "Ready", "status": "True", "reason": "Done", "message": "", "lastTransitionTime": "1970-01-01T00:00:00Z", "observedGeneration": 3}
condition("Ready"; false; "Busy"; "m")~{"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Old", "lastTransitionTime": "2020-01-01T00:00:00Z"}]}}~{"type": "Ready", "status": "False", "reason": "Busy", "message": "m", "lastTransitionTime": "2020-01-01T00:00:00Z", "observedGeneration": 3}
condition("Ready"; true; "Done"; "m").lastTransitionTime~{"status": {"conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "2020-01-01T00:00:00Z"}]}}~"1970-01-01T00:00:00Z"
condition("Ready"; null; "Lost"; "m").status~{"status": {"conditions": [{"type": "Other", "status": "Unknown", "lastTransitionTime": "2020-01-01T00:00:00Z"}]}}~"Unknown"
{primary: {}, now: 0} | condition("Ready"; true; "Done"; "m") | has("observedGeneration")~null~false
condition("Ready"; 1; "Done"; "m")~null~"condition: true, false or null, not number"
condition("Ready"; "yes"; "Done"; "m")~null~"condition: true, false or null, not string"
condition("not ready"; true; "Done"; "m")~null~"condition: \"not ready\" is not a type"
condition(null; true; "Done"; "m")~null~"condition: null is not a type"
condition("Ready"; true; ""; "m")~null~"condition Ready: \"\" is not a reason, which is one word such as NotReady"
[["", "not one", "1st", "a-b", null, ("a" * 1025)][] as $r | try (condition("Ready"; true; $r; "m") | "no error") catch "refused"] | unique~null~["refused"]
handled~null~{}
. + {outstanding: $in} | outstanding_names~[{"kind": "Secret", "metadata": {"namespace": "a", "name": "x"}}, {"kind": "Pod", "metadata": {"namespace": "b", "name": "y"}, "path": ".spec"}, {"kind": "Node", "metadata": {"name": "z"}}]~["Secret x", "Pod b/y", "Node z"]
. + {outstanding: []} | outstanding_names~null~[]
{primary: {metadata: {annotations: {"reconcile.fluxcd.io/requestedAt": "7"}}}} | handled~null~{"lastHandledReconcileAt": "7"}
condition("example.com/Ready"; "Unknown"; "A,b:c_d"; 3) | [.type, .status, .reason, .message]~null~["example.com/Ready", "Unknown", "A,b:c_d", "3"]
condition("Ready"; true; "Done"; "ä" * 32768).message | length~null~32768
condition("Ready"; true; "Done"; "ä" * 32769).message | [length, .[-4:]]~null~[32768, "ä..."]
1700000000.75 | rfc3339~null~"2023-11-14T22:13:20Z"
END

d='{"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"generation": 2}, "spec": {"replicas": 2}, "status": {"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2, "conditions": [{"type": "Available", "status": "True"}]}}'
s='{"kind": "StatefulSet", "apiVersion": "apps/v1", "metadata": {"generation": 1}, "spec": {"replicas": 2}, "status": {"observedGeneration": 1, "replicas": 2, "readyReplicas": 2, "currentReplicas": 2, "currentRevision": "a", "updateRevision": "a"}}'
cases "ready: workloads" <<END
\$in | ready~$d~true
\$in | .status.observedGeneration = 1 | ready~$d~false
\$in | .status.replicas = 3 | ready~$d~false
\$in | .status.updatedReplicas = 1 | ready~$d~false
\$in | .status.readyReplicas = 1 | ready~$d~false
\$in | del(.status.availableReplicas) | ready~$d~false
\$in | .status.unavailableReplicas = 1 | ready~$d~false
\$in | .metadata.deletionTimestamp = "x" | ready~$d~false
\$in | del(.status) | ready~$d~false
\$in | .spec.replicas = 0 | .status = {observedGeneration: 2} | ready~$d~true
\$in | del(.spec.replicas) | ready~$d~false
\$in | ready~$s~true
\$in | .spec.replicas = 0 | .status = {observedGeneration: 1, currentRevision: "a", updateRevision: "a"} | ready~$s~true
\$in | .status.updateRevision = "b" | ready~$s~false
\$in | del(.status.readyReplicas) | ready~$s~false
\$in | .status.replicas = 1 | ready~$s~false
\$in | .metadata.generation = 2 | ready~$s~false
\$in | ready~null~false
\$in | ready~{"kind": "DaemonSet", "metadata": {"generation": 1}, "status": {"observedGeneration": 1, "desiredNumberScheduled": 0}}~true
\$in | ready~{"kind": "DaemonSet", "metadata": {"generation": 1}, "status": {"observedGeneration": 1}}~false
\$in | ready~{"kind": "DaemonSet", "metadata": {"generation": 1}, "status": {"observedGeneration": 1, "desiredNumberScheduled": 1, "currentNumberScheduled": 1, "updatedNumberScheduled": 1, "numberAvailable": 1}}~false
\$in | ready~{"kind": "ReplicaSet", "metadata": {"generation": 1}, "status": {"observedGeneration": 1, "replicas": 1, "fullyLabeledReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}}~true
\$in | ready~{"kind": "ReplicaSet", "metadata": {"generation": 1}, "status": {"observedGeneration": 1, "replicas": 1, "fullyLabeledReplicas": 1, "readyReplicas": 1}}~false
END

cases "ready: other kinds" <<'END'
$in | ready~{"kind": "Pod", "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}~true
$in | ready~{"kind": "Pod", "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}}~false
$in | ready~{"kind": "Pod", "status": {"phase": "Succeeded"}}~true
$in | ready~{"kind": "Pod", "status": {"phase": "Failed"}}~false
$in | ready~{"kind": "Job", "status": {"startTime": "x"}}~false
$in | ready~{"kind": "Job", "status": {"conditions": [{"type": "Complete", "status": "True"}]}}~true
$in | ready~{"kind": "Job", "status": {"conditions": [{"type": "Failed", "status": "True"}]}}~false
$in | ready~{"kind": "Service", "apiVersion": "v1", "spec": {"type": "LoadBalancer", "clusterIP": "10.0.0.1"}}~false
$in | ready~{"kind": "Service", "apiVersion": "v1", "spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}~true
$in | ready~{"kind": "Service", "apiVersion": "v1", "spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": []}}}~false
$in | ready~{"kind": "Service", "apiVersion": "v1", "spec": {}}~true
$in | ready~{"kind": "PersistentVolumeClaim", "status": {"phase": "Bound"}}~true
$in | ready~{"kind": "PersistentVolumeClaim", "status": {"phase": "Pending"}}~false
$in | ready~{"kind": "CustomResourceDefinition", "status": {"conditions": [{"type": "Established", "status": "True"}]}}~true
$in | ready~{"kind": "CustomResourceDefinition", "status": {"conditions": [{"type": "Established", "status": "True"}, {"type": "NamesAccepted", "status": "False"}]}}~false
$in | ready~{"kind": "PodDisruptionBudget", "metadata": {"generation": 1}, "status": {"observedGeneration": 1, "currentHealthy": 1, "desiredHealthy": 2}}~false
$in | ready~{"kind": "Namespace", "status": {"phase": "Active"}}~true
$in | ready~{"kind": "Secret"}~true
$in | ready~{"kind": "Thing", "status": {"conditions": [{"type": "Ready", "status": "False"}]}}~false
$in | ready~{"kind": "Thing", "metadata": {"generation": 2}, "status": {"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True"}]}}~false
$in | ready~{"kind": "Thing", "status": {"conditions": [{"type": "Stalled", "status": "True"}]}}~false
END

p='{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}'
cases "kstatus" <<END
\$in | kstatus~null~"NotFound"
\$in | kstatus~$d~"Current"
\$in | .spec.progressDeadlineSeconds = 600 | kstatus~$d~"InProgress"
\$in | .spec.progressDeadlineSeconds = 600 | .status.conditions += [$p] | kstatus~$d~"Current"
\$in | .status.conditions += [{type: "Progressing", reason: "ProgressDeadlineExceeded"}] | kstatus~$d~"Failed"
\$in | .status.conditions = [] | kstatus~$d~"InProgress"
\$in | .metadata.generation = 3 | kstatus~$d~"InProgress"
\$in | .metadata.deletionTimestamp = "x" | kstatus~$d~"Terminating"
\$in | .status.conditions = [{type: "Reconciling", status: "True"}, {type: "Stalled", status: "True"}] | kstatus~$d~"InProgress"
\$in | .status.conditions = [{type: "Stalled", status: "True"}] | kstatus~$d~"Failed"
\$in | kstatus~$s~"Current"
\$in | .status.updateRevision = "b" | kstatus~$s~"InProgress"
\$in | .spec.updateStrategy = {type: "OnDelete"} | .status.readyReplicas = 0 | kstatus~$s~"Current"
\$in | .spec.updateStrategy.rollingUpdate.partition = 1 | .status.updatedReplicas = 1 | .status.updateRevision = "b" | kstatus~$s~"Current"
\$in | .spec.updateStrategy.rollingUpdate.partition = 0 | .status.updatedReplicas = 1 | kstatus~$s~"InProgress"
\$in | kstatus~{"kind": "Pod", "status": {"phase": "Failed"}}~"Current"
\$in | kstatus~{"kind": "Pod", "status": {"phase": "Running", "containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}}~"Failed"
\$in | kstatus~{"kind": "Pod", "status": {"phase": "Pending"}}~"InProgress"
\$in | kstatus~{"kind": "Pod", "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}}~"Failed"
\$in | kstatus~{"kind": "Job", "status": {}}~"InProgress"
\$in | kstatus~{"kind": "Job", "status": {"startTime": "x"}}~"Current"
\$in | kstatus~{"kind": "Job", "status": {"conditions": [{"type": "Failed", "status": "True"}]}}~"Failed"
\$in | kstatus~{"kind": "Service", "spec": {"type": "LoadBalancer", "clusterIP": "10.0.0.1"}}~"Current"
\$in | kstatus~{"kind": "Service", "spec": {"type": "LoadBalancer", "clusterIP": ""}}~"InProgress"
\$in | kstatus~{"kind": "PersistentVolumeClaim", "status": {"phase": "Pending"}}~"InProgress"
\$in | kstatus~{"kind": "CustomResourceDefinition", "status": {"conditions": [{"type": "Established", "status": "False", "reason": "Installing"}]}}~"InProgress"
\$in | kstatus~{"kind": "CustomResourceDefinition", "status": {"conditions": [{"type": "NamesAccepted", "status": "False"}]}}~"Failed"
\$in | kstatus~{"kind": "DaemonSet", "metadata": {"generation": 1}, "status": {"observedGeneration": 1}}~"InProgress"
\$in | kstatus~{"kind": "ReplicaSet", "status": {"fullyLabeledReplicas": 1, "availableReplicas": 1, "readyReplicas": 1, "replicas": 1}}~"Current"
\$in | kstatus~{"kind": "Thing"}~"Current"
\$in | kstatus~{"kind": "Thing", "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}~"InProgress"
END

cases "from_yaml" <<'END'
$in | from_yaml~"a: [yes, 0644, 1_000, null, \"no\", 1.50, 2026-01-01]\ny: b\n"~[{"a": [true, 420, 1000, null, "no", 1.5, "2026-01-01"], "true": "b"}]
$in | from_yaml~"---\n# nothing\n---\na: 1\n--- \n- b\n"~[{"a": 1}, ["b"]]
$in | from_yaml~""~[]
$in | from_yaml~"a: {<<: {b: 1, c: 2}, c: 3}"~[{"a": {"b": 1, "c": 3}}]
$in | from_yaml~"a: 1\nb: [\n"~"from_yaml: line:3: did not find expected node content while parsing a flow node"
$in | from_yaml~1~"from_yaml takes a string"
END

# Text of several lines with odd characters, compared as a whole.
cases "to_yaml" <<'END'
$in | to_yaml~{"b": [], "a": {}, "c": null, "d": [1, -1.5, true, "x"]}~"a: {}\nb: []\nc: null\nd:\n  - 1\n  - -1.5\n  - true\n  - \"x\"\n"
$in | to_yaml~["yes", "5432", "", " x ", "a: b", "# c", "null", "2020-01-01", "\"q\" \\"]~"- \"yes\"\n- \"5432\"\n- \"\"\n- \" x \"\n- \"a: b\"\n- \"# c\"\n- \"null\"\n- \"2020-01-01\"\n- \"\\\"q\\\" \\\\\"\n"
$in | to_yaml~{"yes": 1, "N": 2, "5": 3, "a b": 4, "k.l_m-n": 5, "_x": 6, "-": 7, "": 8, "null": 9, "nothing": 10, "[": 11}~"\"\": 8\n\"-\": 7\n\"5\": 3\n\"N\": 2\n\"[\": 11\n_x: 6\n\"a b\": 4\nk.l_m-n: 5\nnothing: 10\n\"null\": 9\n\"yes\": 1\n"
$in | to_yaml~{"pem": "-----BEGIN-----\nabc=\n-----END-----\n"}~"pem: |\n  -----BEGIN-----\n  abc=\n  -----END-----\n"
$in | to_yaml~{"a": "x\n\n  y"}~"a: |-\n  x\n\n    y\n"
$in | to_yaml~["x\n\n", " x\ny", "x\ny ", "x\ty\nz", "\nx", "x\r\ny"]~"- \"x\\n\\n\"\n- \" x\\ny\"\n- \"x\\ny \"\n- \"x\\ty\\nz\"\n- \"\\nx\"\n- \"x\\r\\ny\"\n"
$in | to_yaml~["é😀", "a\u2028\u0085\ufeffb", "\u0000\u007f", "\ufffe\uffff\ufffd"]~"- \"é😀\"\n- \"a\\u2028\\u0085\\ufeffb\"\n- \"\\u0000\\u007f\"\n- \"\\ufffe\\uffff�\"\n"
$in | to_yaml~[[1, [2]], {"a": [{"b": 1, "c": {"d": 2}}]}, [], {}]~"- - 1\n  - - 2\n- a:\n    - b: 1\n      c:\n        d: 2\n- []\n- {}\n"
$in | to_yaml~{"a": ["p\nq\n"]}~"a:\n  - |\n      p\n      q\n"
$in | to_yaml~"x"~"\"x\"\n"
$in | to_yaml~12345678901~"12345678901\n"
$in | to_yaml~{"a": [1e17]}~"tojson: the value is an integer beyond 2^53: digits would be lost"
END
# The example of doc/program.md.
example() { # LANGUAGE: the section's blocks in it
	sed -n '/^```'"$1"' conditions$/,/^```$/{/^```/!p}' doc/program.md
}
example jq >"$T/program.jq"
sed -i 's/program.jq/&\n  dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]/' \
	"$T/watches.yaml"
thing='{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"ns","uid":"u","generation":2}'
echo "{\"type\":\"ADDED\",\"object\":$thing}}" |
	ireconcile -f "$T/watches.yaml" >"$T/set"
{
	for kind in 'example.com/v1 Thing' 'v1 ConfigMap'; do
		echo "{\"type\":\"BOOKMARK\",\"object\":{\"apiVersion\":\"${kind% *}\",\"kind\":\"${kind#* }\",\"metadata\":{\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}"
	done
	echo "{\"type\":\"ADDED\",\"time\":\"2026-01-01T00:00:00Z\",\"object\":$thing}}"
	jq -c '{type: "ADDED", time: "2026-01-01T00:00:01Z",
		object: .items[0]}' "$T/set"
} | ireconcile -f "$T/watches.yaml" --clock=input |
	jq -c .reconcile.status >"$T/got"
example json >"$T/want"
same "$T/got" "$T/want" "the example of doc/program.md"

cases "schedules: what is wrong" <<'END'
cron_next("61 * * * *"; .now)~null~"schedule \"61 * * * *\": minute 61 is above 59"
cron_next("TZ=UTC @daily"; .now)~null~"schedule \"TZ=UTC @daily\": a time zone is not part of a schedule"
cron_next(null; .now)~null~"cron_next: the schedule is not text"
cron_next("@daily"; "now")~null~"cron_next: a number of seconds within the years 0 to 9999, not string"
cron_next("@daily"; 1e15)~null~"cron_next: a number of seconds within the years 0 to 9999, not that many"
cron_next("@daily"; 0; 1)~null~"cron_next: the time zone is not text"
cron_next("@daily"; 0; "Mars/Olympus")~null~"time zone \"Mars/Olympus\" is unknown"
cron_next("@daily"; 0; "../etc")~null~"time zone \"../etc\" is unknown"
cron_next("@daily"; 0; "UTC")~null~86400
cron_next("@daily"; 0.5)~null~86400
cron_next("@yearly"; 253402300799)~null~null
cron_last("@every 1h"; 7300)~null~"cron_last: @every needs a time to count from, the fourth argument"
cron_last("@every 1h"; 7300; null; 0)~null~7200
END

cases "selectors, as apimachinery" <<'END'
[$in[] as $s | {metadata: {labels: {a: "1", b: ""}}} | selects($s)]~[null, {}, {"matchLabels": {}}, {"matchLabels": {"a": "1"}}, {"matchLabels": {"a": "2"}}, {"matchLabels": {"a": "1", "c": "1"}}, {"matchLabels": {"b": ""}}, {"matchLabels": null, "matchExpressions": null}]~[false, true, true, true, false, false, true, true]
[$in[] as $e | {metadata: {labels: {a: "1", b: ""}}} | selects({matchExpressions: [$e]})]~[{"key": "a", "operator": "In", "values": ["0", "1"]}, {"key": "a", "operator": "In", "values": ["0"]}, {"key": "c", "operator": "In", "values": ["1"]}, {"key": "a", "operator": "NotIn", "values": ["1"]}, {"key": "a", "operator": "NotIn", "values": ["0"]}, {"key": "c", "operator": "NotIn", "values": ["1"]}, {"key": "b", "operator": "Exists"}, {"key": "c", "operator": "Exists"}, {"key": "b", "operator": "DoesNotExist"}, {"key": "c", "operator": "DoesNotExist", "values": []}]~[true, false, false, false, true, true, true, false, false, true]
[{}, {metadata: {labels: null}} | selects({}), selects({matchLabels: {a: "1"}})]~null~[true, false, true, false]
{metadata: {labels: {a: "1"}}} | selects({matchLabels: {a: "1"}, matchExpressions: [{key: "b", operator: "Exists"}]})~null~false
[$in[] as $e | try ({} | selects({matchLabels: {z: "1"}, matchExpressions: [$e]})) catch .]~[{"key": "a", "operator": "In"}, {"key": "a", "operator": "Exists", "values": ["1"]}, {"key": "a", "operator": "Gt", "values": ["1"]}]~["selects: In needs values", "selects: Exists has no values", "selects: an operator is In, NotIn, Exists or DoesNotExist"]
[$in[] as $s | try ({} | selects($s)) catch .]~[{"matchLabel": {"a": "1"}}, {"app": "x"}, {"matchLabels": {}, "matchexpressions": []}, "a=b", [], {"matchLabels": ["a"]}, {"matchLabels": "a"}, {"matchExpressions": "a"}, {"matchExpressions": {"key": "a"}}]~["selects: a selector has no member \"matchLabel\", only matchLabels, matchExpressions", "selects: a selector has no member \"app\", only matchLabels, matchExpressions", "selects: a selector has no member \"matchexpressions\", only matchLabels, matchExpressions", "selects: a selector is not an object", "selects: a selector is not an object", "selects: matchLabels is not an object", "selects: matchLabels is not an object", "selects: matchExpressions is not a list", "selects: matchExpressions is not a list"]
[$in[] as $e | try ({} | selects({matchExpressions: [$e]})) catch .]~[{"key": "a", "op": "Exists"}, {"key": "a", "operator": "In", "value": ["1"]}, {"operator": "Exists"}, {"key": "a", "operator": "In", "values": "1"}, "a", {"key": "a", "operator": "exists"}]~["selects: an element of matchExpressions has no member \"op\", only key, operator, values", "selects: an element of matchExpressions has no member \"value\", only key, operator, values", "selects: a key is a text", "selects: values is not a list", "selects: an element of matchExpressions is not an object", "selects: an operator is In, NotIn, Exists or DoesNotExist"]
END

# The order of semver.org 2.0.0, 11.
cases "versions" <<'END'
[range($in | length - 1) as $i | semver_compare($in[$i]; $in[$i + 1])] | unique~["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.9.0", "v1.10.0", "1.11.0-0", "1.11.0", "2.0.0"]~[-1]
[semver_compare("1.0.0+a"; "v1.0.0+b"), semver_compare("2.0.0"; "1.99.99")]~null~[0, 1]
"1.0.0-a-b.0-1+x.01-a" | semver~null~{"major": 1, "minor": 0, "patch": 0, "prerelease": ["a-b", "0-1"], "build": "x.01-a"}
[$in[] | try (semver | "taken") catch "refused"]~["1.2", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "1.2.3+", "1.2.3+a+b", "1.2.x", "", "v", "vv1.2.3", "1.2.3-a_b", " 1.2.3", "1.2.3\n", null]~["refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused"]
END

cases "amounts" <<'END'
[$in[] | quantity]~["1", "0.5", "500m", "2Gi", "1e3", "-1.5k", "100n", 3, 0.25]~[1, 0.5, 0.5, 2147483648, 1000, -1500, 1e-07, 3, 0.25]
("1E" | quantity) == 1e18~null~true
[$in[] | quantity / 1e36 | floor]~["123456789012345678901234567890123456789", "299999999999999999999999999999999999999", "340282366920938463463374607431768211455"]~[123, 300, 340]
[quantity_compare("0.1"; "100m"), quantity_compare("9007199254740993"; "9007199254740992"), quantity_compare(1; "2")]~null~[0, 1, -1]
[$in[] | try quantity catch (startswith("quantity: quantities must match"))]~["", "1 Gi", "x", null, {}]~[true, true, true, true, true]
[$in[] | duration]~["1h30m", "0", "-1.5s", "250ms"]~[5400, 0, -1.5, 0.25]
[$in[] | try duration catch .]~["1d", 5, ""]~["duration: not a duration such as 1h30m (a day is 24h)", "duration: not a duration such as 1h30m (a day is 24h)", "duration: not a duration such as 1h30m (a day is 24h)"]
END

# The examples of RFC 7386, appendix A.
cases "patches" <<'END'
[$in[] as [$target, $patch] | $target | merge_patch($patch)]~[[{"a": "b"}, {"a": "c"}], [{"a": "b"}, {"b": "c"}], [{"a": "b"}, {"a": null}], [{"a": "b", "b": "c"}, {"a": null}], [{"a": ["b"]}, {"a": "c"}], [{"a": "c"}, {"a": ["b"]}], [{"a": {"b": "c"}}, {"a": {"b": "d", "c": null}}], [{"a": [{"b": "c"}]}, {"a": [1]}], [["a", "b"], ["c", "d"]], [{"a": "b"}, ["c"]], [{"a": "foo"}, null], [{"a": "foo"}, "bar"], [{"e": null}, {"a": 1}], [[1, 2], {"a": "b", "c": null}], [{}, {"a": {"bb": {"ccc": null}}}]]~[{"a": "c"}, {"a": "b", "b": "c"}, {}, {"b": "c"}, {"a": "c"}, {"a": ["b"]}, {"a": {"b": "d"}}, {"a": [1]}, ["c", "d"], ["c"], null, "bar", {"e": null, "a": 1}, {"a": "b"}, {"a": {"bb": {}}}]
json_diff({a: 1, b: {c: [1, {d: 2}]}, e: null}; {b: {c: [1, {d: 3}, 4]}, e: false})~null~[{"path": ["a"], "from": 1}, {"path": ["b", "c", 1, "d"], "from": 2, "to": 3}, {"path": ["b", "c", 2], "to": 4}, {"path": ["e"], "from": null, "to": false}]
[json_diff(1; 1), json_diff([1]; {}), json_diff({a: null}; {})]~null~[[], [{"path": [], "from": [1], "to": {}}], [{"path": ["a"], "from": null}]]
json_diff([range(8000)]; [range(1; 8001)]) | length~null~8000
END

TZDIR=$T/nothing
cases "no time zones are installed" <<'END'
cron_next("@daily"; 0; "Europe/Berlin")~null~"time zone \"Europe/Berlin\" is not installed: no time zones are (package tzdata)"
cron_next("@daily"; 0; "UTC")~null~86400
END

done_testing
