#!/bin/bash
# kgen crd: schemas from the short notation and from examples; the server takes
# them, and means the same. A crd.yaml that a person wrote is not replaced.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"

kgen new web -o "$T/web" --group example.com --kind Web 2>/dev/null

# spec_of [ARGUMENT]...: the schema of the spec, without the type
cp -r "$T/web" "$T/spec"
spec_of() {
	kgen crd -f "$T/web" -o "$T/spec/crd.yaml" --force "$@" 2>"$T/err" &&
		kgen describe -f "$T/spec" | jq -c '.crds[0].spec.versions[0]
			.schema.openAPIV3Schema.properties.spec | del(.type)'
}

# ---- the notation ----

# What changes the spec as well is tried alone, the rest as fields of one.
fields=() wants=()
while IFS='|' read -r field want; do
	field=${field//;/|}
	case $field in
	*required=* | *default=*) is "$(spec_of "$field")" "$want" "$field" ;;
	*) fields+=("$field") wants+=("$want") ;;
	esac
done <<'END'
a: string|{"properties":{"a":{"type":"string"}}}
a:integer|{"properties":{"a":{"type":"integer"}}}
a: float|{"properties":{"a":{"type":"number"}}}
a: any|{"properties":{"a":{"x-kubernetes-preserve-unknown-fields":true}}}
a: object|{"properties":{"a":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}
a: int-or-string|{"properties":{"a":{"x-kubernetes-int-or-string":true}}}
a: [][]boolean|{"properties":{"a":{"type":"array","items":{"type":"array","items":{"type":"boolean"}}}}}
a: map[string][]integer|{"properties":{"a":{"type":"object","additionalProperties":{"type":"array","items":{"type":"integer"}}}}}
a: string ; required=true|{"required":["a"],"properties":{"a":{"type":"string"}}}
a: string ; required=false|{"properties":{"a":{"type":"string"}}}
a: string ; default=1|{"default":{},"properties":{"a":{"type":"string","default":"1"}}}
a: string ; default="b c\"d"|{"default":{},"properties":{"a":{"type":"string","default":"b c\"d"}}}
a: []string ; default=["b"] minItems=1 maxItems=2 uniqueItems=true|{"default":{},"properties":{"a":{"type":"array","items":{"type":"string"},"default":["b"],"minItems":1,"maxItems":2,"x-kubernetes-list-type":"set"}}}
a: integer ; minimum=0 maximum=9 multipleOf=3 enum="0,3"|{"properties":{"a":{"type":"integer","minimum":0,"maximum":9,"multipleOf":3,"enum":[0,3]}}}
a: string ; enum=b,c pattern=^[a-c]$ minLength=1 maxLength=2 format=hostname|{"properties":{"a":{"type":"string","enum":["b","c"],"pattern":"^[a-c]$","minLength":1,"maxLength":2,"format":"hostname"}}}
a: string ; nullable=true description="What it is."|{"properties":{"a":{"type":"string","nullable":true,"description":"What it is."}}}
a: integer ; immutable=true validation="self > 1"|{"properties":{"a":{"type":"integer","x-kubernetes-validations":[{"rule":"self == oldSelf","message":"it cannot be changed"},{"rule":"self > 1"}]}}}
a: object ; minProperties=1 maxProperties=2|{"properties":{"a":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"minProperties":1,"maxProperties":2}}}
END
names=(f{10..99})
for i in "${!fields[@]}"; do
	named[i]=${names[i]}${fields[i]#a}
done
spec_of "${named[@]}" >"$T/all.json"
mapfile -t got < <(jq -c '.properties[] | {properties: {a: .}}' "$T/all.json")
for i in "${!fields[@]}"; do
	is "${got[i]-}" "${wants[i]}" "${fields[i]}"
done
is "$(jq -c '[keys, (.properties | length)]' "$T/all.json")" \
	"[[\"properties\"],${#fields[@]}]" "... and nothing else"

while IFS='|' read -r field want; do
	spec_of "${field//;/|}" >/dev/null
	is "$(<"$T/err")" "kgen: fatal: $want" "refused: $field"
done <<'END'
a|the field "a" is not NAME:TYPE
a-b c: string|Web.spec: "a-b c" is not a name of a field
a: int|Web.spec.a: "int" is not a type: string, integer, number, boolean, object, any, int-or-string, []TYPE or map[string]TYPE; write integer
a: "[]string"|Web.spec.a: "\"[]string\"" is not a type: string, integer, number, boolean, object, any, int-or-string, []TYPE or map[string]TYPE; write []string without quotes
status.a: string|the field status.a has a dot: fields below others, and those of the status, are written into schema.yaml
a: integer ; minimum|Web.spec.a: minimum is not MARKER=VALUE: put a value with blanks into quotes, as in minimum=0
a: integer ; min=1|Web.spec.a: min is not a marker: write minimum=0
a: string ; min=1|Web.spec.a: min is not a marker: write minLength=1
a: string ; regex=x|Web.spec.a: regex is not a marker: write pattern="^[a-z]+$"
a: []string ; colour=x|Web.spec.a: colour is not a marker: those of array are required, default, description, enum, nullable, immutable, validation, minItems, maxItems, uniqueItems
a: integer ; minimum=1 minimum=2|Web.spec.a: minimum is given twice
a: integer ; minimum=x|Web.spec.a: minimum=x is not JSON, as in minimum=0
a: string ; pattern="^[0-9]+\.[a-z]"|Web.spec.a: pattern="^[0-9]+\.[a-z]" is not JSON, as a value in quotes has to be: write pattern="^[0-9]+\\.[a-z]"
a: string ; pattern="x|Web.spec.a: pattern="x is not JSON, as in pattern="^[a-z]+$"
a: integer ; minimum="1"|Web.spec.a: minimum="1" is not a number, as in minimum=0
a: string ; minimum=1|Web.spec.a: minimum is for integer or number, not for string: write minLength=1
a: integer ; pattern=x|Web.spec.a: pattern is for string, not for integer: those of integer are required, default, description, enum, nullable, immutable, validation, minimum, maximum, multipleOf, format
a: integer ; minLength=1|Web.spec.a: minLength is for string, not for integer: write minimum=0
a: string ; minItems=1|Web.spec.a: minItems is for array, not for string: write minLength=1
a: string ; maxProperties=1|Web.spec.a: maxProperties is for object, not for string: write maxLength=63
a: integer ; default=1.5|Web.spec.a: default=1.5 is not of type integer
a: integer ; required=1|Web.spec.a: required=1 is not a boolean, as in required=true
END

# ---- schema.yaml, and what a person wrote ----

schema() {
	cat >"$T/web/schema.yaml"
}
schema <<-'END'
	group: example.com
	version: v1alpha1
	kind: Web
	plural: webz
	shortNames: [wb]
	categories: [all]
	description: A site.
	additionalPrinterColumns:
	- {name: Size, type: integer, jsonPath: .spec.size}
	spec:
	  size: integer | required=true minimum=0 maximum=9
	  image: string | default="nginx:1"
	  tags: "[]string"
	  ports: [{name: string | required=true, port: integer | default=80}]
	  database:
	    host: string | required=true
	    options: map[string]string
	  backup: {schedule: string | default="@daily", to: {path: string | default=/}}
	  anything: any
	status:
	  nodes: "[]string"
END
runs 1 "crd.yaml is stale: --check" kgen crd -f "$T/web" -o "$T/web" --check
is "$(<"$T/err")" "kgen: error: $T/web/crd.yaml: is stale" "... says so"
runs 0 "kgen crd" kgen crd -f "$T/web" -o "$T/web"
runs 0 "... again" kgen crd -f "$T/web" -o "$T/web"
is "$(<"$T/err")" "" "... writes nothing"
sed -i 's/nginx:1/nginx:2/' "$T/web/crd.yaml"
cp "$T/web/crd.yaml" "$T/mine"
runs 1 "crd.yaml was changed" kgen crd -f "$T/web" -o "$T/web"
ok "... the difference is shown" grep -q '^-.*nginx:2' "$T/out"
same "$T/web/crd.yaml" "$T/mine" "... and not written"
runs 0 "... --force" kgen crd -f "$T/web" -o "$T/web" --force
ok "... writes it" grep -q nginx:1 "$T/web/crd.yaml"

# Columns: those of the author, then ours that they do not show already.
# columns [COLUMN]...: in flow style
columns() {
	{
		printf 'group: example.com\nversion: v1alpha1\nkind: Web\nspec: {}\n'
		printf 'additionalPrinterColumns:\n'
		printf -- '- %s\n' "$@"
	} >"$T/spec/schema.yaml"
	kgen crd -f "$T/spec" -o "$T/spec/crd.yaml" --force 2>"$T/err" &&
		kgen describe -f "$T/spec" | jq -c '[.crds[0].spec.versions[0]
			.additionalPrinterColumns[].name]'
}
is "$(columns '{name: Size, type: integer, jsonPath: .spec.size}')" \
	'["Size","Ready","Reason","Age"]' "columns: ours come last"
is "$(columns '{name: AGE, type: date, jsonPath: .metadata.creationTimestamp}' \
	'{name: ready, type: integer, jsonPath: .status.count}')" \
	'["AGE","ready","Reason"]' "... one of the same name is the author's"
is "$(columns "{name: State, type: string, jsonPath: \".status.conditions[?(@.type=='Ready')].status\"}")" \
	'["State","Reason","Age"]' "... and one that shows the same"

# no MESSAGE WHAT: kgen crd refuses schema.yaml (standard input)
no() {
	schema
	runs 100 "$2" kgen crd -f "$T/web"
	is "$(<"$T/err")" "kgen: fatal: $1" "... says why"
}
cp "$T/web/schema.yaml" "$T/good.yaml"
no "schema.yaml: v1 of Web.example.com is not in watches.yaml" \
	"another version than in watches.yaml" \
	< <(sed 's/v1alpha1/v1/' "$T/good.yaml")
no "schema.yaml: Web.example.com is Cluster, and Namespaced in watches.yaml" \
	"another scope" < <(sed '$a scope: Cluster' "$T/good.yaml")
no "schema.yaml: unknown key specs" "an unknown key" \
	< <(sed 's/^spec:/specs:/' "$T/good.yaml")
no "schema.yaml: there is no kind" "no kind" < <(sed '/^kind/d' "$T/good.yaml")
no "schema.yaml: Web.spec.ports: a list has one element: what its elements are" \
	"a list of two" < <(sed 's/^  ports:.*/  ports: [string, string]/' \
	"$T/good.yaml")
no "$T/web/schema.yaml:3: mapping values are not allowed in this context" \
	"broken YAML" < <(printf 'a: b\n\n c: d: e\n')
cp "$T/good.yaml" "$T/web/schema.yaml"

sed 's/v1alpha1/v1/' "$T/web/watches.yaml" >"$T/watches.yaml"
mkdir "$T/unfit"
cp "$T/web"/*.yaml "$T/web"/*.jq "$T/unfit"
cp "$T/watches.yaml" "$T/unfit"
runs 100 "a CRD that does not fit watches.yaml" kgen describe -f "$T/unfit"
is "$(<"$T/err")" "kgen: fatal: $T/unfit/watches.yaml:3: Web: crd.yaml does not serve version v1" \
	"... is named"

# ---- an example ----

rm "$T/web/schema.yaml"
printf 'apiVersion: example.com/v1alpha1\nkind: Web\nmetadata: {name: a}\nspec:
  {a: 1, b: 1.5, c: x, d: [{e: 1}, {f: true}], g: [], h: {}, i: null, j: [1, x],
  k: [1, 2.5], l: [[a]], m: [1, true]}\n' >"$T/web/example.yaml"
is "$(spec_of | jq -c .properties)" \
	'{"a":{"type":"integer"},"b":{"type":"number"},"c":{"type":"string"},"d":{"type":"array","items":{"type":"object","properties":{"e":{"type":"integer"},"f":{"type":"boolean"}}}},"g":{"type":"array","items":{"x-kubernetes-preserve-unknown-fields":true}},"h":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"i":{"x-kubernetes-preserve-unknown-fields":true},"j":{"type":"array","items":{"x-kubernetes-int-or-string":true}},"k":{"type":"array","items":{"type":"number"}},"l":{"type":"array","items":{"type":"array","items":{"type":"string"}}},"m":{"type":"array","items":{"x-kubernetes-preserve-unknown-fields":true}}}' \
	"without schema.yaml: of example.yaml"
rm "$T/web/example.yaml"
runs 100 "neither" kgen crd -f "$T/web"
is "$(<"$T/err")" "kgen: fatal: crd.yaml is made of schema.yaml, or of an example of a kind of watches.yaml in example.yaml: there is neither" \
	"... says what is missing"

# ---- the server ----

cluster_start
cp "$T/good.yaml" "$T/web/schema.yaml"
ok "the server takes the CRD, strictly" kubectl apply --validate=strict \
	-f "$T/web/crd.yaml"
ok "... names are accepted" wait_for 20 \
	kubectl wait --for=condition=Established \
	crd/webz.example.com
is "$(kubectl get crd webz.example.com -o json | jq -c '[.status.conditions[]
	| select(.type == "NonStructuralSchema")]')" "[]" "... it is structural"
wait_for 20 kubectl get webz

# web NAME SPEC
web() {
	jq -cn --arg name "$1" --argjson spec "$2" '{kind: "Web",
		apiVersion: "example.com/v1alpha1", metadata: {name: $name},
		spec: $spec}' >"$T/web.json"
	kubectl create -f "$T/web.json"
}
ok "an object" web a '{"size": 2, "tags": ["x"], "anything": {"y": [1]},
	"ports": [{"name": "http"}], "database": {"host": "h", "options": {"a": "b"}}}'
is "$(kubectl get webz a -o json | jq -c '[.spec.image, .spec.ports,
	.spec.backup]')" \
	'["nginx:1",[{"name":"http","port":80}],{"schedule":"@daily","to":{"path":"/"}}]' \
	"... has the defaults, also those below what is not there"
is "$(kubectl get wb | awk '{print $1, $2}')" "NAME SIZE
a 2" "... a short name, and columns"
name=$(printf 'a%.0s' {1..63})
ok "a name of 63 characters" web "$name" '{"size": 2}'
runs 1 "refused: one of 64" web "a$name" '{"size": 2}'
ok "... for its length" grep 'metadata.name: Too long' "$T/err"
for bad in '{}' '{"size": -1}' '{"size": "2"}' '{"size": 1, "tags": [1]}' \
	'{"size": 1, "ports": [{}]}' '{"size": 1, "database": {}}'; do
	ok "refused: $bad" eval "! web bad '$bad'"
done
echo '{"apiVersion": "example.com/v1alpha1", "kind": "Web", "metadata": {"name":
	"a", "namespace": "default"}, "status": {"nodes": ["n"],
	"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True",
	"reason": "A", "message": "", "lastTransitionTime":
	"2026-01-01T00:00:00Z"}]}}' | kstatus
is "$(kubectl get webz a -o json | jq -c '.status | [.nodes,
	.conditions[0].status]')" '[["n"],"True"]' "the status is kept"
kgen new plain -o "$T/plain" --group example.com --kind Plain 2>/dev/null
ok "what kgen new makes is taken, too" kubectl apply --validate=strict \
	-f "$T/plain/crd.yaml"
wait_for 20 kubectl get plains
ok "... and its example" kubectl create --dry-run=server \
	-f "$T/plain/example.yaml"
done_testing
