# Revisions of Deployments: decimal numbers, as text, for they may be larger
# than a double is exact.

def revision_key: "deployment.kubernetes.io/revision";
def history_key: "deployment.kubernetes.io/revision-history";

def revision: .metadata.annotations[revision_key] // "0";

# What sorts as the numbers do.
def revision_order: [length, .];

def after_revision:
  explode
  | reduce range(length - 1; -1; -1) as $i ({digits: ., carry: true};
      if .carry | not then .
      elif .digits[$i] == 57 then .digits[$i] = 48
      else .digits[$i] += 1 | .carry = false end)
  | if .carry then [49] + .digits else .digits end
  | implode;
