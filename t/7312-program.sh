#!/bin/bash
# make deploy and make undeploy without an image: the ConfigMaps of programs come,
# stay while a ReplicaSet names them, and go.
# servers: real
TEST_SECONDS=900
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
unset IMG KPIPE_IMG
ns=web-operator-system
deployment=deployment/web-operator-controller-manager

# said TEXT: it was printed
said() {
	cat "$T/out" "$T/err" | grep -qF -- "$1"
}
# change: another program
change() {
	echo "# more" >>"$folder/reconcile.jq"
}
programs() {
	kubectl get configmaps -n $ns -o name \
		-l app.kubernetes.io/component=program | sort
}
# current: the one that the Deployment names
current() {
	kubectl get $deployment -n $ns -o json | jq -r \
		'.spec.template.spec.volumes[] | .configMap.name // empty'
}
# rolled N: the cluster has so many ReplicaSets
rolled() {
	[ "$(kubectl get replicasets -n "$ns" -o name | wc -l)" = "$1" ]
}
all() {
	kubectl get namespaces,crds,clusterroles,clusterrolebindings -o name | sort
}
all >"$T/before"
folder="$T/a, b & c"
kgen new web -o "$folder" --group example.com --kind Web 2>/dev/null
cp -r "$folder" "$T/other"
echo "# another" >>"$T/other/reconcile.jq"

# --- what does not work is not deployed
cp "$folder/reconcile.jq" "$T/good"
echo 'def x: (;' >>"$folder/reconcile.jq"
runs 100 "a program that does not compile" deploy/deploy "$folder"
ok "... is named, with the line" said "$folder/reconcile.jq:"
ok "... nothing was changed" said "Nothing was changed."
sed 's/^include "operator";/&\ninclude "gone";/' "$T/good" >"$folder/reconcile.jq"
runs 100 "a file that is missing" deploy/deploy "$folder"
ok "... is named" said "cannot find the library gone.jq"
cp "$T/good" "$folder/reconcile.jq"
head -c 1048577 /dev/zero | tr '\0' '#' >"$folder/fill.jq"
runs 100 "programs of more than 1 MiB" deploy/deploy "$folder"
ok "... are named, with sizes" said "and a ConfigMap takes 1048576: fill.jq 1048577"
rm "$folder/fill.jq"
is "$(all | diff "$T/before" -)" "" "nothing is there yet"

# --- there, changed, back, and forward
runs 0 "deploy" deploy/deploy "$folder"
ok "... says what it serves" grep -qx \
	'deploy: it serves objects in that namespace alone (SCOPE=cluster: in all)\.' \
	"$T/out"
is "$(<"$T/err")" "" "... without a word of warning"
first=$(current)
ok "... says where the programs are" \
	said "its programs are in configmap/$first, its image is localhost/kpipe:"
ok "... and nothing of those before" bash -c "! grep -q undo '$T/out'"
is "$(programs)" "configmap/$first" "... which is one ConfigMap"
wait_for 30 rolled 1
runs 0 "the same again" deploy/deploy "$folder"
is "$(programs)" "configmap/$first" "... is the same"
change
runs 0 "a change" deploy/deploy "$folder"
second=$(current)
ok "... is another ConfigMap" test "$second" != "$first"
ok "... says how to go back" said \
	"kubectl -n $ns rollout undo $deployment"
is "$(programs | wc -l)" 2 "... the one before stays"
wait_for 30 rolled 2
ok "kubectl rollout undo" kubectl rollout undo $deployment -n $ns
is "$(current)" "$first" "... is the program before"
runs 0 "forward again" deploy/deploy "$folder"
is "$(<"$T/err")" "" "... without a conflict"
is "$(current)" "$second" "... is the newer one"

# --- conflicts of others are not overruled
kubectl set image $deployment kpipe=registry.example.com/mine:1 -n $ns >/dev/null
runs 1 "an image that someone has set" deploy/deploy "$folder"
ok "... is a conflict" said 'conflict with "kubectl-set"'
kubectl rollout undo $deployment -n $ns >/dev/null
kubectl scale $deployment --replicas=1 -n $ns >/dev/null
change
runs 1 "a number of replicas that someone has set, after an undo" \
	deploy/deploy "$folder"
ok "... is a conflict" said ".spec.replicas"
is "$(kubectl get $deployment -n $ns -o 'jsonpath={.spec.replicas}')" 1 \
	"... and stays"
kubectl apply --server-side --force-conflicts -f - >/dev/null <<<"$(kgen \
	manifests -f "$folder" --program=configmap)"
third=$(current)

# --- old ones
wait_for 30 rolled 4
kubectl get replicasets -n $ns -o json | jq -r --arg name "$first" '.items[]
	| select(.spec.template.spec.volumes[].configMap.name == $name).metadata.name' |
	xargs kubectl delete replicaset -n $ns >/dev/null
cat >"$T/blind" <<'END'
#!/bin/bash
case " $* " in
*" $BLIND "*) echo "the server is away" >&2; exit 1 ;;
*) exec kubectl "$@" ;;
esac
END
chmod +x "$T/blind"
for blind in deployments,replicasets "delete --ignore-not-found configmap"; do
	runs 0 "no right: $blind" env "BLIND=$blind" KUBECTL="$T/blind" \
		deploy/deploy "$folder"
	ok "... what stays is said" said "programs of before that nothing needs"
	ok "... it does" kubectl get configmap "$first" -n $ns
done
runs 0 "deploy" deploy/deploy "$folder"
ok "a ConfigMap that no ReplicaSet names any more goes" \
	gone configmap "$first" -n $ns
is "$(programs)" "$(printf 'configmap/%s\n' "$second" "$third" | sort)" \
	"... and no other"

# Another deploy has made its ConfigMap, and not yet its Deployment.
kgen manifests -f "$T/other" --program=configmap |
	awk '/^# Source: / { on = $3 == "program.yaml" } on && !/^---/' >"$T/other.yaml"
wait_for 5 bash -c "[ \$(date -u +%FT%TZ) \> '$(kubectl get configmap "$third" \
	-n $ns -o 'jsonpath={.metadata.creationTimestamp}')' ]"
kubectl apply --server-side -f "$T/other.yaml" >/dev/null
runs 0 "two at once" deploy/deploy "$folder"
is "$(programs | wc -l)" 3 "... neither takes the program of the other one"

# --- an image of its own, and a kpipe of one's own
runs 0 "an image" env IMG=registry.example.com/web:1 deploy/deploy "$folder"
is "$(current)" "" "... has the programs in it"
ok "... those before can be rolled out" kubectl get configmap "$third" -n $ns
runs 0 "another image of kpipe" env KPIPE_IMG=registry.example.com/kpipe:2 \
	deploy/deploy "$folder"
is "$(kubectl get $deployment -n $ns \
	-o 'jsonpath={.spec.template.spec.containers[0].image}') $(current)" \
	"registry.example.com/kpipe:2 $third" "... has the same programs"
runs 1 "WAIT=1, without a node" env WAIT=1 deploy/deploy "$folder"

# --- in a source tree, and away
kubectl create configmap mine -n $ns >/dev/null
runs 0 "CONFIRM=keep" env CONFIRM=keep deploy/undeploy "$folder"
is "$(programs)" "" "... the programs go with the operator"
runs 0 "deploy" env SCOPE=cluster deploy/deploy "$folder"
is "$(grep 'it serves' "$T/out")" "" "... serves all namespaces"
runs 0 "undeploy" deploy/undeploy "$folder"
is "$(kubectl get configmaps -n $ns -o name | grep -v kube-root)" \
	configmap/mine "... leaves those of others"
kubectl delete namespace $ns >/dev/null
runs 0 "make deploy" make -s deploy PIPELINE=iotservice
is "$(<"$T/err")" "" "... without a word of warning"
runs 0 "make undeploy" make -s undeploy PIPELINE=iotservice
is "$(all | diff "$T/before" -)" "" "nothing is left"
done_testing
