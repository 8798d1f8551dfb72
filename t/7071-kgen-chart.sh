#!/bin/bash
# kgen new --from-chart: the program makes the objects that helm template made
# (t/chart/web.out has them; 7072 asks Helm itself), what cannot be carried over
# is listed, and wrong charts are refused with file and line.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# ---- the objects ----
runs 0 "the objects of a chart, for six sets of values" t/chart/compare \
	--keep "$T/web" --saved t/chart/web.out t/chart/web t/chart/web/ci
quote <"$T/out"
is "$(grep -c ^ok "$T/out")" 6 "... all are equal"

# ---- the folder ----
is "$(cd "$T/web" && find . -type f -printf '%P\n' | LC_ALL=C sort | paste -sd ' ')" \
	".gitignore Makefile README chart_data.jq chart_values.jq crd.yaml example.yaml operator.yaml reconcile.jq t/defaults.jsonl t/run templates.jq watches.yaml" \
	"the files"
runs 0 "make accept" make -s -C "$T/web" accept
runs 0 "make test" make -s -C "$T/web" test
is "$(<"$T/out")" "ok defaults.jsonl" "... passes"
runs 0 "kgen rights" kgen rights -f "$T/web"
runs 0 "kgen manifests" kgen manifests -f "$T/web" -o "$T/deploy"
is "$(t/yaml-lines <"$T/web/watches.yaml" | jq -c '.[0].dependents |
	map(.kind + if .scope then "/" + .scope else "" end)')" \
	'["ClusterRole/Cluster","ConfigMap","Deployment","HorizontalPodAutoscaler","Ingress","Secret","Service"]' \
	"the kinds, with their scope"
is "$(sed -n '/^-----/,$p' "$T/web/README" | tail -n +3)" \
	"- templates in values (tpl): those of values.yaml work; in a spec, {{ include \"NAME\" . | nindent 4 }} and the like do, if, with and range do not
- web/crds/a.yaml: apply it yourself, before the operator starts
- web/templates/rest.yaml:1: a hook (pre-upgrade): its objects are left out" \
	"what could not be carried over"
is "$(t/yaml-lines <"$T/web/crd.yaml" | jq -c '.spec.versions[0].schema
	.openAPIV3Schema.properties.spec.properties |
	[.replicas, .image.properties.tag, .cache.properties.policy]')" \
	'[{"nullable":true,"description":"Default: 2","x-kubernetes-int-or-string":true},{"nullable":true,"description":"Default: \"\"","x-kubernetes-preserve-unknown-fields":true},{"nullable":true,"description":"Default: \"lru\"","type":"string"}]' \
	"types of the values, also of a chart below"

# ---- kapi takes the kind, and keeps a null ----
# (The null reaches the program: 01-null above.)
is "$(jq -c . <<<'{"a": null}')" '{"a":null}' "jq keeps a null"

# ---- names ----
cd "$T" || exit
chart() {
	rm -rf chart
	mkdir -p chart/templates
	printf 'name: my-chart\nversion: 1.0.0\n' >chart/Chart.yaml
	cat >chart/templates/a.yaml
}
chart <<'END'
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data:
  password: {{ randAlphaNum 10 }}
  ca: {{ if .Values.ca }}{{ genCA "a" 1 }}{{ end }}
  x: {{ if .Values.x }}{{ frobnicate 1 }}{{ end }}
  found: {{ lookup "v1" "Secret" "" "" | len | quote }}
END
runs 0 "without NAME" kgen new --from-chart chart
is "$(<"$T/out")" "my-chart: a MyChart.charts.example.com makes the objects of the chart my-chart.
What could not be carried over (README has it, too):
  my-chart/templates/a.yaml:5: randAlphaNum is \`random\`: the same text for the same object
  my-chart/templates/a.yaml:6: genCA makes a certificate: it fails where it is called
  my-chart/templates/a.yaml:7: the function frobnicate is not supported: it fails where it is called
  my-chart/templates/a.yaml:8: lookup gives nothing: the program does not see the cluster" \
	"... all is said"
ok "... random has a key" grep -q '^  random: true' my-chart/watches.yaml
run() { # run SPEC: the message of the failure, or the data
	jq -c --argjson spec "$1" 'if .type == "ADDED" then .object.spec = $spec
		else . end' my-chart/t/defaults.jsonl |
		ireconcile -f my-chart/watches.yaml --clock=input 2>"$T/err" |
		jq -r '(.items[]?.data | tojson),
			(.reconcile.status.conditions[]? | select(.reason == "Failed").message)'
}
is "$(run '{}' | jq -c '[(.password | length), .found, .x]')" '[10,"0",null]' \
	"... it runs"
is "$(run '{"ca": true}')" \
	"my-chart/templates/a.yaml:6: genCA makes a certificate" \
	"... a function that is not there fails where it is called"
is "$(run '{"x": true}')" \
	"my-chart/templates/a.yaml:7: the function frobnicate is not supported" \
	"... so does an unknown one"
cp -r chart my-chart2
sed -i 's/my-chart/my-chart2/' my-chart2/Chart.yaml
runs 100 "beside the folder of the chart" kgen new --from-chart my-chart2
is "$(<"$T/err")" "kgen: fatal: my-chart2: is the chart itself; name another folder: kgen new NAME --from-chart my-chart2" \
	"... another name is needed"
runs 0 "a name, a group, a kind" kgen new other --from-chart chart \
	--group example.com --kind Web --api-version v1
is "$(sed -n 's/^- group: //p' other/watches.yaml)" example.com "... are used"

# ---- kinds of hooks ----
chart <<'END'
{{ if .Values.test }}
apiVersion: v1
kind: Pod
metadata:
  name: a
  annotations:
    "helm.sh/hook": test
{{ end }}
---
apiVersion: batch/v1
kind: Job
metadata:
  annotations:
    helm.sh/hook-weight: "1"
    {{ if .Values.hook }}
    helm.sh/hook: pre-install
    {{ end }}
---
apiVersion: v1
kind: {{ if .Values.secret }}Secret{{ else }}ConfigMap{{ end }}
metadata: {name: a, annotations: {'helm.sh/hook': post-install}}
---
apiVersion: v1
kind: Service
metadata: {name: a}
END
cat >chart/values.schema.json <<'END'
{"type": "object", "properties": {"if": {"not": {"type": "null"}}},
  "anyOf": [{"required": ["if"]}]}
END
rm -rf my-chart
runs 0 "a chart with hooks and a schema" kgen new --from-chart chart
is "$("$ROOT/t/yaml-lines" <my-chart/watches.yaml |
	jq -c '.[0].dependents | map(.kind)')" '["Job","Service"]' \
	"... kinds that only hooks have are not the operator's"
ok "... what the CRD does not have of the schema is said" grep -qxF \
	'  my-chart/values.schema.json: crd.yaml is without its anyOf, not' \
	"$T/out"
rm chart/values.schema.json

# ---- a user's text ----
chart <<'END'
{{ define "my.name" }}n-{{ .Release.Name }}{{ end -}}
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {a: {{ tpl .Values.a . | quote }}}
END
rm -rf my-chart
kgen new --from-chart chart >/dev/null 2>&1
tpl() { # tpl TEXT: what becomes of it, or why not
	run "$(jq -nc --arg a "$1" '{a: $a, b: 1, list: ["x", "z"]}')" |
		jq -Rr '(fromjson | .a)? // sub(".*a template in a value fails: "; "")'
}
while IFS='~' read -r text want; do
	is "$(tpl "$text")" "$want" "tpl of $text"
done <<'END'
x {{ .Release.Namespace }} {{- include "my.name" . }} {{ .Values.b }}~x defaultn-example 1
{{ include "my.name" $ | upper | quote }}~"N-EXAMPLE"
{{ printf "%s-%d" $.Release.Name (int .Values.b) | trunc 3 | indent 2 }}~  exa
{{ .Values.none | default `d` }}{{/* nothing */}}{{ .Values.none }}~d
{{ eq .Values.b 1 | ternary "yes" "no" }}{{ not true }}~yesfalse
{{ .Values.list | join "," }} {{ index .Values.list 1 }}~x,z z
{{ toYaml .Values.list | nindent 0 | trim | replace "\n" " " }}~- x - z
{{ and 1 .Values.none }}{{ or .Values.none 2 }}{{ coalesce 0 3 }}~23
{{ if .Values.b }}c{{ end }}~{{ if .Values.b }}: if is not a function that it may call
{{ include "my.name" .Values }}~{{ include "my.name" .Values }}: include is not called with the dot
{{ include "none" . }}~{{ include "none" . }}: a template in a value calls a template that is not known: none
{{ quote (.Values.b }}~{{ quote (.Values.b }}: a ) is missing
{{ .Values.b 1 }}~{{ .Values.b 1 }}: "1" is not understood
{{ quote $x }}~{{ quote $x }}: "$x" is not understood
END

# ---- a kind that is chosen within a line, a text that no file can have ----
{
	cat <<-'END'
	apiVersion: v1
	kind: {{ if .Values.secret -}} Secret {{- else -}} ConfigMap {{- end }}
	metadata: {name: a}
	END
	printf 'data:\n  a: |\n'
	yes "    $(printf '%0100d' 0)" | head -n 11000
} | chart
rm -rf my-chart
runs 0 "a text of 1.1 MB" kgen new --from-chart chart
is "$(run '{}' | jq '.a | length')" 1111000 "... is whole"
is "$("$ROOT/t/yaml-lines" <my-chart/watches.yaml | jq -c '[.[0].dependents[].kind]')" \
	'["ConfigMap","Secret"]' "both kinds of a line are watched"

# ---- values.schema.json ----
chart </dev/null
cat >chart/values.yaml <<'END'
mode: null
level: info
port: 80
tag: null
own: {a: 1}
END
cat >chart/values.schema.json <<'END'
{"$defs": {"port": {"type": ["integer", "string"], "description": "A port."}},
"required": ["mode", "level"], "additionalProperties": false, "properties": {
  "mode": {"type": "string", "enum": ["a.b", "c"]},
  "level": {"type": ["string", "null"], "enum": ["info", null]},
  "port": {"$ref": "#/$defs/port"},
  "count": {"type": "integer", "minimum": 1, "maximum": 9},
  "tag": {"type": "string", "pattern": "^v", "maxLength": 9},
  "ahead": {"type": "string", "pattern": "^(?!x)"},
  "loop": {"$ref": "#/properties/loop"},
  "labels": {"type": "object", "additionalProperties": {"type": "string"}},
  "list": {"type": "array", "minItems": 1, "items": {
    "type": "object", "required": ["b"], "properties": {"b": {"type": "boolean"}}}},
  "own": {"type": "object", "properties": {"b": {"type": "number"}}},
  "either": {"oneOf": [{"type": "string"}, {"type": "array"}]}}}
END
rm -rf my-chart
runs 0 "with values.schema.json" kgen new --from-chart chart
"$ROOT/t/yaml-lines" <my-chart/crd.yaml | jq -S '.spec.versions[0].schema
	.openAPIV3Schema.properties.spec | del(.. | .nullable?)' >spec
jq -S . >want <<'END'
{"type": "object", "required": ["mode"], "properties": {
  "mode": {"type": "string", "pattern": "^(a\\.b|c)$"},
  "level": {"type": "string", "pattern": "^(info)$", "description": "Default: \"info\""},
  "port": {"x-kubernetes-int-or-string": true, "description": "A port.\nDefault: 80"},
  "count": {"type": "integer", "minimum": 1, "maximum": 9},
  "tag": {"type": "string", "pattern": "^v", "maxLength": 9},
  "ahead": {"type": "string"},
  "loop": {"x-kubernetes-preserve-unknown-fields": true},
  "labels": {"type": "object", "additionalProperties": {"type": "string"}},
  "list": {"type": "array", "minItems": 1, "items": {
    "type": "object", "required": ["b"], "properties": {"b": {"type": "boolean"}},
    "x-kubernetes-preserve-unknown-fields": true}},
  "own": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
    "a": {"x-kubernetes-int-or-string": true, "description": "Default: 1"},
    "b": {"type": "number"}}},
  "either": {"x-kubernetes-preserve-unknown-fields": true}}}
END
same want spec "its types and rules are the CRD's"
is "$("$ROOT/t/yaml-lines" <my-chart/crd.yaml | jq -c '[.spec.versions[0].schema
	.openAPIV3Schema.properties.spec | .. | objects | select(has("type")
	or has("x-kubernetes-int-or-string")) | .nullable] | group_by(.) | map([.[0], length])')" \
	'[[null,3],[true,12]]' "... but for what is required, each may be null"

# ---- import-values two charts down ----
mkdir -p chart/charts/a/charts/b
echo '{name: a, version: 1.0.0, dependencies: [{name: b, import-values: [c]}]}' \
	>chart/charts/a/Chart.yaml
echo '{name: b, version: 1.0.0}' >chart/charts/a/charts/b/Chart.yaml
rm -rf my-chart
runs 0 "import-values of a chart below" kgen new --from-chart chart
ok "... are said not to be imported" grep -qFx \
	"  my-chart/charts/a/Chart.yaml: import-values of b are not imported" "$T/out"
rm -r chart/charts

# ---- refused ----
# refused WHAT MESSAGE ARGUMENT...
refused() {
	local what=$1 message=$2

	shift 2
	runs 100 "$what" kgen new x --from-chart "$@"
	is "$(<"$T/err")" "kgen: fatal: $message" "... says why"
	ok "... makes nothing" test ! -e x
}
mkdir none
refused "a folder without a chart" \
	"none: not the folder of a chart: Chart.yaml is missing" none
refused "no folder" "nowhere: not the folder of a chart: Chart.yaml is missing" \
	nowhere
chart <<<'{{ if }'
refused "a template that does not end" \
	"chart/templates/a.yaml:1: an operand is missing, or is not understood" chart
chart <<<'a'
mkdir chart/charts
touch chart/charts/b-1.tgz
refused "a packed chart" \
	"chart/charts/b-1.tgz: a packed chart: unpack it there (tar -xzf)" chart
rm -r chart/charts
echo '[a]' >chart/values.yaml
refused "values that are a list" "chart/values.yaml:1: not a mapping" chart
echo 'a: [' >chart/values.yaml
runs 100 "values that are not YAML" kgen new x --from-chart chart
ok "... name the line" grep -q '^kgen: fatal: chart/values.yaml:[0-9]' "$T/err"
rm chart/values.yaml
refused "with fields" "--from-chart is for new, without fields, --from, --from-cluster and --own" chart a:string
runs 100 "with another command" kgen crd --from-chart chart
done_testing
