# kgen new --from-chart: a folder whose program makes what a Helm chart makes.
#
# Its input is {chart (cmd/kgen/chart/chart.h), name, group, version, kind,
# scope, image}.
include "gen/new";
include "gen/kinds";
include "gen/chart/templates";
include "gen/chart/kinds";
include "gen/chart/gaps";
include "gen/chart/schema";

def _camel: [splits("[^A-Za-z0-9]+") | select(. != "")
    | (.[:1] | ascii_upcase) + .[1:]] | add // "Chart";

def _go_names: {apiVersion: "APIVersion", appVersion: "AppVersion",
  kubeVersion: "KubeVersion"};
# Chart.yaml as .Chart has it.
def _chart_fields($name):
  .name = $name
  | with_entries(.key |= (_go_names[.] // ((.[:1] | ascii_upcase) + .[1:])))
  | .Maintainers |= (. // [] | map({Name: (.name // ""), Email: (.email // ""),
      URL: (.url // "")}))
  | del(.Dependencies)
  | {AppVersion: "", Description: "", Home: "", Icon: "", KubeVersion: "",
      Type: "", Version: ""} + .;

def _pretty($in): if type == "object" and . != {} then
    . as $o | "{\n" + ([keys_unsorted[] | $in + "  " + tojson + ": "
      + (. as $k | $o[$k] | _pretty($in + "  "))] | join(",\n")) + "\n\($in)}"
  elif type == "array" and any(.[]; type | IN("object", "array")) then
    "[\n" + (map($in + "  " + _pretty($in + "  ")) | join(",\n")) + "\n\($in)]"
  else tojson end;

def _instance_name: if .keys == [] then "chart" else "chart_\(.keys | join("_") | identifier)" end;

def _part_name: if . == 0 then "templates" else "templates_\(. + 1)" end;

# YAML of the definition, of thousands of fields: yaml (gen/yaml.jq) looks at
# each scalar with care and takes seconds for them.
def _key_text: if test("\\A[A-Za-z][A-Za-z0-9.-]*\\z")
    and (test("\\A(?i:y|n|yes|no|on|off|true|false|null)\\z") | not)
  then . else tojson end;
def _quick_yaml($in):
  if type == "object" and . != {} then
    . as $o | keys_unsorted[] | . as $k
    | "\($in)\(_key_text):" + ($o[$k]
        | if (type == "object" or type == "array") and length > 0 then
            "\n" + ([_quick_yaml($in + "  ")] | join("\n"))
          else " " + tojson end)
  elif type == "array" and length > 0 then
    .[] | if type == "object" and . != {} then
        [_quick_yaml($in + "  ")] | join("\n") | "\($in)- \(.[($in | length) + 2:])"
      else "\($in)- \(tojson)" end
  else $in + tojson end;

def _merge_steps($instances):
  [$instances[] | select(.keys != [])
    | (.keys[:-1] | map(".[\(tojson)]") | add // "") as $above
    | if $above == "" then "  | h_values_below(\(.keys[-1] | tojson); \(_instance_name)_defaults)"
      else "  | .\($above) |= h_values_below(\(.keys[-1] | tojson); \(_instance_name)_defaults)"
      end];

def _enabled_test($i):
  "h_enabled($all; \([$i.dependency.condition // "" | split(",")[] | select(. != "") | gsub(" "; "")] | tojson); \($i.dependency.tags // [] | tojson))";

# What the charts below give to the values of this one (import-values).
def _import_steps($instances):
  [$instances[] | select(.dependency["import-values"] != null and (.keys | length) == 1)
    | "    | if \(_enabled_test(.)) then\n"
      + "        h_imported($own[\(.keys[0] | tojson)]; \(.dependency["import-values"] | tojson))\n"
      + "      else . end"];

def _chart_values($instances):
  _merge_steps($instances) as $merge
  | _import_steps($instances) as $imports
  | [
  "# The values of the chart, and of the charts below it.",
  "include \"helm\";",
  "",
  ($instances[] | "def \(_instance_name)_defaults: \(.chart.values | _pretty(""));", ""),
  "# .spec (.) laid over them: a null takes a default away.",
  "def chart_values:",
  (if $imports == [] then
     "  . as $given | chart_defaults | h_values_over($given // {})", $merge[], "  ;"
   else
     "  . as $given",
     "  | def whole($over): h_values_over($over)", ($merge[] | "  \(.)"), "    ;",
     "  (chart_defaults | whole($given // {})) as $all",
     "  | (chart_defaults | whole({})) as $own",
     "  | chart_defaults", $imports[],
     "  | whole($given // {});"
   end)
] | _lines;

# Names and patterns by which templates ask for files; null: a computed one.
def _asked_files($found): [$found.templates[] | . as $t
  | .body | .. | objects
  | if .e == "method" and (.f | index(["Files"])) then
      .args[0] | _constant({prefix: $t.prefix})
    elif .e == "chain" and .f[-1] == "Files" then null
    else empty end] | unique;

def _glob_re: gsub("(?<c>[.+(){}|^$\\[\\]\\\\])"; "\\\(.c)")
  | gsub("\\\\\\{(?<in>[^}]*)\\\\\\}"; "(?:" + (.in | gsub(","; "|")) + ")")
  | gsub("\\*\\*/?"; "\u0001") | gsub("\\*"; "[^/]*") | gsub("\\?"; "[^/]")
  | gsub("\u0001"; ".*") | "\\A" + . + "\\z";

# The files that templates may see; of computed names, all but documents.
def _seen_files($asked):
  if any($asked[]; . == null) then
    with_entries(select(.key | test("\\A(README|CHANGELOG|Changelog|LICENSE|OWNERS|VALUES|values)|[.](md|gotmpl)\\z|\\A(ci|tests|unittests|changelog)/") | not))
  else ($asked | map(_glob_re)) as $res
    | with_entries(select(.key as $k | any($res[]; . as $re | $k | test($re))))
  end;

def _uses_files($found): $found.asked != [];

def _chart_data($instances; $found): [
  "# What templates see beside values: .Chart and .Files.",
  ($instances[] | .name as $name
    | "def \(_instance_name)_fields: \(.chart.chart | _chart_fields($name) | _pretty(""));", ""),
  (if _uses_files($found) then
     $instances[] | "def \(_instance_name)_files: \(.chart.files | _seen_files($found.asked) | _pretty(""));", ""
   else empty end)
] | _lines;

def _reconcile($in; $instances; $found): [
  "# What the chart \($in.chart.chart.name) \($in.chart.chart.version // "") makes, for a \($in.kind): its name and",
  "# namespace are those of the release, its spec is the values. README lists what",
  "# could not be carried over.",
  "include \"operator\";",
  "include \"helm\";",
  "include \"chart_values\";",
  "include \"chart_data\";",
  ("include \"\(range($found.parts | length) | _part_name)\";"),
  "",
  "def release: {",
  "  Name: .primary.metadata.name,",
  "  Namespace: (.primary.metadata.namespace // .operator.namespace),",
  "  Service: \"Helm\", IsInstall: true, IsUpgrade: false, Revision: 1",
  "};",
  "",
  "# The version is that of watches.yaml, where a variable may give it.",
  "def capabilities: h_capabilities(.operator.kubeVersion; .operator.apiVersions);",
  "",
  "# The charts that are wanted, with what their templates see.",
  "def charts:",
  "  (.primary.spec | chart_values) as $all | . as $in",
  ([$instances[] | . as $i
    | "  | " + (if .keys == [] then "[" else "  " end) | .] | empty),
  "  | [",
  ([$instances[] | . as $i
    | ([$instances[] | select((.keys | length) > 0 and $i.keys[:.keys | length] == .keys)
        | . as $j
        | "($all\([$j.keys[:-1][] | "[\(tojson)]"] | add // "" | if . == "" then "" else " | ." + . end) | . as $all | \(_enabled_test($j)))"]
        | join(" and ")) as $test
    | "      " + (if $test == "" then "" else "if \($test) then " end)
      + "{name: \(.keys | join("/") | tojson), context: {\n"
      + "        Values: ($all\(if .keys == [] then "" else " | ." + ([.keys[] | "[\(tojson)]"] | add) end)),\n"
      + "        Chart: \(_instance_name)_fields, Release: release, Capabilities: capabilities,\n"
      + "        Template: {BasePath: \("\(.prefix)templates" | tojson)},\n"
      + "        Files: \(if _uses_files($found) then "\(_instance_name)_files" else "{}" end), Subcharts: {}}}"
      + (if $test == "" then "" else " else empty end" end)] | join(",\n")),
  "    ];",
  "",
  "# The objects of a file of a chart.",
  "def desired: charts as $charts | [",
  "  (",
  ([$instances[] | . as $i
    | [$found.files[] | select(.prefix == $i.prefix)] as $files
    | select($files != [])
    | "    ($charts[] | select(.name == \($i.keys | join("/") | tojson)) | .context |\n"
      + ([$files[] | "      h_objects(\(.name | tojson); \($found.names[.name]))"] | join(",\n"))
      + ")"] | join(",\n") | if . == "" then "    empty" else . end),
  "  ) | h_item",
  "];",
  "",
  "# Ready: all of that is there, as desired.",
  "def ready_condition:",
  "  if .error != null then condition(\"Ready\"; false; \"Failed\"; .error)",
  "  elif .outstanding == [] then condition(\"Ready\"; true; \"Available\"; null)",
  "  else condition(\"Ready\"; false; \"Progressing\"; null) end;",
  "",
  "def status: {",
  "  observedGeneration: .primary.metadata.generation,",
  "  conditions: [ready_condition]",
  "} + handled;"
] | _lines;

def _uses_random($found): [$found.templates[].body | .. | objects
  | select(.e == "call") | .fn | select(_random_functions[.] != null)] != [];

def _chart_watches($in; $kinds; $found): [
  "# The kinds that the operator serves, and what it watches for them:",
  "# doc/watches.md has all keys. The program may make objects of these kinds.",
  "- group: \($in.group)",
  "  version: \($in.version)",
  "  kind: \($in.kind)",
  (select($in.scope == "Cluster") | "  scope: Cluster"),
  "  program: reconcile.jq",
  "  # What .Capabilities says; apiVersions: those of other operators, with commas",
  "  # between, as monitoring.coreos.com/v1.",
  "  operator: {kubeVersion: \"${KUBE_VERSION:-1.30.0}\",",
  "    apiVersions: \"${API_VERSIONS:-}\","
  + " namespace: \"${POD_NAMESPACE:-default}\"}",
  "  finalizer: \($in.group)/\($in.name)",
  "  # That of a Helm operator, if one had these objects before.",
  "  retiredFinalizers: [helm.sdk.operatorframework.io/uninstall-release]",
  (if _uses_random($found) then "  random: true" else empty end),
  "  dependents:",
  ($kinds[] | "  - {apiVersion: \(.apiVersion), kind: \(.kind), manage: true, retain: true"
    + (if .cluster then ", scope: Cluster" else "" end)
    + (if .optional then ", optional: true" else "" end)
    + "}")
] | _lines;

def _chart_readme($in; $gaps; $kinds): [
  "\($in.name): the chart \($in.chart.chart.name) as an operator",
  ("\($in.name): the chart \($in.chart.chart.name) as an operator" | gsub("."; "=")),
  "",
  "A \($in.kind) is a release: its name and namespace are the release's, its spec is",
  "the values. The objects are those of `helm template`. `kgen new --from-chart`",
  "made this folder of the chart; from now on it is yours.",
  "",
  "operator.yaml    its name, version and image",
  "watches.yaml     what is watched, and which program runs",
  "reconcile.jq     the program: which files of the chart make objects",
  "templates.jq     the templates, a function each",
  "chart_values.jq  the values: the defaults that spec is laid over",
  "chart_data.jq    .Chart and .Files",
  "crd.yaml         the kind, with the types of the values",
  "example.yaml     an object to start with",
  "t/               recorded events: `make accept` keeps what comes out of them, and",
  "                 `make test` compares it from then on",
  "",
  "    make accept",
  "    make run            # in another terminal:",
  "    export KUBECONFIG=$PWD/build/kubeconfig",
  "    kubectl apply -f example.yaml",
  "",
  "What could not be carried over",
  "------------------------------",
  "",
  ($gaps[] | "- \(.)"),
  (if $gaps == [] then "Nothing." else empty end)
] | _lines;

# Events: an object with the defaults is created.
def _chart_life($in; $kinds):
  "\($in.group)/\($in.version)" as $api
  | {apiVersion: $api, kind: $in.kind, metadata: {name: "example"}, spec: {}} as $e
  | [(("kpipe.dev/initial-events-begin", "k8s.io/initial-events-end") as $what
      | _bookmark($api; $in.kind; $what; 1),
        ($kinds[] | _bookmark(.apiVersion; .kind; $what; 1))),
    {type: "ADDED", time: "2026-01-01T00:00:01.000000Z",
      object: ($in | _primary($e; "00000000-0000-4000-8000-000000000001"))}]
  | map(tojson) | _lines;

def from_chart:
  . as $in0
  | .name = (.name // .chart.chart.name)
  | .kind = (.kind // (.chart.chart.name | _camel))
  | .group = (.group // "charts.example.com")
  | _check("name"; _check_operator_name) | _check_new_kind
  | . as $in
  | [$in.chart | chart_instances([]; "\(.chart.name)/"; .chart.name)] as $instances
  | (templates_of($instances) | .asked = _asked_files(.)) as $found
  | ($found | kinds_of_templates($instances)) as $kinds
  | ($in | gaps_of($instances; $found; $kinds)) as $gaps
  | [
      {path: "operator.yaml", text: ($in | _operator_yaml)},
      {path: "watches.yaml", text: _chart_watches($in; $kinds.kinds; $found)},
      {path: "reconcile.jq", text: _reconcile($in; $instances; $found)},
      (range($found.parts | length) as $i
        | {path: "\($i | _part_name).jq", text: (["# The templates of the chart: a function each, of which the input is the dot.",
            "include \"operator\";", "include \"helm\";",
            (range($i) | "include \"\(_part_name)\";"), "", $found.parts[$i]]
            | join("\n"))}),
      {path: "chart_values.jq", text: _chart_values($instances)},
      {path: "chart_data.jq", text: _chart_data($instances; $found)},
      {path: "crd.yaml", text: ([$in | chart_definition($instances) | _quick_yaml("")] | joined("\n") + "\n")},
      {path: "example.yaml", objects: [{apiVersion: "\($in.group)/\($in.version)",
        kind: $in.kind, metadata: {name: "example"}, spec: {}}]},
      {path: "Makefile", text: ($in | _makefile)},
      {path: "README", text: _chart_readme($in; $gaps; $kinds)},
      {path: ".gitignore", text: "build/\n"},
      {path: "t/defaults.jsonl", text: _chart_life($in; $kinds.kinds)},
      {path: "t/run", text: _run, executable: true}
    ]
  | map(.scaffold = true)
  | .[0].folder = $in.name
  | .[0].says = ([
      "\($in.name): a \($in.kind).\($in.group) makes the objects of the chart \($in.chart.chart.name).",
      (if $gaps == [] then "Everything was carried over."
       else "What could not be carried over (README has it, too):", ($gaps[] | "  \(.)") end)
    ] | _lines);
