# What of a chart a program cannot do, with the places.
include "gen/chart/functions";

def _calls: .. | objects | select(.e == "call");

def _hooks: [.body | .. | strings | select(contains("helm.sh/hook"))
  | match("helm\\.sh/hook\"?'?: *\"?(?<h>[a-z,-]*)"; "g") | .captures[0].string] | unique;

# The words of a JSON Schema, without the names of properties.
def _rules:
  if type == "object" then to_entries[]
    | .key, (if .key | IN("properties", "definitions", "$defs") then .value[]? else .value end
        | _rules)
  elif type == "array" then .[] | _rules
  else empty end;

# Those that the CRD does not have (schema.jq).
def _not_in_crd: ["allOf", "anyOf", "const", "dependencies", "dependentRequired",
  "dependentSchemas", "else", "if", "not", "oneOf", "patternProperties",
  "propertyNames", "then"];

def gaps_of($instances; $found; $kinds):
  [$found.templates[] | select(.body != null) | . as $t
    | (.body | _calls
        | if .fn == "lookup" then
            "\($t.path):\(.line): lookup gives nothing: the program does not see the cluster"
          elif _random_functions[.fn] != null then
            "\($t.path):\(.line): \(.fn) is `random`: the same text for the same object"
          elif _impossible_functions[.fn] != null then
            "\($t.path):\(.line): \(.fn) \(_impossible_functions[.fn]): it fails where it is called"
          elif (.fn | function_name | _functions[.]) == null
            and (.fn | IN("include", "tpl", "and", "or") | not) then
            "\($t.path):\(.line): the function \(.fn) is not supported: it fails where it is called"
          else empty end),
      (_hooks as $hooks | select($hooks != [])
        | "\($t.path):\($t.line): a hook (\($hooks | map(select(. != "")) | join(", ") | if . == "" then "computed" else . end)): its objects are left out")]
  + [$kinds.unknown[] | "\(.): the kind is not known: add it to watches.yaml if it is used"]
  + [$instances[] | . as $i | .chart.crds[]
    | "\($i.prefix)\(.): apply it yourself, before the operator starts"]
  + [$instances[] | ([.chart.schema | _rules] | unique | map(select(IN(_not_in_crd[])))) as $left
    | select($left != [])
    | "\(.prefix)values.schema.json: crd.yaml is without its \($left | join(", "))"]
  + [$instances[] | . as $i | .chart.chart.dependencies[]?
    | select(.["import-values"] != null and $i.keys != [])
    | "\($i.prefix)Chart.yaml: import-values of \(.name) are not imported"]
  + [$instances[] | . as $i | .chart.chart.dependencies[]?
    | .name as $n | select(all($i.chart.charts[]; .chart.name != $n))
    | "\($i.prefix)Chart.yaml: \($n) is not in charts/: helm dependency build brings it"]
  + [select(any($found.templates[]; .tpl)) | "templates in values (tpl): those of values.yaml work; in a spec, {{ include \"NAME\" . | nindent 4 }} and the like do, if, with and range do not"]
  | unique;
