#!/bin/bash
# From `kgen new` to a Pod that reconciles: the figures of doc/kubebuilder.md.
# Files and lines that kgen new writes, those that an author changes for
# Memcached, and the seconds of each command of README.md's chapter, with programs
# in a ConfigMap and with an image of the operator's own. As root, in a node of its
# own (t/node); else without Pods. How busy the machine is, is printed first.
# usage: t/bench/folder.sh
set -euo pipefail
cd "${0%/*}/../.."
if [ -z "${NODE_REGISTRY:-}" ] && lacks=$(t/node/missing); then
	{ t/node/build && t/cluster/build; } >/dev/null
	exec t/node/run --- bash "$0"
fi
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
PATH=$PWD/bin:$PATH:$PWD/t/kapi

echo "processes that want to run: $(cut -d ' ' -f 1 /proc/loadavg), of" \
	"$(nproc) processors"

# ---- files and lines ----

kgen new memcached -o "$T/memcached" --group cache.example.com \
	--kind Memcached 'size: integer | required=true minimum=0' 2>/dev/null
cd "$T/memcached"
echo "kgen new: $(find . -type f | wc -l) files, $(find . -type f -print0 |
	xargs -0 cat | wc -l) lines"
for file in reconcile.jq watches.yaml; do
	diff "$file" "$OLDPWD/pipeline/memcached/$file" >"$T/diff" || :
	echo "... the author's $file: $(grep -c '^>' "$T/diff") lines more," \
		"$(grep -c '^<' "$T/diff") lines less"
done
cd "$OLDPWD"

# ---- seconds ----

# seconds WHAT COMMAND...
seconds() {
	local from=${EPOCHREALTIME/./}

	"${@:2}" >"$T/out" 2>&1 || { cat "$T/out"; exit 1; }
	printf '%6.1f s  %s\n' \
		"$(((${EPOCHREALTIME/./} - from) / 100000))e-1" "$1"
}

ready() {
	until grep -q '^kpipe: ready' "$T/run"; do sleep 0.05; done
	kubectl apply -f example.yaml
	kubectl wait --for=condition=Ready web/example
}

seconds "kgen new" kgen new web -o "$T/web" --group example.com --kind Web \
	'color: string | default=red'
cd "$T/web"
seconds "make test" make test
make run >"$T/run" 2>&1 &
make=$!
KUBECONFIG=$PWD/build/kubeconfig seconds "make run, and the example is Ready" \
	ready
kill "$make"
wait "$make" || :
seconds "make crd" make crd
[ -n "${NODE_REGISTRY:-}" ] || {
	echo "$lacks: neither image nor Pod"
	exit
}
export KUBECONFIG=$CLUSTER/admin.kubeconfig
export SKOPEO_FLAGS=--dest-tls-verify=false
ns=web-operator-system deployment=deployment/web-operator-controller-manager

# ---- without an image: kgen new to a Pod that reconciles, whole ----

served() {
	kubectl apply -f example.yaml -n $ns
	kubectl wait --for=condition=Ready web/example -n $ns --timeout=300s
}
rolled_out() {
	kubectl rollout status $deployment -n $ns
}
# has KEY: the example's ConfigMap has this key, as the program makes it
has() {
	until kubectl get configmap web-example -n $ns -o yaml | grep -q "$1"; do
		sleep 0.05
	done
}
from_new() {
	kgen new web --group example.com --kind Web 'color: string | default=red'
	make -C web deploy
	cd web
	served
}
changed() {
	sed -i 's/settings.json/config.json/' reconcile.jq
	make deploy
	has config.json
}
back() {
	kubectl rollout undo $deployment -n $ns
	has settings.json
}
export KPIPE_IMG=$NODE_REGISTRY/kpipe
mkdir "$T/alone"
cd "$T/alone"
seconds "once for all operators: make kpipe-image, which pushes it" \
	make -C "$T/web" kpipe-image
seconds "kgen new, make deploy, and the example is Ready" from_new
cd "$T/alone/web"
seconds "... both replicas are available" rolled_out
seconds "a change: make deploy, and the new program is at work" changed
seconds "... both replicas are available" rolled_out
seconds "kubectl rollout undo, and the program before is at work" back
seconds "... both replicas are available" rolled_out
seconds "make undeploy" make undeploy CONFIRM=delete

# ---- with an image ----

cd "$T/web"
export IMG=$NODE_REGISTRY/web-operator:0.1.0
seconds "make image" make image
seconds "make push" make push
seconds "make deploy" make deploy
seconds "the example is Ready" served
seconds "... both replicas are available" rolled_out
seconds "make undeploy" make undeploy CONFIRM=delete
