# The programs of an operator in a ConfigMap, for Pods of kpipe's own image: the
# files that the operator's own image would have (gen/image). `.program` of the
# description has them with kgen --program=configmap.
include "gen/yaml";

# Source: ValidateConfigMap in pkg/apis/core/validation of Kubernetes; it counts
# the values alone.
def _most: 1048576;

# Of `file`: its key. Slashes are not allowed there.
def _key: split("/") | join("__");

def _keys: [.program.texts | keys[] | {key: _key, path: .}];

# What cannot go, before Kubernetes says so in words that name no file.

def _check_names: _keys as $keys
  | ($keys[] | select(.key | test("\\A[-._a-zA-Z0-9]{1,253}\\z") | not)
    | error("\(.path | tojson): a key of a ConfigMap cannot have this name: use "
      + "letters, digits, dots and dashes, 253 in all"))
    // ($keys | group_by(.key)[] | select(length > 1)
    | error("\(map(.path) | join(" and ")) would be the same key of a ConfigMap, "
      + "\(.[0].key): rename one"))
    // .;

def _check_size: [.program.texts | to_entries[]
    | {key, size: (.value | utf8bytelength)}] as $files
  | ($files | map(.size) | add) as $size
  | if $size <= _most then . else
      error("the programs have \($size) bytes, and a ConfigMap takes \(_most): "
        + ($files | sort_by(-.size)[:5] | map("\(.key) \(.size)") | join(", "))
        + (if ($files | length) > 5 then ", ..." else "" end)
        + ": shorten them, or make an image of them (kgen image)") end;

def _check_places: .program.texts as $texts
  | first(.watches[].program | select(contains("${") | not)
    | ltrimstr("./") | select(in($texts) | not)
    | error("watches.yaml: the program \(.) is not below the folder, or not *.jq, "
      + "so it cannot be in a ConfigMap")) // .;

# Filters are programs of any kind, which need what only their authors know.
def _filters: [.watches[].filters // [] | .[][0]];

def _check_filters:
  if _filters == [] or .image != "localhost/kpipe:\(.kpipe.version)" then .
  else error("watches.yaml: neither kpipe's image nor a ConfigMap has the filter "
    + "\(_filters[0] | tojson): make an image of the operator (kgen image), or "
    + "name one with that, FROM kpipe's (--image)") end;

def checked_program: if .program
  then _check_names | _check_size | _check_places | _check_filters else . end;

def program_warnings: .image as $image
  | [_filters[] | "watches.yaml: a ConfigMap does not have the filter "
    + "\(tojson): the image \($image) must"];

# ---- what the Pod mounts ----

def program_name: "\(.name)-operator-program-\(.program.digest[:10])";

def program_mounts: select(.program)
  | {name: "program", mountPath: "/operator", readOnly: true};

def program_volumes: select(.program) | {
  name: "program",
  configMap: {
    name: program_name,
    "#defaultMode": "0440: for the group of the container",
    defaultMode: 288,
    items: _keys}};

# $meta: its metadata. Its name says what is in it, so another program is another
# ConfigMap, and a ReplicaSet of before finds its own.
def program_map($meta): select(.program) | {
  "#": ("What the Pods mount at /operator. Another program has another name, so"
    + "\nthat a change is a rollout, and kubectl rollout undo goes back."),
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: ($meta | .labels["app.kubernetes.io/component"] = "program"),
  immutable: true,
  data: (.program.texts | with_entries(.key |= _key))};

