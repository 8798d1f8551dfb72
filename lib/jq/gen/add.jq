# One more kind in the folder of an operator: kgen add.
#
# Its input is the description, with `add`: {group, version, kind, scope,
# fields, from}, as in gen/new.jq. Files marked `append` keep what they have, and
# get the text at their end.
include "gen/crd";
include "gen/new";

# A folder whose crd.yaml was written by hand gets no schema.yaml.
def _has_schema: .crds == [] or any(.files[]; . == "schema.yaml");

def add:
  . as $description
  | .add | _check_example | _with_example | _check_new_kind
  | . as $a
  | _need(any($description.watches[]; .group == $a.group and .kind == $a.kind)
    | not; "watches.yaml has \(.kind) of \(.group) already")
  | _schema as $schema
  | .example = _example($schema)
  | (.kind | kind_in_lower_case) as $kind
  | [
      {path: "watches.yaml", append: true,
        text: _watches_entry("reconcile-\($kind).jq")},
      {path: "crd.yaml", append: true, objects: [$schema | definition]},
      {path: "example.yaml", append: true, objects: [.example]},
      ($description | select(_has_schema)
        | {path: "schema.yaml", append: true, objects: [$schema]}),
      {path: "reconcile-\($kind).jq", text: _program}
    ]
    + _life_files($kind)
  | map(.scaffold = true);
