#!/bin/bash
# kgen new and kgen add: a folder that works at once, on kapi; nothing that is
# there is overwritten, and nothing is half written.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
own_kubectl
cd "$T" || exit

# files FOLDER: all that is in it, with its contents
files() {
	(cd "$1" && find . -type f ! -path './build/*' | sort |
		xargs -d '\n' sha256sum)
}

# refused WHAT MESSAGE ARGUMENT...: exit 100 with that message, and no new file
refused() {
	local what=$1 message=$2

	shift 2
	runs 100 "$what" kgen "$@"
	is "$(<"$T/err")" "kgen: fatal: $message" "... says why"
	is "$(find "$T" -path "*/x*")" "" "... nothing is made"
}

# ---- the folder ----

runs 0 "kgen new" kgen new web --group example.com --kind Web
is "$(find web -type f -printf '%P\n' | LC_ALL=C sort | paste -sd ' ')" \
	".gitignore Makefile README crd.yaml example.yaml operator.yaml reconcile.jq schema.yaml t/life.jsonl t/life.out t/run watches.yaml" \
	"... makes these files"
is "$(cd web && awk 'length > 80 { print FILENAME ": " FNR }' README Makefile \
	t/run ./*.jq operator.yaml watches.yaml schema.yaml)" "" \
	"... of at most 80 columns"
runs 0 "make test" make -s -C web test
is "$(<"$T/out")" "ok life.jsonl" "... passes"
runs 0 "make crd" make -s -C web crd
is "$(<"$T/err")" "" "... changes nothing"
runs 0 "the folder is in order" kgen describe -f web
is "$(jq -c '[.name, .image, .scope, .crds[0].metadata.name,
	.examples[0].spec]' "$T/out")" \
	'["web","localhost/web-operator","namespace","webs.example.com",{"message":"hello"}]' \
	"... and describes the operator"
is "$(sed 's/ .*//' <(make -s -C web help | cut -f 1 | sed 's/make //') |
	paste -sd ' ')" \
	"test accept record run torture crd rights manifests deploy undeploy kpipe-image image push" \
	"make help lists the targets"

# commands TARGET...: those that make would run
commands() {
	make -s -n -C web KPIPE="$kpipe" "$@" | grep -v '^mkdir'
}
mkdir -p installed/share/kpipe
kpipe=$T/installed
is "$(commands image push deploy undeploy)" \
	"$kpipe/share/kpipe/image/build -t localhost/web-operator:0.1.0 . build/web.tar
$kpipe/share/kpipe/image/push build/web.tar localhost/web-operator:0.1.0
IMG=localhost/web-operator:0.1.0 $kpipe/share/kpipe/deploy .
$kpipe/share/kpipe/undeploy ." "the scripts of an installed kpipe"
is "$(commands deploy kpipe-image manifests; commands kpipe-image manifests \
	KPIPE_IMG=x/kpipe)" "$kpipe/share/kpipe/deploy .
$kpipe/share/kpipe/image/build  - build/kpipe.tar
kgen manifests --program=configmap  -o deploy
$kpipe/share/kpipe/image/build -t x/kpipe - build/kpipe.tar
$kpipe/share/kpipe/image/push build/kpipe.tar x/kpipe
kgen manifests --program=configmap --image x/kpipe -o deploy" "... without an image of one's own"
kpipe=$ROOT
for script in $(commands image push deploy undeploy IMG=a:1 |
	sed 's/ -t.*//; s/^IMG=a:1 //; s/ .*//'); do
	ok "... and of a source tree: ${script#"$ROOT/"}" test -x "$script"
done

mkdir tools
ln -s "$(command -v make)" "$(command -v sed)" "$(command -v sh)" tools
for target in "" crd run deploy; do
	# shellcheck disable=SC2086
	runs 2 "without kpipe: make $target" env PATH="$T/tools" \
		make -C web --no-print-directory $target
	is "$(<"$T/err")" "Makefile:14: *** kpipe is not in PATH: add its bin to PATH, or say KPIPE=FOLDER, the folder that has bin/kpipe.  Stop." \
		"... is one line"
done
runs 0 "... make help" env PATH="$T/tools" make -C web help

files web >before
runs 100 "kgen new again" kgen new web --group example.com --kind Other
is "$(<"$T/err")" "kgen: fatal: web: exists; kgen new makes a folder, kgen add -f web adds a kind to one" \
	"... says that it is there"
files web >after
same after before "... it stays as it is"
kgen new one -o two --group example.com --kind Web 2>/dev/null
kgen new one --group example.com --kind Web 2>/dev/null
is "$(diff -r one two)" "" "-o names the folder; the files are the same again"

# ---- at work ----

start make -C web run >run.log 2>&1
make=$!
ok "make run: the operator is ready" wait_for 20 grep -q 'kpipe: ready' run.log
export KUBECONFIG=$T/web/build/kubeconfig
ok "the example is accepted" kubectl apply -f web/example.yaml
ok "... is Ready" kubectl wait --timeout=240s --for=condition=Ready web/example
is "$(kubectl get configmap web-example -o json | jq -c '.data')" \
	'{"settings.json":"{\"message\":\"hello\"}"}' "... has its ConfigMap"
is "$(kubectl get webs | awk '{print $1, $2}')" "NAME READY
example True" "... and kubectl shows that"
kubectl delete configmap web-example >/dev/null
ok "a deleted ConfigMap comes back" kubectl wait --timeout=240s --for=create \
	configmap/web-example
kubectl patch web example --type=merge -p '{"spec":{"message":"bye"}}' >/dev/null
ok "a changed spec changes it" wait_for 10 sh -c \
	'kubectl get configmap web-example -o json | grep -q bye'

# ---- the author's changes ----

sed -i 's/"settings.json"/"config.json"/' web/reconcile.jq
runs 2 "the program does something else: make test" make -s -C web test
ok "... shows it" grep -q '^+.*config\.json' "$T/out"
is "$(tail -n 1 "$T/out")" "not ok life.jsonl: make accept keeps the new output" \
	"... and says how to keep it"
ok "... a line for each field" grep -qx '+line 1 .*\["config.json"\]: .*\|+line 1 .*config.json: .*' "$T/out"
mv web/t/life.out life.out
runs 2 "new events, and nothing to compare with: make test" make -s -C web test
is "$(<"$T/out")" "not ok life.jsonl: there is no t/life.out yet: make accept writes it" \
	"... says so"
mv life.out web/t
runs 0 "make accept" make -s -C web accept
ok "... keeps that" grep -q 'config\.json' web/t/life.out
runs 0 "... make test passes" make -s -C web test
cp web/t/life.out web/t/lief.out
runs 2 "a name that is misspelt: make test" make -s -C web test
is "$(tail -n 1 "$T/out")" \
	"not ok lief.out: there are no events for it, t/lief.jsonl" "... says so"
rm web/t/lief.out

# ---- one more kind ----

kill "$make"
wait "$make"
printf '# the end' >>web/watches.yaml
cp web/watches.yaml watches.before
runs 0 "kgen add" kgen add -f web --group example.com --kind Gadget \
	'size: integer | required=true minimum=2' 'tags: []string'
is "$(head -c "$(wc -c <watches.before)" web/watches.yaml)" \
	"$(<watches.before)" "... leaves what is in watches.yaml"
is "$(kgen describe -f web | jq -c '[[.watches[].program],
	[.crds[].metadata.name], [.examples[].spec]]')" \
	'[["reconcile.jq","reconcile-gadget.jq"],["webs.example.com","gadgets.example.com"],[{"message":"hello"},{"size":2,"tags":["text"]}]]' \
	"... and adds the kind everywhere"
runs 0 "... make test" make -s -C web test
is "$(<"$T/out")" "ok gadget.jsonl
ok life.jsonl" "... tests both"
runs 0 "... make crd" make -s -C web crd
is "$(<"$T/err")" "" "... changes nothing"
start make -C web run >run.log 2>&1
make=$!
ok "... make run" wait_for 20 grep -q 'kpipe: ready' run.log
kubectl apply -f web/example.yaml >/dev/null
ok "... both are Ready" kubectl wait --timeout=240s --for=condition=Ready \
	web/example gadget/example
kill "$make"
wait "$make"

files web >before
runs 100 "kgen add again" kgen add -f web --group example.com --kind Gadget
is "$(<"$T/err")" "kgen: fatal: watches.yaml has Gadget of example.com already" \
	"... says that it is there"
echo mine >web/reconcile-gizmo.jq
runs 100 "a file in the way" kgen add -f web --group example.com --kind Gizmo
is "$(<"$T/err")" "kgen: fatal: web/reconcile-gizmo.jq: exists; nothing was written" \
	"... is named"
rm web/reconcile-gizmo.jq
files web >after
same after before "... nothing has changed"

mkdir hand
cp "$ROOT"/pipeline/memcached/{operator,crd,example}.yaml hand
cp "$ROOT"/pipeline/memcached/reconcile.jq hand
echo '[{group: cache.example.com, version: v1alpha1, kind: Memcached,
  program: reconcile.jq, operator: {image: a},
  dependents: [{apiVersion: apps/v1, kind: Deployment, manage: true}]}]' \
	>hand/watches.yaml
files hand >before
runs 1 "watches.yaml in flow style" kgen add -f hand --group example.com \
	--kind Gadget
is "$(<"$T/err")" "kgen: error: hand/watches.yaml:1: an entry does not begin a line with \"- \": add this by hand" \
	"... says what to do"
ok "... and prints it" grep -q '^  kind: Gadget' "$T/out"
files hand >after
same after before "... nothing has changed"
cp "$ROOT/pipeline/memcached/watches.yaml" hand
cp hand/crd.yaml crd.before
runs 0 "a folder that was written by hand" kgen add -f hand \
	--group example.com --kind Gadget
is "$(head -c "$(wc -c <crd.before)" hand/crd.yaml)" "$(<crd.before)" \
	"... its crd.yaml stays, and gets one more"
ok "... and no schema.yaml" test ! -e hand/schema.yaml
runs 0 "... it is in order" kgen describe -f hand

# ---- other kinds ----

kgen new fleet --group example.com --kind Policy --api-version v1 \
	--cluster-scoped --image registry.example.com/fleet \
	'b: integer | minimum=3' 'c: {d: string}' 2>"$T/err"
is "$(<"$T/err")" "kgen: fatal: spec.c: \"{d: string}\" is not a type: string, integer, number, boolean, object, any, int-or-string, []TYPE or map[string]TYPE" \
	"nested fields are for schema.yaml"
kgen new fleet --group example.com --kind Policy --api-version v1 \
	--cluster-scoped --image registry.example.com/fleet \
	'b: integer | minimum=3' 'a: map[string]number' 2>/dev/null
runs 0 "a kind of the cluster: make test" make -s -C fleet test
is "$(kgen describe -f fleet | jq -c '[.image, .scope, .watches[0].scope,
	(.crds[0] | .metadata.name, .spec.scope, .spec.versions[0].name),
	.examples[0].spec]')" \
	'["registry.example.com/fleet","cluster","Cluster","policies.example.com","Cluster","v1",{"b":3,"a":{"key":1}}]' \
	"... its files say so"
start make -C fleet run >run.log 2>&1
make=$!
export KUBECONFIG=$T/fleet/build/kubeconfig
ok "... make run" wait_for 20 grep -q 'kpipe: ready' run.log
kubectl apply -f fleet/example.yaml >/dev/null
ok "... the example is Ready" kubectl wait --timeout=240s \
	--for=condition=Ready policy/example
kill "$make"
wait "$make"

cat >example.yaml <<-'END'
	apiVersion: shop.example.com/v1beta1
	kind: Order
	metadata: {name: first}
	spec:
	  count: 2
	  price: 9.5
	  items: [{name: a}, {name: b, express: true}]
	status: {phase: Paid}
END
runs 0 "kgen new --from an object" kgen new shop --from example.yaml
runs 0 "... make test" make -s -C shop test
is "$(kgen describe -f shop | jq -c '.crds[0].spec.versions[0].schema
	.openAPIV3Schema.properties | .spec.properties, .status.properties.phase')" \
	'{"count":{"type":"integer"},"price":{"type":"number"},"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"express":{"type":"boolean"}}}}}
{"type":"string"}' "... its CRD has the types of the example"

# ---- bad input ----

refused "no name" "new: NAME is missing" new
refused "no group" "--group is missing" new x
refused "no kind" "--kind is missing" new x --group a.b
refused "a name that is not one" \
	'the name "x/y" is not a-z, 0-9 and -, beginning with a letter' \
	new x/y --group a.b --kind B
refused "a group without a dot" \
	'the group "b" is not a domain such as cache.example.com' \
	new x --group b --kind B
refused "a kind in lower case" \
	'the kind "b" is not in CamelCase, such as Memcached' \
	new x --group a.b --kind b
refused "a version that is not one" \
	'the version "2" is not v1, v1beta1, v1alpha1 or so' \
	new x --group a.b --kind B --api-version 2
# The others of these, from the generator itself: unfit WHAT MEMBER VALUE MESSAGE
unfit() {
	whats+=("$1") messages+=("$4")
	printf '{"%s":"%s"}\n' "$2" "$3" >>unfit
}
whats=() messages=()
long=x$(printf 'a%.0s' {1..35})
unfit "a name that is too long" name "$long" \
	"the name \"$long\" is longer than 35 characters: kgen new NAME says another"
unfit "a reserved name" name kube-x \
	'the name "kube-x" begins with kube-, which is reserved for Kubernetes'
unfit "a reserved group" group x.k8s.io \
	'the group "x.k8s.io" is reserved for Kubernetes'
long=a.$(printf 'b%.0s' {1..188})
unfit "a group that is too long" group "$long" "the group \"$long\" is too long"
unfit "a kind that lists have" kind BList \
	'the kind "BList" ends in List, as the kinds of lists do'
unfit "a reserved kind" kind Status 'the kind "Status" is one of the API itself'
long=B$(printf 'a%.0s' {1..57})
unfit "a kind that is too long" kind "$long" \
	"the kind \"$long\" is longer than 57 characters"
mapfile -t got < <(jq -r -L "$ROOT/lib/jq" 'include "gen/new";
	{name: "x", group: "a.b", kind: "B"} + . | try (new | "made") catch .' unfit)
for i in "${!whats[@]}"; do
	is "${got[i]-}" "${messages[i]}" "${whats[i]}"
done
refused "a field without a type" 'the field "y" is not NAME:TYPE' \
	new x --group a.b --kind B y
refused "an option of another command" \
	"--group, --kind, --api-version and --cluster-scoped are for new and add" \
	crd -f web --group a.b
refused "an operand of another command" 'unexpected argument "x"' \
	describe -f web x
refused "--from and --kind" \
	"--from has the kind and the fields: leave out --group, --kind, --api-version and fields" \
	new x --from example.yaml --kind B
printf 'a: 1\n---\nb: 1\n' >two.yaml
refused "two examples" "the example has 2 objects: use a file for each" \
	new x --from two.yaml
refused "an example without a name" \
	"the example has no apiVersion, kind or metadata.name" \
	new x --from <(echo 'spec: {}')
refused "no such folder" "cannot make the folder no/x: No such file or directory" \
	new x -o no/x --group a.b --kind B
refused "a folder that is not an operator" \
	"one/t: not the folder of an operator: it has no operator.yaml, watches.yaml" \
	add -f one/t --group a.b --kind B

# A file system that is full, say: files of at most 1 KiB can be written.
runs 100 "a file that cannot be written" bash -c \
	'trap "" XFSZ; ulimit -f 1; exec kgen new x --group a.b --kind B'
is "$(find . -path '*/x*')" "" "... no folder is left"
mapfile -t fields < <(printf 'f%s: string\n' {1..80})
runs 100 "... the last one, below which is a folder" bash -c \
	'trap "" XFSZ; ulimit -f 5; exec kgen new x --group a.b --kind B "$@"' - \
	"${fields[@]}"
is "$(find . -path '*/x*')" "" "... no folder is left"
files web >before
runs 100 "... while a kind is added" bash -c 'trap "" XFSZ; ulimit -f 1
	exec kgen add -f web --group example.com --kind Gizmo'
files web >after
same after before "... the folder stays as it was"
done_testing
