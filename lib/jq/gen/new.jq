# The folder of a new operator: kgen new.
#
# Its input is {name, group, version, kind, scope, image, fields, from, source,
# is_own}. Fields are "NAME:TYPE | MARKER=VALUE" (gen/crd.jq); from is a list with
# an example object, which is used instead, or with CustomResourceDefinitions, of
# which group, version and kind choose one (gen/existing.jq). Files marked
# `scaffold` are their author's from then on. The lines of the files are at most
# 80 wide.
include "gen/crd";
include "gen/existing";

# ---- names ----

# The longest name that is made of it is NAME-operator-controller-manager, of
# at most 52 characters: there is room for the hashes of Pods.
def _check_operator_name:
  _need(test("\\A[a-z]([-a-z0-9]*[a-z0-9])?\\z");
    "the name \(tojson) is not a-z, 0-9 and -, beginning with a letter")
  | _need(length <= 35; "the name \(tojson) is longer than 35 characters:"
      + " kgen new NAME says another")
  | _need(startswith("kube-") | not;
    "the name \(tojson) begins with kube-, which is reserved for Kubernetes");

def _check_group:
  _need(split(".")
      | length > 1 and all(.[]; test("\\A[a-z0-9]([-a-z0-9]*[a-z0-9])?\\z"));
    "the group \(tojson) is not a domain such as cache.example.com")
  | _need(length <= 189; "the group \(tojson) is too long")
  | _need(test("(\\A|\\.)(k8s|kubernetes)\\.io\\z") | not;
    "the group \(tojson) is reserved for Kubernetes");

def _check_version:
  _need(test("\\Av[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?\\z");
    "the version \(tojson) is not v1, v1beta1, v1alpha1 or so");

def _check_kind:
  _need(test("\\A[A-Z][A-Za-z0-9]*\\z");
    "the kind \(tojson) is not in CamelCase, such as Memcached")
  | _need(length <= 57; "the kind \(tojson) is longer than 57 characters")
  | _need(test("List\\z") | not;
    "the kind \(tojson) ends in List, as the kinds of lists do")
  | _need(. as $kind | any("Status", "Table", "WatchEvent", "DeleteOptions";
      . == $kind) | not;
    "the kind \(tojson) is one of the API itself");

def _check_scope:
  _need(. == "Namespaced" or . == "Cluster";
    "the scope \(tojson) is not Namespaced or Cluster");

def _check($member; check):
  if .[$member] == null then _refuse("--\($member) is missing")
  else (.[$member] | check) as $ok | . end;

def _check_new_kind:
  .version = (.version // "v1alpha1")
  | .scope = (.scope // "Namespaced")
  | _check("group"; _check_group) | _check("version"; _check_version)
  | _check("kind"; _check_kind) | _check("scope"; _check_scope);

# ---- the kind ----

def _with_example:
  if .from == null then . else
    .from as $e
    | ($e.apiVersion | split("/")) as $v
    | .group = $v[0] | .version = $v[1] | .kind = $e.kind
  end;

def _no_fields: {message: "string | default=hello"};

# The document of schema.yaml of a new kind (.).
def _schema:
  if .from != null then
    .scope as $scope | .from | schema_of_example
  else
    {group, version, kind, spec: (.fields // [] | fields_of_arguments
      | if . == {} then _no_fields else . end)}
  end
  + (if .scope == "Cluster" then {scope: .scope} else {} end);

# A value that fits a schema (.). A pattern is beyond it.
def _example_value:
  if has("default") and .properties == null then .default
  elif has("enum") then .enum[0]
  elif .type == "string" then
    if .format == "date-time" then "2026-01-01T00:00:00Z" else "text" end
  elif .type == "integer" or .type == "number" then .minimum // 1
  elif .type == "boolean" then true
  elif .type == "array" then [.items | _example_value]
  elif .additionalProperties != null then
    {key: (.additionalProperties | _example_value)}
  elif .type == "object" then .properties // {} | map_values(_example_value)
  elif has("x-kubernetes-int-or-string") then 1
  else {} end;

def _example($schema):
  if .from != null then .from | del(.status)
  else {
    apiVersion: "\(.group)/\(.version)",
    kind: .kind,
    metadata: {name: "example"},
    spec: ($schema.spec | schema_of("spec") | _example_value)
  } end;

# ---- texts ----

def _lines: join("\n") + "\n";

def _is_cluster: .scope == "Cluster";

# Words as lines of a comment.
def _comment_lines:
  reduce (split(" ")[]) as $word ([];
    if length > 0 and (.[-1] | length) + ($word | length) < 79
    then .[-1] += " " + $word else . + ["# " + $word] end);

def _writes_status: .existing == null or .existing.writes != null;

def _operator_yaml: [
  "# The operator: what the generators of kgen say about it (man kgen).",
  "name: \(.name)",
  "version: 0.1.0",
  "image: \(.image // "localhost/\(.name)-operator")",
  "description: An operator for objects of kind \(.kind).",
  "# Does it watch its own namespace, or the whole cluster?",
  "scope: \(if _is_cluster then "cluster" else "namespace" end)"
] | _lines;

# One entry of watches.yaml.
def _watches_entry($program): [
  "- group: \(if .group == "" then "\"\"" else .group end)",
  "  version: \(.version)",
  "  kind: \(.kind)",
  (select(_is_cluster) | "  scope: Cluster"),
  "  program: \($program)",
  (select(_writes_status | not) | "  manageStatus: false"),
  (select(_is_cluster)
    | "  operator: {namespace: \"${POD_NAMESPACE:-default}\"}"),
  "  dependents:",
  if _is_cluster then
    "  - {apiVersion: v1, kind: ConfigMap, manage: true,",
    "     namespaces: [\"${POD_NAMESPACE:-default}\"]}"
  else "  - {apiVersion: v1, kind: ConfigMap, manage: true}" end
] | _lines;

def _watches_yaml: ([
  "# The kinds that the operator serves, and what it watches for them:",
  "# doc/watches.md has all keys. manage: true are kinds that the program makes."
] | _lines) + _watches_entry("reconcile.jq");

def _sorted:
  if type == "object" then
    . as $o | reduce keys[] as $k ({}; .[$k] = ($o[$k] | _sorted))
  elif type == "array" then map(_sorted)
  else . end;

# What the program puts into the ConfigMap: {text, of the program; value}.
def _settings:
  .existing.uses as $uses
  | if $uses == null then {text: ".primary.spec // {}",
      value: (.example.spec // {} | _sorted)}
    else {
      text: "\($uses.path) | {\($uses.fields | join(", "))}",
      value: (.existing.stored | getpath($uses.path / "." | .[2:]) as $from
        | reduce $uses.fields[] as $k ({}; .[$k] = ($from[$k] | _sorted)))
    } end;

def _status_text:
  (.existing // {condition: "Ready", generation: true, writes: "all",
    status: ["observedGeneration", "lastHandledReconcileAt"]}) as $e
  | (if $e.generation then "" else " | del(.observedGeneration)" end) as $less
  | (if $e.condition == "Ready" then "ready_condition" else "our_condition" end)
    as $name
  | if $e.writes == null then [
      "",
      ("The status is not written (manageStatus: false in watches.yaml): "
        + if $e.has_status then "it is that of another controller."
          else "this kind has no subresource for it." end
        | _comment_lines[])
    ]
    else [
      "",
      if $e.writes == "all" then
        "# Ready: all of that is there, as desired. .error is a text if something went",
        "# wrong, .outstanding names what is not yet as desired."
      else
        "# The status belongs to another controller; this condition in it is ours:",
        "# whether all of that is there, as desired. .error is a text if something",
        "# went wrong, .outstanding names what is not yet as desired."
      end,
      (select($name == "ready_condition")
        | "def ready_condition:",
          "  if .error != null then condition(\"Ready\"; false; \"Failed\"; .error)",
          "  elif .outstanding == [] then condition(\"Ready\"; true; \"Available\"; null)",
          "  else condition(\"Ready\"; false; \"Progressing\"; null) end;"),
      (select($name == "our_condition")
        | "def our_condition:",
          "  \"\($e.condition)\" as $type",
          "  | if .error != null then condition($type; false; \"Failed\"; .error)",
          "    elif .outstanding == [] then condition($type; true; \"Available\"; null)",
          "    else condition($type; false; \"Progressing\"; null) end;"),
      "",
      (select($e.writes == "condition") | "def status: {conditions: [\($name)\($less)]};"),
      (select($e.writes == "all")
        | "def status: {",
          (select($e.status | index("observedGeneration"))
            | "  observedGeneration: .primary.metadata.generation,"),
          "  conditions: [\($name)\($less)]",
          if $e.status | index("lastHandledReconcileAt") then "} + handled;"
          else "};" end)
    ] end;

# The fields of a status that the program may read.
def _known_status:
  .existing.status // [] | if . == [] then empty
  else "", ("What .primary.status has: \(join(", "))." | _comment_lines[]) end;

def _program: _settings as $settings | [
  "# What should exist because of a \(.kind)\(if _writes_status
    then ", and what its status says" else "" end).",
  "#",
  "# The input (.) of each function is {primary, owned, related, operator, now,",
  "# outstanding, error}: the \(.kind), the objects below it, and so on. Functions",
  "# are pure, so `make test` runs them on recorded events. doc/program.md has all",
  "# of them (plan, finalize, requeue, events), lib/jq/operator.jq the library.",
  "include \"operator\";",
  _known_status,
  "",
  "def name: \"\(.kind | kind_in_lower_case)-\\(.primary.metadata.name)\";",
  "def labels: {",
  "  \"app.kubernetes.io/name\": \"\(.kind | kind_in_lower_case)\",",
  "  \"app.kubernetes.io/instance\": .primary.metadata.name",
  "};",
  (select(.existing != null) | "def settings: \($settings.text);"),
  "",
  "# The objects that should exist. They are created, repaired, and deleted when",
  "# they are no longer in the list\(if _is_cluster then "."
    else "; the namespace is added." end)",
  "# Another kind of object needs a line below `dependents` in watches.yaml, and",
  "# an element here, such as",
  "#",
  "#\tdeployment(name; labels; {replicas: 1, containers: [",
  "#\t  {name: \"main\", image: \"registry.example.com/main:1\"}]})",
  (if .existing != null then "(settings | tojson)"
    else "(\($settings.text) | tojson)" end) as $value
  | if _is_cluster then
    "def desired: .operator.namespace as $namespace | [",
    "  config_map(name; labels; {\"settings.json\": \($value)})",
    "    | in_namespace($namespace)"
  else
    "def desired: [",
    "  config_map(name; labels; {\"settings.json\": \($value)})"
  end,
  "];",
  _status_text[]
] | _lines;

# ---- the recording ----

def _namespace($scope):
  if $scope == "Cluster" then {} else {namespace: "default"} end;

# What kapply writes on the ConfigMap (doc/agreement.md): a digest of the paths
# of its fields, which are the same for each kind.
def _digest: "e5RHN5XUsuOvE82BuTKLIQ";

def _bookmark($api; $kind; $what; $n): {
  type: "BOOKMARK",
  time: "2026-01-01T00:00:00.00000\($n)Z",
  object: {
    apiVersion: $api,
    kind: $kind,
    metadata: {annotations: {($what): "true"}}
  }
};

def _primary($example; $uid): {
  apiVersion: $example.apiVersion,
  kind: $example.kind,
  metadata: ({
    name: $example.metadata.name,
    uid: $uid,
    resourceVersion: "10",
    generation: 1,
    creationTimestamp: "2026-01-01T00:00:01Z"
  } + _namespace(.scope))
} + ($example | del(.apiVersion, .kind, .metadata, .status) | _sorted)
  + if .existing == null then {spec: ($example.spec // {} | _sorted)}
    else {} end;

def _labels: {
  "app.kubernetes.io/instance": .example.metadata.name,
  "app.kubernetes.io/name": (.kind | kind_in_lower_case)
};

# The ConfigMap as the program desires it.
def _config_map: {
  apiVersion: "v1",
  data: {"settings.json": (_settings.value | tojson)},
  kind: "ConfigMap",
  metadata: {
    labels: _labels,
    name: "\(.kind | kind_in_lower_case)-\(.example.metadata.name)",
    namespace: "default"
  }
};

# Events as kwatch records them: a primary is created, then the ConfigMap.
def _life:
  "00000000-0000-4000-8000-000000000001" as $uid
  | (.existing.stored // .example) as $e
  | [
      (("kpipe.dev/initial-events-begin", "k8s.io/initial-events-end") as $what
        | _bookmark($e.apiVersion; $e.kind; $what; 1),
          _bookmark("v1"; "ConfigMap"; $what; 2)),
      {
        type: "ADDED",
        time: "2026-01-01T00:00:01.000000Z",
        object: _primary($e; $uid)
      },
      {
        type: "ADDED",
        time: "2026-01-01T00:00:02.000000Z",
        object: (_config_map | .metadata += {
          uid: "00000000-0000-4000-8000-000000000002",
          resourceVersion: "11",
          creationTimestamp: "2026-01-01T00:00:02Z",
          annotations: {"kpipe.dev/paths": _digest},
          ownerReferences: [{
            apiVersion: $e.apiVersion,
            kind: $e.kind,
            name: $e.metadata.name,
            uid: $uid,
            controller: true,
            blockOwnerDeletion: true
          }]
        })
      }
    ]
  | map(tojson) | _lines;

def _outcome($status; $reason; $second):
  (.existing // {condition: "Ready", generation: true, writes: "all",
    status: ["observedGeneration"]}) as $e
  | if $e.writes == null then null
    else {
      conditions: [{
        lastTransitionTime: "2026-01-01T00:00:0\($second)Z",
        message: "",
        reason: $reason,
        status: $status,
        type: $e.condition
      } + if $e.generation then {observedGeneration: 1} else {} end | _sorted]
    } + if $e.writes == "all" and ($e.status | index("observedGeneration"))
      then {observedGeneration: 1} else {} end
    end;

# What t/run prints of them.
def _life_out: [
  {delete: [], items: [_config_map],
    status: _outcome("False"; "Progressing"; 1)},
  (select(_writes_status)
    | {delete: [], items: [], status: _outcome("True"; "Available"; 2)})
] | map(tojson) | _lines;

def _life_files($name): [
  {path: "t/\($name).jsonl", text: _life, scaffold: true},
  {path: "t/\($name).out", text: _life_out, scaffold: true}
];

# t/run: the test.
def _run: [
  "#!/bin/sh",
  "# t/run: what the program makes of recorded events must be as expected.",
  "# t/run accept: it is, from now on. Read the difference before you keep it.",
  "#",
  "# t/NAME.jsonl has events (make record), t/NAME.out what comes out: a line for",
  "# each change that the program wants. Texts of `random` are made with a key",
  "# that is the same in every test.",
  "cd \"${0%/*}/..\" || exit",
  "got=$(mktemp -d) || exit",
  "trap 'rm -rf \"$got\"' EXIT",
  "code=0",
  "",
  "# fields FILE: the fields of each line of it, one on a line.",
  "fields() {",
  "\tjq -rn 'def fields($what):",
  "\t\t\tpaths(type != \"object\" and type != \"array\" or length == 0) as $p",
  "\t\t\t| ($p | map(if type == \"number\" then \"[\\(.)]\" else \".\\(.)\" end)",
  "\t\t\t\t| add) as $path",
  "\t\t\t| \"\\($what)\\($path): \\(getpath($p) | tojson)\";",
  "\t\tforeach inputs as $line (0; . + 1; \"line \\(.) \" as $n | $line",
  "\t\t\t| (.items[] | fields(\"\\($n)\\(.kind)/\\(.metadata.name) \")),",
  "\t\t\t\t(del(.items) | fields($n)))' \"$1\"",
  "}",
  "",
  "for events in t/*.jsonl; do",
  "\twant=${events%.jsonl}.out",
  "\tireconcile -f watches.yaml --clock=input --must-answer \\",
  "\t\t<\"$events\" >\"$got/lines\"",
  "\t# 1: a primary failed, and its status says so",
  "\tif [ $? -gt 1 ]; then",
  "\t\techo \"not ok ${events#t/}: the program gave no answer; events that\" \\",
  "\t\t\t\"are not of this program are removed, or recorded again by\" \\",
  "\t\t\t\"make record\"",
  "\t\tcode=1",
  "\t\tcontinue",
  "\tfi",
  "\tjq -cS '{items: [.items[] | del(.metadata.annotations[\"kpipe.dev/paths\"],",
  "\t\t.metadata.ownerReferences) | del(.metadata.annotations | select(. == {}))],",
  "\t\tdelete: (.reconcile.delete // []), status: .reconcile.status}' \\",
  "\t\t<\"$got/lines\" >\"$got/out\" || exit",
  "\tif [ \"$1\" = accept ]; then",
  "\t\tcp \"$got/out\" \"$want\" || exit",
  "\telif [ ! -e \"$want\" ]; then",
  "\t\techo \"not ok ${events#t/}: there is no $want yet:\" \\",
  "\t\t\t\"make accept writes it\"",
  "\t\tcode=1",
  "\telif cmp -s \"$want\" \"$got/out\"; then",
  "\t\techo \"ok ${events#t/}\"",
  "\telse",
  "\t\tfields \"$want\" >\"$got/wanted\" || exit",
  "\t\tfields \"$got/out\" >\"$got/made\" || exit",
  "\t\tdiff -U 1 --label \"$want\" --label \"as it is now\" \"$got/wanted\" \"$got/made\"",
  "\t\techo \"not ok ${events#t/}: make accept keeps the new output\"",
  "\t\tcode=1",
  "\tfi",
  "done",
  "for want in t/*.out; do",
  "\tif [ -e \"$want\" ] && [ ! -e \"${want%.out}.jsonl\" ]; then",
  "\t\techo \"not ok ${want#t/}: there are no events for it, ${want%.out}.jsonl\"",
  "\t\tcode=1",
  "\tfi",
  "done",
  "exit \"$code\""
] | _lines;

def _makefile: [
  "# make test    the program on recorded events: seconds, no cluster",
  "# make run     an API server (kapi), the operator and its page, until Ctrl-C;",
  "#             PLAYGROUND=1: Deployments, Jobs and the rest are played as well;",
  "#             ARGS=...: options of kpipe, as ARGS=--record=build/recording",
  "# make torture every fault at every request: SECONDS=N, SEED=N, ARGS of ktorture",
  "# make help    the other targets",
  "",
  "# The folder of kpipe, with bin: the source tree, /usr or so. The one in PATH.",
  "ifndef KPIPE",
  "KPIPE := $(patsubst %/bin/kpipe,%,$(realpath $(shell command -v kpipe)))",
  "endif",
  "ifeq ($(wildcard $(KPIPE)/bin/kpipe $(KPIPE)/share/kpipe $(KPIPE)/deploy),)",
  "ifneq ($(MAKECMDGOALS),help)",
  "$(error kpipe is not in PATH: add its bin to PATH, or say KPIPE=FOLDER, \\",
  "\tthe folder that has bin/kpipe)",
  "endif",
  "endif",
  "export PATH := $(KPIPE)/bin:$(PATH)",
  "",
  "NAME := $(shell sed -n 's/^name: *//p' operator.yaml)",
  "VERSION := $(shell sed -n 's/^version: *//p' operator.yaml)",
  "# IMG: an image of your own, REGISTRY/NAME:TAG. Without it `make deploy` puts",
  "# the programs into a ConfigMap, for Pods of the image of kpipe, KPIPE_IMG.",
  "IMAGE := $(or $(IMG),\\",
  "\t$(shell sed -n 's/^image: *//p' operator.yaml):$(VERSION))",
  "ARCHIVE := build/$(NAME).tar",
  "# Its scripts: run, image/build, image/push, deploy, undeploy.",
  "SCRIPTS := $(firstword $(wildcard $(KPIPE)/share/kpipe $(KPIPE)/deploy))",
  "",
  ".PHONY: test accept record run torture crd rights manifests deploy undeploy \\",
  "\tkpipe-image image push help",
  "",
  "test:      ## runs the program on t/*.jsonl and compares with t/*.out",
  "\t@t/run",
  "",
  "accept:    ## keeps what the program does now as t/*.out",
  "\t@t/run accept",
  "",
  "record:    ## records events of the cluster as t/TEST.jsonl, until Ctrl-C",
  "\tkwatch -f watches.yaml --timestamps --redact >t/$(or $(TEST),life).jsonl",
  "",
  "run:       ## an API server, the operator and its page; PLAYGROUND=1, ARGS",
  "\t@exec $(SCRIPTS)/run . $(ARGS)",
  "",
  "torture:   ## the operator under every fault; SECONDS, SEED, OLD, ARGS",
  "\t@ktorture -f watches.yaml $(SECONDS:%=--seconds=%) $(SEED:%=--seed=%) \\",
  "\t\t$(OLD:%=--old=%/watches.yaml) $(ARGS)",
  "",
  "crd:       ## makes crd.yaml of schema.yaml",
  "\t$(if $(wildcard crd.yaml),$(if $(wildcard schema.yaml),,$(error \\",
  "\t\tthere is no schema.yaml to make crd.yaml of: change crd.yaml itself)))\\",
  "\tkgen crd -o .",
  "",
  "rights:    ## prints the rights that the operator needs",
  "\t@kgen rights",
  "",
  "manifests: ## writes deploy/: what `make deploy` applies, and more",
  "\tkgen manifests $(if $(IMG),--image $(IMG),--program=configmap \\",
  "\t\t$(KPIPE_IMG:%=--image %)) -o deploy",
  "",
  "deploy:    ## installs or upgrades the operator in the cluster of kubectl",
  "\t$(if $(filter image push,$(MAKECMDGOALS)),IMG=$(IMAGE) )$(SCRIPTS)/deploy .",
  "",
  "undeploy:  ## removes it; CONFIRM=delete: its objects, too",
  "\t$(SCRIPTS)/undeploy .",
  "",
  "kpipe-image: ## makes the image of kpipe, and pushes it as KPIPE_IMG",
  "\t@mkdir -p build",
  "\t$(SCRIPTS)/image/build $(KPIPE_IMG:%=-t %) - build/kpipe.tar",
  "\t$(if $(KPIPE_IMG),$(SCRIPTS)/image/push build/kpipe.tar $(KPIPE_IMG))",
  "",
  "image:     ## makes an image of your own, an OCI archive below build/",
  "\t@mkdir -p build",
  "\t$(SCRIPTS)/image/build -t $(IMAGE) . $(ARCHIVE)",
  "",
  "push:      ## pushes it as IMG",
  "\t$(SCRIPTS)/image/push $(ARCHIVE) $(IMAGE)",
  "",
  "help:",
  "\t@sed -n 's/^\\([a-z-]*\\): *## /make \\1\\t/p' Makefile"
] | _lines;

def _readme: [
  "\(.name): an operator for objects of kind \(.kind)",
  (.name | length + (" : an operator for objects of kind" | length)) as $n
    | "=" * ($n + (.kind | length)),
  "",
  "It has no code but a jq program, and runs by kpipe.",
  "",
  "operator.yaml    its name, version and image",
  "watches.yaml     what is watched, and which program runs",
  "reconcile.jq     the program: what should exist, and the status",
  (select(.existing == null)
    | "schema.yaml      the fields of the kind, in short",
      "crd.yaml         the kind itself, made of schema.yaml by `make crd`"),
  (select(.existing.is_own) | "crd.yaml         the kind itself: change it there"),
  (select(.existing.is_own == false and .existing.copy != null)
    | "external-crds.yaml",
      "                 the kind, in the version that is watched: for `make run`.",
      "                 Its own project installs it, and `make deploy` does not"),
  "example.yaml     an object to start with",
  "t/               recorded events, and what must come out: `make test`",
  "",
  "First steps (make help has the others):",
  "",
  "    make test",
  "    make run            # in another terminal:",
  "    export KUBECONFIG=$PWD/build/kubeconfig",
  "    kubectl apply -f example.yaml",
  if _writes_status then
    "    kubectl wait --for=condition=\(.existing.condition // "Ready") -f example.yaml"
  else
    "    kubectl get configmap -l app.kubernetes.io/name=\(.kind | kind_in_lower_case)"
  end,
  "",
  "After a change of reconcile.jq, `make test` shows what it does differently, and",
  "`make accept` keeps that. `make run` runs it when it is started again; then its",
  "API server is empty again, too. The events in t/ are those of the first program,",
  "with the objects that it made. New ones are recorded on a cluster, such as that",
  "of `make run`, until Ctrl-C, by",
  "",
  "    make record TEST=NAME",
  "    make accept",
  "",
  "They go into git: in place of the values of Secrets they have digests, with",
  "which the program decides the same.",
  "",
  "What becomes of the objects if the server refuses a request, a connection is cut",
  "or a process is killed, at each moment? A minute of it, and every fault once:",
  "",
  "    make torture",
  "    make torture SECONDS=0",
  "",
  "A variable in watches.yaml, ${X}, has its value in the cluster from `env` of",
  "operator.yaml; make takes it from your environment.",
  "",
  "In a cluster: the programs go into a ConfigMap, and Pods of kpipe's image mount",
  "it. A change is deployed the same way; kubectl rollout undo goes back.",
  "",
  "    export KPIPE_IMG=registry.example.com/kpipe",
  "    make kpipe-image    # once, for all operators",
  "    make deploy",
  "    make undeploy",
  "",
  "With an image of your own, which has the programs in it:",
  "",
  "    export IMG=registry.example.com/\(.name)-operator:0.1.0",
  "    make image push deploy"
] | _lines;

def _schema_comment: [
  "The fields of the kind. `make crd` makes crd.yaml of them. Each is",
  "NAME: TYPE | MARKER=VALUE, as in the SimpleSchema of kro:",
  "",
  "TYPE    string, integer, number, boolean, object, any, map[string]TYPE,",
  "        \"[]TYPE\"; or the fields below it, or a list with one of these",
  "MARKER  required=true, default=1, minimum=0, maximum=9, enum=\"a,b\",",
  "        pattern=\"^a\", minLength=1, minItems=1, immutable=true,",
  "        description=\"what it is\", validation=\"self > 1\", ...: man kgen",
  "",
  "What the program puts into the status, beside conditions, has its fields below",
  "`status:`, written as those below `spec:`."
] | join("\n");

def _external_comment: [
  "Kinds that other projects define and install: kgen reads their names here, and",
  "`make run` needs them. No command installs them in a cluster. Of each there is",
  "one version, without descriptions."
] | join("\n");

# `from` is a list, of the documents of a file.
def _check_example:
  if .from == null then .
  elif (.from | length) != 1 then
    error("the example has \(.from | length) objects: use a file for each")
  else .from |= .[0]
    | _need(.from | type == "object" and (.apiVersion | type) == "string"
        and (.kind | type) == "string" and (.metadata | type) == "object"
        and (.metadata.name | type) == "string";
      "the example has no apiVersion, kind or metadata.name")
  end;

# The kind that the input describes, an example of it, and its definition.
def _the_kind:
  if is_of_definitions then
    _need((.fields // []) == [];
      "a definition has its fields: leave out \(.fields | join(" "))")
    | existing
  else
    _need(.is_own | not; "--own is for a CustomResourceDefinition")
    | _need(.from == null or (.group == null and .kind == null
          and .version == null and (.fields // []) == []);
        "--from has the kind and the fields: leave out --group, --kind, "
        + "--api-version and fields")
    | _check_example | _with_example | .name = (.name // (.kind | strings
      | kind_in_lower_case))
    | _check_new_kind
    | _schema as $schema
    | .schema = $schema
    | .example = _example($schema)
  end;

# The files that define the kind.
def _definition_files:
  if .existing == null then
    {path: "schema.yaml", objects: [{"#": _schema_comment} + .schema]},
    {path: "crd.yaml", objects: [.schema | definition], scaffold: false}
  elif .existing.is_own then
    {path: "crd.yaml", objects: [.existing.definition]}
  else
    .existing.copy | values
    | {path: "external-crds.yaml", objects: [{"#": _external_comment} + .]}
  end;

# kgen new: the files.
def new:
  _the_kind
  | _check("name"; _check_operator_name)
  | .warnings as $warnings
  | [
      {path: "operator.yaml", text: _operator_yaml, folder: .name},
      {path: "watches.yaml", text: _watches_yaml},
      {path: "reconcile.jq", text: _program},
      {path: "example.yaml", objects: [.example], $warnings},
      {path: "Makefile", text: _makefile},
      {path: "README", text: _readme},
      {path: ".gitignore", text: "build/\nktorture-*.scenario\n"},
      {path: "t/run", text: _run, executable: true},
      _definition_files
    ]
    + _life_files("life")
  | map({scaffold: true} + . | if .scaffold then . else del(.scaffold) end);
