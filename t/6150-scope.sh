#!/bin/bash
# Scope: operators of one namespace, of several and of all, with no more rights
# than that takes; namespaces that come later, or twice; from outside the
# cluster, with a kubeconfig and its contexts.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
# shellcheck source=kwatch.sh
. "${0%/*}/kwatch.sh"
export KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start

things_start
things_watches \
	'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true, selector: {matchLabels: {of: thing}}}]'
cat >"$T/reconcile.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap",
    metadata: {name: .primary.metadata.name, labels: {of: "thing"}},
    data: {x: .primary.spec.x}}];
def status: {done: (.outstanding == [])};
END

# roles NAMESPACE USER: the rights that the four stages need there, and no more
roles() {
	kubectl apply -n "$1" -f - >/dev/null <<-END
		apiVersion: rbac.authorization.k8s.io/v1
		kind: Role
		metadata: {name: operator}
		rules:
		- {apiGroups: [example.com], resources: [things], verbs: [get, list, watch, patch]}
		- {apiGroups: [example.com], resources: [things/status], verbs: [patch]}
		- {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, create, patch, delete]}
		- {apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch]}
		---
		apiVersion: rbac.authorization.k8s.io/v1
		kind: RoleBinding
		metadata: {name: operator-$2}
		roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: operator}
		subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: $2}]
	END
	wait_for 20 has_right "$2" list things -n "$1"
}

thing() {
	printf '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"%s"},"spec":{"x":"%s"}}' \
		"$@" | kubectl apply -f - >/dev/null
}

# is_done NAMESPACE...
is_done() {
	local ns

	for ns; do
		[ "$(api "/apis/example.com/v1/namespaces/$ns/things/t" |
			jq .status.done)" = true ] || return
		api "/api/v1/namespaces/$ns/configmaps/t" >/dev/null || return
	done
}

# operator USER ARGUMENT...: kpipe in the background, outside the cluster
operator() {
	local user=$1

	shift
	: >"$T/ready"
	start env -u KUBECONFIG kpipe -f "$T/watches.yaml" \
		--kubeconfig "$(config "$user")" "$@" --report-fd 3 \
		3>"$T/ready" 2>"$T/kpipe.log"
	operator=$!
}
is_ready() {
	wait_for 30 test -s "$T/ready" || quote <"$T/kpipe.log"
}
end_operator() {
	kill "$operator"
	wait "$operator"
}

# streams USER: "VERB RESOURCE NAMESPACE" of each list and watch, once
streams() {
	audit 'select(.user.username == $u and .objectRef)
		| select(.verb == "list" or .verb == "watch")
		| .objectRef | "\(.resource) \(.namespace // "everywhere")"' \
		--arg u "$1" | sort -u | paste -sd,
}

# streams_are USER STREAMS WHAT: the server writes a watch down when it notices
# that it has ended.
were() {
	[ "$(streams "$1")" = "$2" ]
}
streams_are() {
	comes 60 were "$1" "$2"
	is "$(streams "$1")" "$2" "$3"
}

for ns in a b c; do
	kubectl create namespace "$ns" >/dev/null
	thing "$ns" 1
done
roles a user1
roles b user1

# Two namespaces, and rights in just these.
audit_mark
export WATCH_NAMESPACE=' a, b,a'
operator user1
ok "WATCH_NAMESPACE names two: ready with a Role in each" is_ready
ok "... their primaries are reconciled" wait_for 20 is_done a b
is "$(api /apis/example.com/v1/namespaces/c/things/t | jq .status)" null \
	"... and none of a third one"
thing b 2
x_is() {
	[ "$(api /api/v1/namespaces/b/configmaps/t | jq -r .data.x)" = "$1" ]
}
ok "... changes come" wait_for 20 x_is 2
is "$(besides_work "$T/kpipe.log")" "kpipe: ready" "... and nothing else is worth a word"

# A namespace goes and comes back under that name. The streams go on.
kubectl delete namespace b >/dev/null
ok "... a namespace is deleted" wait_for 60 api_gone /api/v1/namespaces/b
kubectl create namespace b >/dev/null
roles b user1
thing b 3
ok "... and made again" wait_for 30 is_done b
ok "... with what belongs there" x_is 3
end_operator
streams_are user1 "configmaps a,configmaps b,things a,things b" "nothing was listed or watched but in the two namespaces"
is "$(audit 'select(.user.username == "user1" and .responseStatus.code == 403)
	| select(.verb == "list" or .verb == "watch") | .requestURI')" "" \
	"... and none of that was refused"

refused_twice() {
	[ "$(grep -c 'kwatch: error: .*in namespace d:.*"user2" cannot watch' \
		"$T/kpipe.log")" = 2 ]
}

# -n overrides the variable. d does not exist yet.
roles a user2
audit_mark
operator user2 -n a,d
thing a 4
wait_for 20 refused_twice
is "$(<"$T/ready")" "" "-n with a namespace without rights: not ready"
ok "... and says of each kind what is missing" refused_twice
kubectl create namespace d >/dev/null
roles d user2
thing d 1
ok "... it is made" is_ready
ok "... and its primaries are reconciled" wait_for 20 is_done a d
end_operator
streams_are user2 "configmaps a,configmaps d,things a,things d" "... WATCH_NAMESPACE does not count beside -n"

# All namespaces, with a cluster-scoped kind.
kubectl create clusterrolebinding all --clusterrole=cluster-admin \
	--user=user3 >/dev/null
echo '  related: [{apiVersion: v1, kind: Namespace}]' >>"$T/watches.yaml"
# everywhere WHAT THEN [ARGUMENT...]: user3's operator looks at all namespaces
everywhere() {
	audit_mark
	operator user3 "${@:3}"
	ok "$1: ready" is_ready
	ok "... all are reconciled" wait_for 20 is_done a b c d
	end_operator
	streams_are user3 "configmaps everywhere,namespaces everywhere,things everywhere" "$2"
}
everywhere "-A" "... with one stream for each kind" -A
WATCH_NAMESPACE='' everywhere "an empty WATCH_NAMESPACE" "... is everywhere, too"
everywhere "an empty --namespace" \
	"... is everywhere, whatever WATCH_NAMESPACE says" --namespace=
audit_mark
operator user3 --namespace=c
is_ready
end_operator
streams_are user3 "configmaps c,namespaces everywhere,things c" "one namespace, and what is in none"
unset WATCH_NAMESPACE

# Contexts, of KUBECONFIG or of a file.
sed '/^current-context:/d' "$(config user3)" >"$T/two"
context=$(sed -n 's/^current-context: *//p' "$(config user3)")
cat >"$T/one" <<'END'
apiVersion: v1
kind: Config
current-context: dead
clusters: [{name: dead, cluster: {server: "http://127.0.0.1:9"}}]
contexts: [{name: dead, context: {cluster: dead}}]
END
export KUBECONFIG=$T/one:$T/two
runs 0 "kwatch --context, and KUBECONFIG of two files" \
	kwatch --once --context "$context" -n a,c cm/t
is "$(short <"$T/out" | cut -d' ' -f1,2)" "begin ConfigMap
ADDED t
ADDED t
end ConfigMap" "... two namespaces"
item='{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"o"},"data":{"k":"v"}}'
runs 0 "kapply --context" kapply --context "$context" -n c -o result <<<"$item"
is "$(jq -r .result "$T/out")" created "... with a namespace"
runs 0 "kstatus --context" kstatus --context "$context" <<'END'
{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"c","name":"t"},"status":{"phase":"X"}}
END
is "$(api /apis/example.com/v1/namespaces/c/things/t | jq -r .status.phase)" X \
	"... writes"
kubectl --kubeconfig "$(config admin)" delete cm -n c t >/dev/null
runs 0 "kpipe --context, --dry-run" \
	kpipe -f "$T/watches.yaml" --context "$context" -n c --dry-run
is "$(jq -c '[.kind, .metadata.name, .result]' "$T/out")" \
	'["ConfigMap","t","created"]
["Thing","t","configured"]' "... reaches the server"

# What is not seen, and is not cleaned up for that.
things_watches 'namespaces: [a, c]' 'finalizer: example.com/f' \
	'selector: {matchLabels: {team: a}}' \
	'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]'
cat >"$T/reconcile.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap",
    metadata: {name: .primary.metadata.name, namespace: "c"}}];
END
warns() { # TEXT
	grep -qF "ireconcile: warning: thing.example.com a/u: $1" "$T/kpipe.log"
}
selected() { # TEAM
	kubectl --kubeconfig "$(config admin)" label --overwrite -n a thing u \
		"team=$1" >/dev/null
}
kubectl --kubeconfig "$(config admin)" create -f - >/dev/null <<'END'
{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"u","namespace":"a"},"spec":{}}
END
selected a
unset WATCH_NAMESPACE
operator user3
ok "a member in another namespace" wait_for 20 api /api/v1/namespaces/c/configmaps/u
selected b
ok "a primary that leaves the selector with our finalizer is named" wait_for 20 \
	warns 'selector "team=a" does not select it any more, and it has the finalizer example.com/f'
selected a
end_operator
operator user3 -n a
ok "-n with one of the namespaces of the file" is_ready
kubectl --kubeconfig "$(config admin)" delete --wait=false -n a thing u >/dev/null
ok "... a primary is deleted" wait_for 20 api_gone \
	/apis/example.com/v1/namespaces/a/things/u
ok "... and the namespace that was not looked at is named" \
	warns "its finalizer is removed without a look at c, "
ok "... where its member stays" api /api/v1/namespaces/c/configmaps/u
end_operator

# Invalid names, for each tool that reads the file.
for tool in kwatch ireconcile kpipe; do
	runs 100 "$tool: a bad name in WATCH_NAMESPACE" \
		env WATCH_NAMESPACE='a, B_c' $tool -f "$T/watches.yaml" </dev/null
	is "$(<"$T/err")" \
		"$tool: fatal: WATCH_NAMESPACE: \"B_c\" is not a name of a namespace" \
		"... is named"
	runs 100 "$tool: an empty name after -n" \
		$tool -f "$T/watches.yaml" -n a,,b </dev/null
	is "$(<"$T/err")" \
		"$tool: fatal: option --namespace: \"\" is not a name of a namespace" \
		"... is refused, and does not mean all"
done
runs 100 "kwatch: an empty -n beside operands" kwatch --once -n "" cm
is "$(<"$T/err")" \
	"kwatch: fatal: option --namespace names none; --all-namespaces means all" \
	"... is refused"
done_testing
