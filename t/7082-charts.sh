#!/bin/bash
# kgen chart and kgen bundle: of our operators, and what an operator may say, or
# is refused.
# check-all: charts and bundles
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=makedeploy.sh
. "${0%/*}/makedeploy.sh"

# --- what is made is not stale
make_deploy
for operator in "${operators[@]}"; do
	for what in chart bundle; do
		runs 0 "kgen $what --check of $operator" \
			kgen "$what" -f "pipeline/$operator" --check \
			-o "$T/deploy/$operator/$what"
		is "$(cat "$T/out" "$T/err")" "" "... without a word"
	done
done
cp -r deploy/at "$T/at"
sed -i 's/replicas/replicaz/' "$T/at/chart/templates/operator.yaml"
runs 1 "one that is stale" kgen chart -f pipeline/at --check -o "$T/at/chart"
ok "... is named" grep -q 'templates/operator.yaml' "$T/err" "$T/out"

# --- what an operator may say
cp -r pipeline/memcached "$T/mine"
mine() {
	cat pipeline/memcached/operator.yaml - >"$T/mine/operator.yaml"
}
# chart_has FILE WANTED WHAT
chart_has() {
	is "$(kgen chart -f "$T/mine" "${@:4}" 2>"$T/err" |
		awk -v file="# Source: $1" '/^# Source: / { on = ($0 == file) } on' |
		grep -F -- "$2" | head -n 1)" "$2" "$3"
	is "$(<"$T/err")" "" "... without a complaint"
}
mine <<'YAML'
maintainers: [{name: A, email: a@example.com}]
links: [{name: Home, url: "https://example.com"}]
env: {MEMCACHED_IMAGE: "memcached:2", MORE: "x"}
resources: {requests: {cpu: 1m, memory: 2Mi}}
YAML
chart_has Chart.yaml "  email: a@example.com" "maintainers"
chart_has Chart.yaml "home: https://example.com" "links"
chart_has values.yaml "  MORE: x" "settings"
chart_has values.yaml "    memory: 2Mi" "resources"
chart_has values.yaml "  repository: example.com/x" "an image" \
	--image=example.com/x:1.2
chart_has values.yaml "  tag: \"1.2\"" "... its tag" --image=example.com/x:1.2
digest=sha256:$(printf '0%.0s' $(seq 64))
chart_has values.yaml "  digest: $digest" "... its digest" \
	"--image=example.com/x@$digest"
kgen bundle -f "$T/mine" -o "$T/bundle" 2>"$T/err"
runs 0 "a bundle of it" t/olm/check "$T/bundle"
is "$(grep -c 'image: memcached:2' "$T"/bundle/manifests/*version.yaml)" 1 \
	"... names the image that it runs"

# A finalizer needs marks, and they a key in the operator's own namespace.
sed -i 's/^  program:/  finalizer: example.com\/f\n&/' "$T/mine/watches.yaml"
chart_has templates/role.yaml "  name: memcached-kapply-operator" \
	"rights in the operator's namespace"
# One scope only: there is nothing to choose.
sed -i 's/^  program:/  requireScope: namespace\n&/' "$T/mine/watches.yaml"
kgen chart -f "$T/mine" -o "$T/chart" 2>"$T/err"
is "$(cat "$T"/chart/values.yaml | grep -c '^scope:\|^watchNamespaces:')" 1 \
	"of some namespaces only: no scope"
is "$(grep -c 'Values.scope' -r "$T/chart" | awk -F: '{ n += $2 } END { print n }')" 0 \
	"... nor in a template"
kgen bundle -f "$T/mine" -o "$T/bundle" --force 2>"$T/err"
runs 0 "... a bundle of it" t/olm/check "$T/bundle"
is "$(grep -A 1 AllNamespaces "$T"/bundle/manifests/*version.yaml | tail -n 1)" \
	"    supported: false" "... not for all namespaces"
sed -i 's/requireScope: namespace/requireScope: cluster/' "$T/mine/watches.yaml"
kgen bundle -f "$T/mine" -o "$T/bundle" --force --scope=cluster 2>"$T/err"
is "$(grep -c 'supported: true' "$T"/bundle/manifests/*version.yaml)" 1 \
	"of all namespaces only"
runs 0 "... a bundle of it" t/olm/check "$T/bundle"
is "$(grep -c targetNamespaces "$T/bundle/install/operator_group.yaml")" 0 \
	"... its group has all"
sed -i '/requireScope/d' "$T/mine/watches.yaml"

# --- an icon
mine <<<'icon: "data:image/png;base64,AAAA"'
kgen bundle -f "$T/mine" -o "$T/bundle" --force 2>"$T/err"
is "$(grep -A 1 base64data: "$T"/bundle/manifests/*version.yaml | xargs)" \
	"- base64data: AAAA mediatype: image/png" "an icon"

# --- one account for all stages
chart_has templates/service_account.yaml "# The account of all stages." \
	"one account" --set=credentials=pod
is "$(kgen chart -f pipeline/at --set=credentials=pod 2>&1 |
	grep -c 'token-file\|service-account-token')" 0 "... and no Secret"

# --- bad input
# refused WHAT TEXT COMMAND...
refused() {
	runs 100 "$1" "${@:3}"
	ok "... says why" grep -qF -- "$2" "$T/err" || quote <"$T/err"
	ok "... and wrote nothing" test ! -e "$T/none"
}
mkdir "$T/empty"
for what in chart bundle; do
	refused "kgen $what: not an operator" operator.yaml \
		kgen "$what" -f "$T/empty" -o "$T/none"
	mine <<<'colour: red'
	refused "kgen $what: an unknown key" colour \
		kgen "$what" -f "$T/mine" -o "$T/none"
	mine <<<'maintainers: [{email: a@example.com}]'
	refused "kgen $what: a maintainer without a name" maintainers \
		kgen "$what" -f "$T/mine" -o "$T/none"
	mine <<<'links: [{name: Home}]'
	refused "kgen $what: a link without a url" links \
		kgen "$what" -f "$T/mine" -o "$T/none"
	mine </dev/null
	refused "kgen $what: a bad version" version \
		kgen "$what" -f "$T/mine" -o "$T/none" --set=version=one
done
done_testing
