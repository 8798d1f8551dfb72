#!/bin/bash
# kgen rights: the least rights of each stage follow from watches.yaml and
# crd.yaml.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# ---- those of the pipelines ----

for folder in pipeline/*/operator.yaml; do
	folder=${folder%/*}
	runs 0 "$folder/rbac.yaml is that of kgen rights -f $folder -o $folder" \
		kgen rights -f "$folder" -o "$folder" --check
done
kgen describe -f pipeline/at >"$T/at.json"
jq -c -L lib/jq 'include "gen/rights"; rights[0].objects' "$T/at.json" >"$T/jq"
mkdir -p "$T/at/gen"
cp pipeline/at/*.yaml pipeline/at/*.jq "$T/at"
cat >"$T/at/gen/asjson.jq" <<'END'
include "gen/rights";
def asjson: [{path: "x.json", text: (rights[0].objects | tojson)}];
END
kgen asjson -f "$T/at" | tail -n +2 >"$T/kgen"
is "$(jq -S . "$T/kgen")" "$(jq -S . "$T/jq")" "the jq command gives the same"

# The table of kinds is that of a real server.
awk -F'\t' '$1 !~ /^#/ && $1 != "" && $7 ~ /watch/ {
	print $5 ($1 == "-" ? "" : "." $1), $3, ($6 == "Cluster") }' \
	cmd/kapi/type/resources.txt | sort -u >"$T/want"
jq -nr -L lib/jq 'include "gen/kinds"; builtin_kinds | to_entries[]
	| "\(.key) \(.value.plural) \(if .value.cluster then 1 else 0 end)"' |
	sort >"$T/got"
same "$T/got" "$T/want" "the kinds of Kubernetes"

# ---- watches.yaml ----

f=$T/op
mkdir "$f"
echo 'def desired: [];' >"$f/reconcile.jq"
cat >"$f/crd.yaml" <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: oxen.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Ox, plural: oxen}
  versions: [{name: v1, served: true, subresources: {status: {}}}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: herds.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Herd, plural: herds}
  versions: [{name: v1, served: true, subresources: {status: {}}}]
END
about=$'name: x\nversion: 0.1.0\nimage: x\ndescription: x'
# watches [OPERATOR-YAML]: watches.yaml from standard input
watches() {
	printf '%s\n%s\n' "$about" "${1-}" >"$f/operator.yaml"
	sed 's/^/  /; 1s/^  /- /; /^  - /s/^/  /' >"$f/watches.yaml"
}
# rules STAGE [SCOPE]: a line for each: where, resources, verbs. One jq answers
# them all: to compile the program takes longest.
cat >"$T/rules.jq" <<'END'
include "gen/rights";
def line($where): "\($where): \(.resources | join(","))"
  + (if .resourceNames == null then "" else "[\(.resourceNames | join(","))]" end)
  + " \(.verbs | join(","))";
. as [$stage, $scope] | input
| (try (rules($stage; $scope)
    | (.namespaced[] | line("namespaced")), (.cluster[] | line("cluster")),
      (.operator_namespace[] | line("operator")),
      (.others[] | .namespace as $n | .rules[] | line($n)))
  catch .), "."
END
mkfifo "$T/asked"
exec 9< <(exec jq -r --unbuffered -L lib/jq -f "$T/rules.jq" <"$T/asked" 2>&1)
exec 8>"$T/asked"
rules() {
	local line text=

	echo "[\"$1\", \"${2:-namespace}\"]" >&8
	kgen describe -f "$f" >&8 || echo null >&8
	while read -r line <&9 && [ "$line" != . ]; do
		text+=$line$'\n'
	done
	printf %s "$text"
}

watches <<'END'
group: example.com
version: v1
kind: Ox
program: reconcile.jq
dependents:
- {apiVersion: v1, kind: ConfigMap, manage: true}
- {apiVersion: v1, kind: Pod}
- {apiVersion: apps/v1, kind: Deployment, manage: true, optional: true}
related:
- {apiVersion: v1, kind: Node}
- {apiVersion: v1, kind: Secret, namespaces: [ops], fields: [metadata.labels]}
- {apiVersion: v1, kind: Pod, namespaces: []}
- {apiVersion: v1, kind: Service, map: {field: spec.service, namespace: ops}}
- {apiVersion: v1, kind: Endpoints, map: {field: spec.service}}
- {apiVersion: v1, kind: ServiceAccount, map: {field: a, namespaceField: b}}
- {apiVersion: v1, kind: LimitRange, map: {field: a, namespaceField: b}, namespaces: [ops]}
END
is "$(rules kwatch)" "namespaced: oxen list,watch
namespaced: configmaps,endpoints list,watch
namespaced: deployments list,watch
cluster: nodes,pods,serviceaccounts list,watch
ops: secrets,services,limitranges list,watch" "kwatch: each kind where it is watched"
is "$(rules kwatch cluster)" "cluster: oxen list,watch
cluster: configmaps,pods,nodes,endpoints,serviceaccounts list,watch
cluster: deployments list,watch
ops: secrets,services,limitranges list,watch" "... and of all namespaces"
is "$(rules kapply)" "namespaced: oxen get
namespaced: configmaps get,create,patch,delete
namespaced: deployments get,create,patch,delete
namespaced: events create,patch" "kapply: what it manages, and Events"
is "$(rules kstatus)" "namespaced: oxen/status patch
namespaced: events create,patch" "kstatus: the status, and Events"
sed 's,v1\, kind: Pod},batch/v1\, kind: Job\, manage: true},' "$f/watches.yaml" >"$f/new.yaml"
kgen rights -f "$f" --shadow="$f/new.yaml" | tr '\n' ' ' |
	sed 's/- apiVersion: rbac/\n&/g; s/---/\n/g' >"$T/shadow"
# verbs STAGE: rules about Jobs, with --shadow
verbs() {
	grep "name: x-$1 " "$T/shadow" | grep -c jobs
}
ok "--shadow: kwatch may also watch what the other file names" \
	[ "$(verbs kwatch)" -gt 0 ]
is "$(verbs kapply)" 0 "... and no other stage has a right for it"
runs 100 "--shadow of a file that is not there" \
	kgen rights -f "$f" --shadow="$f/none.yaml"
ok "... names it" grep -q "none.yaml" "$T/err"
runs 100 "--shadow with another command" \
	kgen manifests -f "$f" --shadow="$f/new.yaml"
is "$(<"$T/err")" "kgen: fatal: --shadow is for rights" "... is refused"
rm "$f/new.yaml"
is "$(rules kelect)" "operator: leases create
operator: leases[ox.example.com] get,update
operator: events create" "kelect: its lease, and Events"
is "$(rules kelect-for-life)" "cluster: nodes get
operator: configmaps,events create
operator: configmaps[ox.example.com] get,delete
operator: pods get,delete" "... for life: its ConfigMap"
is "$(rules http)" "cluster: tokenreviews create
cluster: subjectaccessreviews create" "kpipe-http: reviews"

watches <<'END'
group: example.com
version: v1
kind: Ox
program: reconcile.jq
manageStatus: false
finalizer: example.com/x
dependents:
- {apiVersion: v1, kind: Namespace, manage: true}
END
is "$(rules kapply)" "namespaced: oxen get,patch
namespaced: events create,patch
cluster: namespaces get,create,patch,delete
operator: secrets create
operator: secrets[kpipe-marks-ox.example.com] get" \
	"a finalizer: it is patched, and marks have a key"
is "$(rules kstatus)" "" "manageStatus: false"
sed -i 's/- {.*/&\n    - {apiVersion: example.com\/v1, kind: Ox, manage: true}/' \
	"$f/watches.yaml"
is "$(rules kapply | head -n 1)" "namespaced: oxen get,create,patch,delete" \
	"... and more, of the same kind"
sed -i '/kind: Ox, manage/d' "$f/watches.yaml"
sed -i 's/kind: Namespace/kind: ConfigMap/; s/finalizer: .*/&\n  marks: false/' \
	"$f/watches.yaml"
is "$(rules kapply)" "namespaced: oxen get,patch
namespaced: configmaps get,create,patch,delete
namespaced: events create,patch" "marks: false: no key"
sed -i 's/^\(  *\)marks: false/&\n\1random: true/' "$f/watches.yaml"
is "$(rules kapply | grep operator)" "operator: secrets create
operator: secrets[kpipe-marks-ox.example.com] get" "... but random needs one"
says_where() {
	kgen rights -f "$f" | grep -qxF "# That with the scope operator is for the namespace where the operator runs."
}
ok "... the head says where" says_where
sed -i '/random: true/d' "$f/watches.yaml"
ok "... if there is such a role" eval '! says_where'
cp "$f/watches.yaml" "$f/before"
printf '  related:\n  - {apiVersion: v1, kind: Pod%s}\n  - {apiVersion: v1, kind: Node}\n' \
	', delete: true' >>"$f/watches.yaml"
is "$(rules kapply | grep -e pods -e nodes)" "namespaced: pods get,delete" \
	"delete: true of a related kind"
sed -i 's/delete: true/patch: true/' "$f/watches.yaml"
is "$(rules kapply | grep -e pods -e nodes)" "namespaced: pods get,patch" \
	"patch: true of a related kind"
is "$(rules kapply | grep operator)" "operator: secrets create
operator: secrets[kpipe-marks-ox.example.com] get" "... and needs the key"
mv "$f/before" "$f/watches.yaml"
sed -i 's/manage: true/&, retain: true/' "$f/watches.yaml"
is "$(rules kapply | grep operator)" "operator: secrets create
operator: secrets[kpipe-marks-ox.example.com] get" "... and so do retained items"
cp "$f/watches.yaml" "$f/before"
cat >>"$f/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Herd
  scope: Cluster
  program: reconcile.jq
  random: true
END
is "$(rules kapply | grep secrets)" "operator: secrets create
operator: secrets[kpipe-marks-herd.example.com] get" \
	"... whose key is that of an entry with marks, if there is one"
mv "$f/before" "$f/watches.yaml"
sed -i 's/, retain: true//' "$f/watches.yaml"
sed -i '/finalizer\|marks/d' "$f/watches.yaml"
is "$(rules kapply | head -n 1)" "namespaced: oxen get" \
	"what is made again is for a primary that is there"
sed -i 's/, manage: true//' "$f/watches.yaml"
is "$(rules kapply | grep -c oxen)" 0 "... where nothing is made, none is read"

watches <<'END'
group: example.com
version: v1
kind: Herd
scope: Cluster
finalizer: example.com/x
program: reconcile.jq
dependents:
- {apiVersion: v1, kind: ConfigMap, manage: true}
END
is "$(rules kapply)" "cluster: herds get,patch
cluster: configmaps get,create,patch,delete
operator: events create,patch
operator: secrets create
operator: secrets[kpipe-marks-herd.example.com] get
default: events create,patch" \
	"cluster-scoped primaries: Events in default, about the Pod too; a key"
is "$(rules kstatus)" "cluster: herds/status patch
default: events create,patch" "... their status, and Events in default"
cp "$f/watches.yaml" "$f/before"
cat >>"$f/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Ox
  program: reconcile.jq
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true, retain: true}
END
is "$(rules kapply | grep ' get$' | grep secrets)" \
	"operator: secrets[kpipe-marks-ox.example.com] get" \
	"... whose key is that of an entry that retains, if there is one"
mv "$f/before" "$f/watches.yaml"
sed -i 's/, manage: true//' "$f/watches.yaml"
is "$(rules kapply | grep -c secrets)" 0 \
	"... which needs none if it only looks at objects"

watches $'env: {TEAM: "a, b"}' <<'END'
group: example.com
version: v1
kind: Ox
program: reconcile.jq
namespaces: ["${OPERATOR_NAME:?}"]
dependents:
- {apiVersion: v1, kind: Secret, manage: true}
- {apiVersion: v1, kind: Pod, namespaces: ["${TEAM}"]}
- {apiVersion: v1, kind: Service, namespaces: ["${X:-c}"]}
END
is "$(rules kwatch)" "operator: oxen list,watch
operator: secrets list,watch
a: pods list,watch
b: pods list,watch
c: services list,watch" "namespaces by variables"
is "$(kgen rights -f "$f" | grep -c resourceNames)" 0 \
	"... \$OPERATOR_NAME is also the name of the lease"
sed -i 's/X:-c/X/' "$f/watches.yaml"
runs 100 "one whose value is not known" kgen rights -f "$f"
is "$(<"$T/err")" 'kgen: fatal: watches.yaml: namespaces: ${X}: its value is not known: add it to env in operator.yaml' \
	"... is an error"

watches <<'END'
group: example.com
version: v1
kind: Ox
program: reconcile.jq
requireScope: cluster
dependents:
- {apiVersion: v1, kind: ConfigMap, manage: true}
END
runs 100 "requireScope: cluster in namespaces" kgen rights -f "$f"
ok "... is an error" grep -q 'requires cluster scope' "$T/err"
echo 'scope: cluster' >>"$f/operator.yaml"
is "$(rules kwatch)" "cluster: oxen list,watch
cluster: configmaps list,watch" "requireScope: cluster"

watches <<'END'
group: example.com
version: v1
kind: Ox
program: reconcile.jq
namespaceSelector: {matchLabels: {team: a}}
dependents:
- {apiVersion: v1, kind: ConfigMap, manage: true}
- {apiVersion: v1, kind: Pod, namespaces: [ops], namespaceSelector: team=b}
END
is "$(rules kwatch)" "cluster: oxen list,watch
cluster: configmaps,namespaces list,watch
ops: pods list,watch" "namespaceSelector: everywhere, and the Namespaces"
is "$(rules kapply | head -n 2)" "cluster: oxen get
cluster: configmaps get,create,patch,delete" "... of kapply, too"

watches <<'END'
group: example.com
version: v1
kind: Ox
program: reconcile.jq
dependents:
- {apiVersion: acme.org/v1, kind: Goose}
END
runs 100 "a kind without a plural" kgen rights -f "$f"
is "$(<"$T/err")" 'kgen: fatal: watches.yaml: Goose.acme.org: its plural is not known: add it to plurals in operator.yaml' \
	"... is an error"
echo 'plurals: {Goose.acme.org: geese}' >>"$f/operator.yaml"
is "$(rules kwatch)" "namespaced: oxen list,watch
namespaced: geese list,watch" "plurals"
cat >>"$f/operator.yaml" <<'END'
rights:
  kapply:
    namespaced: [{apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [bind]}]
END
is "$(rules kapply)" "namespaced: events create,patch
namespaced: roles bind" "rights of operator.yaml are added"
is "$(rules kapply cluster)" "cluster: events create,patch
cluster: roles bind" "... for all namespaces, too"
kgen rights -f "$f" >"$T/rbac"
is "$(grep -c 'bind\]' "$T/rbac")" 2 "... and are in rbac.yaml"

# ---- compared with what was done ----

# journal STAGE VERB RESOURCE [MEMBER]...: a line of kapi's journal
journal() {
	local agent=$1 verb=$2 resource=$3

	shift 3
	printf '{"number":1,"user":"u","userAgent":"%s/0.1.0 (x)","verb":"%s","resource":"%s","code":200%s}\n' \
		"$agent" "$verb" "$resource" "${*/#/,}" | sed 's/ ,/,/g'
}
group='"group":"example.com"' in='"namespace":"default"'
watches <<'END'
group: example.com
version: v1
kind: Ox
program: reconcile.jq
dependents:
- {apiVersion: v1, kind: ConfigMap, manage: true}
END
{
	journal kwatch list oxen "$group"
	journal kwatch watch oxen "$group"
	journal kwatch list configmaps "$in"
	journal kubectl delete nodes
	journal kapply patch configmaps "$in" '"name":"a"' | sed 's/200/201/'
	journal kapply create configmaps "$in"
	journal kapply create configmaps "$in"
	journal kstatus patch oxen "$group" "$in" '"subresource":"status"'
	journal kapply update pods "$in" '"name":"a"'
	journal kapply create selfsubjectaccessreviews
	printf '{"number":9,"userAgent":"kwatch/1","verb":"get","path":"/apis","code":200}\n'
} >"$T/journal"
from() {
	runs "$1" "$2" kgen rights -f "$f" --from "$T/journal" "${@:3}"
}
from 1 "a journal of kapi, for the whole cluster" --scope=cluster
is "$(<"$T/out")" "unused   kwatch: watch configmaps
unused   kapply: get oxen.example.com
unused   kapply: get configmaps
unused   kapply: delete configmaps
unused   kapply: create events
unused   kapply: patch events
missing  kapply: update pods in default: 1 times, as a
unused   kstatus: create events
unused   kstatus: patch events
idle     kelect: no request
idle     kelect-for-life: no request
idle     http: no request" "... compared"
from 1 "the same, for namespaces"
is "$(grep oxen "$T/out")" "unused   kwatch: list oxen.example.com in its namespaces
unused   kwatch: watch oxen.example.com in its namespaces
missing  kwatch: list oxen.example.com in the cluster: 1 times
missing  kwatch: watch oxen.example.com in the cluster: 1 times
unused   kapply: get oxen.example.com in its namespaces" \
	"... lists of all namespaces are another right"
sed -i '/update/d' "$T/journal"
from 0 "nothing is missing" --scope=cluster
journal kelect update leases "$in" '"group":"coordination.k8s.io"' \
	'"name":"ox.example.com"' >>"$T/journal"
from 1 "a lease elsewhere" --scope=cluster
ok "... is missing" grep -q '^missing  kelect: update leases.coordination.k8s.io in default: 1 times, as ox.example.com$' "$T/out"
from 0 "a lease where the operator ran" --scope=cluster --namespace=default
ok "... is not" grep -q '^unused   kelect: create leases.coordination.k8s.io in default$' "$T/out"
journal kelect update leases "$in" '"group":"coordination.k8s.io"' \
	'"name":"other"' >>"$T/journal"
journal kelect create events "$in" >>"$T/journal"
from 1 "another lease there, and an Event of a leader" --scope=cluster \
	--namespace=default
is "$(grep 'kelect: update' "$T/out")" \
	"missing  kelect: update leases.coordination.k8s.io in default: 1 times, as other" \
	"... the lease is missing"
is "$(grep 'kelect.*events' "$T/out")" "" "... that of a leader by lease is used"
ok "... not for life" grep -q '^idle     kelect-for-life: no request$' "$T/out"
journal kelect get configmaps "$in" '"name":"ox.example.com"' >>"$T/journal"
from 1 "one by the lease, then one for life" --scope=cluster --namespace=default
is "$(grep 'kelect.*events' "$T/out")" "" "... is used by both"
from 100 "another user" --user=v
is "$(<"$T/err")" "kgen: fatal: there is no request of a stage of x by the user v" "... has done nothing"

# audit USER VERB RESOURCE CODE DECISION
audit() {
	printf '{"auditID":"1","stage":"ResponseComplete","verb":"%s","user":{"username":"%s"},"userAgent":"kapply/0.1.0","objectRef":{"resource":"%s","namespace":"default","name":"a"},"responseStatus":{"code":%s},"annotations":{"authorization.k8s.io/decision":"%s"}}\n' \
		"$2" "$1" "$3" "$4" "$5"
}
audit system:serviceaccount:ns:x-kapply list nodes 200 allow >"$T/line"
{
	audit system:serviceaccount:ns:x-kapply patch configmaps 201 allow
	audit system:serviceaccount:ns:x-kapply patch events 403 forbid
	audit system:serviceaccount:ns:x-kapply create events 403 allow
	audit playground delete nodes 200 allow
	sed 's/ResponseComplete/RequestReceived/' "$T/line"
} >"$T/journal"
from 1 "an audit log"
is "$(grep -v '^idle' "$T/out")" "unused   kapply: get oxen.example.com in its namespaces
unused   kapply: get configmaps in its namespaces
unused   kapply: delete configmaps in its namespaces
missing  kapply: patch events in default: 1 times, as a; refused" \
	"... of accounts: theirs counts, when it is answered; refused is missing, a policy is not"
{
	journal kapply patch configmaps "$in" '"name":"a"' | sed 's/200/201/'
	journal kapply patch events "$in" '"name":"a"' '"decision":"forbid"'
	journal kapply create events "$in" '"reason":"Forbidden"'
} >"$T/short"
sed -i '/"events"/s/200/403/' "$T/short"
cp "$T/journal" "$T/audit"
cp "$T/short" "$T/journal"
from 1 "a journal with refusals"
is "$(grep 'kapply' "$T/out")" "unused   kapply: get oxen.example.com in its namespaces
unused   kapply: get configmaps in its namespaces
unused   kapply: delete configmaps in its namespaces
missing  kapply: patch events in default: 1 times, as a; refused" \
	"... that of a right is missing, another is not"
cp "$T/audit" "$T/journal"
sed 's/ResponseComplete/ResponseStarted/' "$T/line" >>"$T/journal"
from 1 "a watch that goes on"
is "$(grep -c nodes "$T/out")" 1 "... does"
head -n 4 "$T/journal" >"$T/short"
mv "$T/short" "$T/journal"
echo '{"a": 1}' >>"$T/journal"
from 100 "another file"
is "$(<"$T/err")" "kgen: fatal: $T/journal:5: neither a line of kapi's journal nor of an audit log" "... is an error"
echo 'x' >"$T/journal"
from 100 "not JSON"
ok "... is an error" grep -q "^kgen: fatal: $T/journal:1: " "$T/err"
runs 100 "no file" kgen rights -f "$f" --from "$T/none"
is "$(<"$T/err")" "kgen: fatal: cannot read $T/none: No such file or directory" "... is an error"

done_testing
