#!/bin/bash
# The memory of ireconcile with many observed objects: N pods (20000) of about
# 4.3 KB below 1000 primaries. Fails above 1.5 times the text of the pods.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

N=${1:-20000} PRIMARIES=1000
cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: Pod, map: {label: thing}}
END
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {pods: [.owned.Pod[].metadata.name]};
END

# pods: watch frames of pods as a kubelet leaves them, without managedFields.
pods() {
	jq -n -c --argjson n "$N" --argjson p "$PRIMARIES" '
	def hex: tostring | ascii_downcase;
	def env($i): [range(14) | {name: "SETTING_\(.)",
		value: "value-\(. * $i % 977)-of-a-setting-with-some-length"}];
	range($n) as $i | {type: "ADDED", object: {apiVersion: "v1", kind: "Pod",
		metadata: {name: "thing-\($i % $p)-\($i)", namespace: "ns-\($i % 7)",
			uid: "0b5c2f3e-1d7a-4c11-9e0f-\(100000000000 + $i)",
			resourceVersion: "\(1000 + $i)",
			creationTimestamp: "2026-01-01T00:00:00Z",
			labels: {app: "thing", thing: "t\($i % $p)",
				"pod-template-hash": "5d4f8c7b9\($i % 10)"},
			annotations: {"checksum/config":
				"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852\($i)"}},
		spec: {containers: [range(2) as $c | {name: "main-\($c)",
			image: "registry.example.com/team/image-\($c):1.2.\($i % 50)",
			env: env($i + $c), imagePullPolicy: "IfNotPresent",
			resources: {requests: {cpu: "100m", memory: "128Mi"},
				limits: {cpu: "1", memory: "512Mi"}},
			volumeMounts: [{mountPath: "/etc/config", name: "config"},
				{mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
				 name: "kube-api-access", readOnly: true}],
			terminationMessagePath: "/dev/termination-log",
			terminationMessagePolicy: "File"}],
			dnsPolicy: "ClusterFirst", enableServiceLinks: true,
			nodeName: "node-\($i % 100)", restartPolicy: "Always",
			schedulerName: "default-scheduler", serviceAccountName: "default",
			terminationGracePeriodSeconds: 30,
			volumes: [{name: "config", configMap: {name: "config-\($i % $p)"}}]},
		status: {phase: "Running", podIP: "10.1.\($i % 250).\($i % 199)",
			hostIP: "10.0.0.\($i % 100)", qosClass: "Burstable",
			conditions: [("Initialized", "Ready", "ContainersReady",
				"PodScheduled") | {type: ., status: "True",
				lastProbeTime: null, lastTransitionTime: "2026-01-01T00:00:10Z"}],
			containerStatuses: [range(2) as $c | {name: "main-\($c)",
				ready: true, restartCount: 0, started: true,
				image: "registry.example.com/team/image-\($c):1.2.\($i % 50)",
				imageID: "registry.example.com/team/image@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8\($i % 90 + 10)",
				state: {running: {startedAt: "2026-01-01T00:00:05Z"}}}]}}}'
}
note() { echo "$*"; }

pods >"$T/pods"
mkfifo "$T/input" "$T/report"
start bash -c "exec ireconcile -f '$T/watches.yaml' --report-fd=8 \
	<'$T/input' >/dev/null 8<>'$T/report'"
pid=$!
exec 6>"$T/input" 7<>"$T/report"
frame() {
	printf '{"type":"BOOKMARK","object":{"apiVersion":"%s","kind":"%s","metadata":{"annotations":{"%s":"true"}}}}\n' \
		"$2" "$3" "$1" >&6
}
frame kpipe.dev/initial-events-begin v1 Pod
frame kpipe.dev/initial-events-begin example.com/v1 Thing
for ((i = 0; i < PRIMARIES; i++)); do
	printf '{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t%d","namespace":"ns-%d","uid":"u%d"}}}\n' \
		"$i" "$((i % 7))" "$i"
done >&6
cat "$T/pods" >&6
frame k8s.io/initial-events-end v1 Pod
frame k8s.io/initial-events-end example.com/v1 Thing
read -r -u 7 # ready
read -r -t 20 -u 7 first
read -r -t 20 -u 7 counters # after the evaluations
[ -n "$counters" ] || counters=$first

text=$(($(wc -c <"$T/pods") - N * 27)) # without the frames
pss=$(awk '/^Pss:/ {print $2 * 1024}' "/proc/$pid/smaps_rollup")
peak=$(awk '/^VmHWM:/ {print $2 * 1024}' "/proc/$pid/status")
exec 6>&-
wait "$pid"
awk -v n="$N" -v text="$text" -v pss="$pss" -v peak="$peak" 'BEGIN {
	printf "%d pods, %.1f KB each: %.1f MB of text\n", n,
		text / n / 1000, text / 1e6
	printf "memory: %.1f MB, %.2f times the text (peak %.1f MB, %.2f)\n",
		pss / 1e6, pss / text, peak / 1e6, peak / text
	exit pss > 1.5 * text
}'
tap $? "at most 1.5 times the text: $counters"
done_testing
