include "torture/values";

# The scenarios of an operator of which nobody has written any. Each is short: a
# fault is tried in every place of each. Input: {primary, before, crds, entries,
# marks, rules, old}; before: objects that are made first; old: there is a version
# of the operator before this one.

def _reference($o):
  {apiVersion: $o.apiVersion, kind: $o.kind}
  + ($o.metadata | {namespace, name} | with_entries(select(.value != null)));

def create($o): {do: "create", object: $o};
def patch($o; $patch): {do: "patch"} + _reference($o) + {patch: $patch};
def delete($o): {do: "delete"} + _reference($o);
def index_step($do; $i): {do: $do, index: $i};
# At once behind the step before.
def at_once: . + {then: true};
# In the moment in which no object of that name is there.
def once_gone: at_once + {whenGone: true};

# Five fields of a crontab: what it makes is there after a minute.
def _is_scheduled: any(.. | strings;
  test("\\A[0-9*/,-]+( +[0-9A-Za-z*/,-]+){4}\\z"));

def begin: [(.before[] | create(.)), create(.primary),
  (select(.primary | _is_scheduled) | {do: "wait", ms: 70000})];
def scene($name; steps): {name: $name, steps: [steps], rules: (.rules // []),
  marks: (.marks // [])};

# Lists of at most $n of a list.
def pieces($n): . as $all | [range(0; length; $n) | $all[.:. + $n]];

# ---- each field ----

# Merge patches, each with some fields of the example that have another value.
# Of few fields each has several.
def _changes:
  .primary as $o
  | [fields | select(.there)] as $fields
  | [$fields[] | . as $f | others(if ($fields | length) < 4 then 3 else 1 end)
     | setting($o; $f.path; .)] as $patches
  | ($patches | length / 24 | ceil) as $each
  | $patches | pieces([$each, 1] | max)
  | map(reduce .[] as $p ({}; . * $p));

# Eight scenarios at most, each with three changes at most.
def changes:
  . as $in
  | _changes | pieces([length / 8 | ceil, 1] | max) | to_entries[]
  | .key as $i
  | .value as $patches
  | $in
  | scene("change-\($i)"; begin[], patch(.primary; $patches[]));

# ---- others ----

# How many kinds the operator makes, for steps that name its objects by number.
def _made_kinds:
  [.entries[]?.dependents[]? | select(.manage == true)] | length
  | [[., 1] | max, 6] | min;

def _each($do):
  . as $in
  | [range(_made_kinds)] | pieces(3) | to_entries[]
  | .key as $i
  | .value as $numbers
  | $in | scene("\($do)-\($i)"; begin[], ($numbers[] | index_step($do; .)));

def _second: .primary | .metadata.name += "-2";

# A value that the schema refuses, then one that it takes and that may mean
# nothing to the operator.
def _wrong:
  first(fields | select(.there and (.schema.type != null))
    | setting({}; .path | map(select(type == "string"));
        if .schema.type == "object" then "wrong" else {wrong: true} end));
def _odd:
  . as $in
  | first((fields | select(.there)
    | (if (.value | type) == "string" then ""
       elif (.value | type) == "number" then .schema.minimum // 0
       else empty end) as $v
    | select($v != .value and (.schema | faults($v; "") == []))
    | setting($in.primary; .path; $v)), {});
def _back($patch): merge_patch(.primary * $patch; .primary);

# The same, with each time in the past: what waits for it is done at once.
def _awake:
  .primary |= (. as $o | with_entries(select(.key | is_spec))
    | walk(if type == "string" and is_time then past else . end) | $o + .);

# Another client writes the message of a condition, if there is one. A program that
# remembers by its status may keep it.
def _others_status:
  .primary.kind as $kind
  | [.rules[]? | select(.remembers != null) | .jq] as $memory
  | scene("status"; begin[],
      (patch(.primary; [{op: "replace", path: "/status/conditions/0/message",
           value: "torture"}]) + {subresource: "status"}),
      {do: "expect", name: "the message of another client is gone",
       jq: ("all(objects(\($kind | tojson))[];\n"
         + "  .status.conditions[0].message != \"torture\")"
         + ($memory | map("\n  or (\(.))") | add // ""))});

def _one_change: _changes[0] // {metadata: {labels: {torture: "changed"}}};

# With the primary as it is (.): each field, and its life if it waits.
def _asleep($awake):
  (if .primary == $awake.primary then empty
   else scene("asleep"; begin[], delete(.primary)) end),
  changes;

# Rolling updates between two versions: where one leads, and where nobody does.
def _replace($by): {do: "replace", by: $by};
def _updates($change):
  select(.old)
  | (scene("update"; begin[], _replace("new"), patch(.primary; $change))
     | .instances = 1 | .begins = "old"),
    (scene("rollback"; begin[], _replace("old"), patch(.primary; $change),
       _replace("new"))
     | .instances = 1 | .begins = "new"),
    (scene("overlap"; begin[], _replace("new"), patch(.primary; $change))
     | .begins = "old");

def _scenes:
  (_one_change) as $change
  | [_wrong][0] as $wrong
  | _odd as $odd
  | {life: [scene("life"; begin[], delete(.primary))],
     rest: [_each("drift"),
       _each("lose"),
       scene("again"; begin[], delete(.primary),
         (create(.primary) | once_gone)),
       scene("rush"; begin[], (patch(.primary; $change) | at_once),
         (delete(.primary) | at_once), (create(.primary) | once_gone),
         (patch(.primary; $change) | at_once)),
       scene("two"; begin[], create(_second), patch(.primary; $change),
         delete(.primary)),
       scene("foreign"; index_step("foreign"; 0), begin[],
         index_step("unforeign"; 0)),
       scene("invalid"; begin[],
         (if $wrong == null then empty else patch(.primary; $wrong) end),
         patch(.primary; $odd), patch(.primary; _back($odd))),
       (scene("pair"; begin[], patch(.primary; $change), {do: "update"},
         (patch(.primary; _back($change)) | at_once), delete(.primary))
        | .instances = 2),
       _updates($change),
       scene("pause"; begin[],
         patch(.primary;
           {metadata: {annotations: {"kpipe.dev/paused": "true"}}}),
         patch(.primary; $change),
         patch(.primary;
           {metadata: {annotations: {"kpipe.dev/paused": null}}})),
       _others_status]};

def scenes:
  _awake as $awake
  | [_asleep($awake)] as $asleep
  | $awake | _scenes
  | .life + $asleep + .rest;
