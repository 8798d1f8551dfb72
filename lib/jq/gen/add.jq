# One more kind in the folder of an operator: kgen add.
#
# Its input is the description, with `add`: {group, version, kind, scope,
# fields, from}, as in gen/new.jq. Files marked `append` keep what they have, and
# get the text at their end.
include "gen/crd";
include "gen/new";

# A folder whose crd.yaml was written by hand gets no schema.yaml.
def _has_schema: .crds == [] or any(.files[]; . == "schema.yaml");

def _definition_additions($has_schema):
  if .existing == null then
    {path: "crd.yaml", append: true, objects: [.schema | definition]},
    (select($has_schema)
      | {path: "schema.yaml", append: true, objects: [.schema]})
  elif .existing.is_own then
    {path: "crd.yaml", append: true, objects: [.existing.definition]}
  else
    .existing.copy | values
    | {path: "external-crds.yaml", append: true, objects: [.]}
  end;

def add:
  . as $description
  | .add | .name = $description.name | _the_kind
  | . as $a
  | _need(any($description.watches[]; .group == $a.group and .kind == $a.kind)
    | not; "watches.yaml has \(.kind) of \(.group) already")
  | (.kind | kind_in_lower_case) as $kind
  | [
      {path: "watches.yaml", append: true,
        text: _watches_entry("reconcile-\($kind).jq")},
      {path: "example.yaml", append: true, objects: [.example],
        warnings: .warnings},
      {path: "reconcile-\($kind).jq", text: _program},
      _definition_additions($description | _has_schema)
    ]
    + _life_files($kind)
  | map(.scaffold = true);
