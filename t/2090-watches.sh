#!/bin/bash
# watches.yaml: every tool that reads it refuses the same errors with the same
# message; the example of doc/watches.md.
. "${0%/*}/lib.sh"

cd "$T" || exit 1
echo 'def desired: [];' >reconcile.jq
tools=(ireconcile kwatch kpipe)
# kwatch needs the address of a server first; none listens there.
printf '%s\n' 'apiVersion: v1' 'kind: Config' 'current-context: c' \
	'contexts: [{name: c, context: {cluster: c}}]' \
	'clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]' >config
export KUBECONFIG=$T/config

# refused WHAT MESSAGE: all of them refuse w.yaml
refused() {
	local tool

	for tool in "${tools[@]}"; do
		runs 100 "$tool: $1" "$tool" -f w.yaml </dev/null
		is "$(<err)" "$tool: fatal: $2" "... message"
		is "$(<out)" "" "... and nothing on standard output"
	done
}
entry() {
	cat <<-END
		- group: example.com
		  version: v1
		  kind: Thing
		  program: ${1:-reconcile.jq}
	END
}

refused "not there" "cannot read w.yaml: No such file or directory"
echo '- {a: [}' >w.yaml
refused "not YAML" \
	"w.yaml:1: did not find expected node content while parsing a flow node"
{
	entry
	echo '  programm: x.jq'
} >w.yaml
refused "an unknown key" 'w.yaml:5: unknown key "programm" (did you mean "program"?)'
{
	entry
	entry
} >w.yaml
refused "a kind twice" "w.yaml:5: duplicate kind Thing.example.com"
entry none.jq >w.yaml
refused "a program that is not there" \
	"w.yaml:4: program none.jq: No such file or directory"
{
	entry
	echo '  adopt: {label: "not a key"}'
} >w.yaml
refused "an invalid label" \
	'w.yaml:5: adopt.label must be the key of a label, not "not a key"'
{
	entry
	# shellcheck disable=SC2016
	echo '  operator: {name: "${OPERATOR_NAME:?it names the landscape}"}'
} >w.yaml
refused "a variable that must be set" \
	"w.yaml:5: OPERATOR_NAME: it names the landscape"
{
	entry
	echo '  requireScope: cluster'
} >w.yaml
export WATCH_NAMESPACE=one
refused "another scope" \
	'w.yaml:1: thing.example.com requires cluster scope, but WATCH_NAMESPACE is "one": leave it out'
unset WATCH_NAMESPACE
for tool in "${tools[@]}"; do
	runs 100 "$tool -n: another scope" "$tool" -f w.yaml -n one </dev/null
	is "$(<err)" \
		"$tool: fatal: w.yaml:1: thing.example.com requires cluster scope, but option --namespace is \"one\": leave it out" \
		"... message"
done

sed -n '/^```yaml watches$/,/^```$/{/^```/d;p}' "$ROOT/doc/watches.md" >w.yaml
ok "doc/watches.md has an example" test -s w.yaml
runs 0 "... which is right" ireconcile -f w.yaml </dev/null
# Every key of the example is explained.
keys=$(tr -c 'A-Za-z:' '\n' <w.yaml | sed -n 's/^\([a-z][A-Za-z]*\):$/\1/p' |
	sort -u | grep -v -x \
	-e image -e team -e label -e matchLabels -e memcached -e apiVersion)
for key in $keys; do
	ok "... and explains $key" grep -q "^|.*\`$key\`" "$ROOT/doc/watches.md"
done

done_testing
