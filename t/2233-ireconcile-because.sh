#!/bin/bash
# ireconcile: the values in reconcile.because. If Secrets are watched, no texts
# are told, because the program may have copied one; numbers are.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

cat >"$T/program.jq" <<'END'
include "operator";
def desired: [{apiVersion: "v1", kind: "Pod", metadata: {name: "p"}, spec: .primary.spec}];
def status: {};
END

# because ROLES OBSERVED DESIRED: what the line says of a Pod with such a spec,
# for an entry with these roles
because() {
	cat >"$T/watches.yaml" <<END
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: Pod, manage: true}
$1
END
	jq -cn --argjson desired "$3" '
		{apiVersion: "example.com/v1", kind: "Thing", spec: $desired,
			metadata: {name: "a", namespace: "ns", uid: "u",
				resourceVersion: "1", generation: 1}}' >"$T/in"
	# The Pod that is created, and changed then.
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>"$T/err" |
		jq -c --argjson observed "$2" '.items[0] | .spec = $observed
			| .metadata += {uid: "v", resourceVersion: "2"}' \
			>"$T/pod"
	cat "$T/in" "$T/pod" |
		ireconcile -f "$T/watches.yaml" --clock=input 2>"$T/err" |
		jq -c '.reconcile.because.items[]?.differs[0]
			| [.path, .observed, .wanted]' |
		tail -n 1
}
none='  related: []'
related='  related:
  - {apiVersion: v1, kind: Secret}'
dependent='  - {apiVersion: v1, kind: Secret}'
other='  related:
  - {apiVersion: example.com/v1, kind: Secret}'
old='{"a":"hunter2"}'
new='{"a":"evil7"}'

is "$(because "$none" "$old" "$new")" '[".spec.a","\"hunter2\"","\"evil7\""]' \
	"no Secrets are watched: texts are told"
is "$(because "$related" "$old" "$new")" '[".spec.a",null,null]' \
	"a related Secret: the path alone"
is "$(because "$dependent" "$old" "$new")" '[".spec.a",null,null]' \
	"a dependent Secret, too"
is "$(because "$other" "$old" "$new")" '[".spec.a","\"hunter2\"","\"evil7\""]' \
	"... but not a Secret of another group"
is "$(because "$related" '{"a":5}' '{"a":3}')" '[".spec.a","5","3"]' \
	"numbers are told"
is "$(because "$related" '{"a":true}' '{"a":false}')" \
	'[".spec.a","true","false"]' "... and booleans"
is "$(because "$related" '{"a":5}' '{"a":"evil7"}' | grep -c evil7)" 0 \
	"a text in place of a number is not"
is "$(because "$related" '{"a":["x","hunter2"]}' '{"a":["x","evil7"]}' |
	grep -cE "hunter2|evil7")" 0 "... nor one in a list"
is "$(because "$related" '{"a":{"b":"hunter2"}}' '{"a":{"b":{"c":"evil7"}}}' |
	grep -cE "hunter2|evil7")" 0 "... nor one in a map"
done_testing
