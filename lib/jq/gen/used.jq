# used: the rights of an operator compared with what it did on an API server
# (kgen rights --from). The input is the description with `requests`
# (cmd/kgen/observed.h) and `user` (or null), the output one text with `missing`,
# how many rights are.
include "gen/rights";

# The stage that a tool is.
def _tools: {kwatch: "kwatch", kapply: "kapply", kstatus: "kstatus",
  kelect: "kelect", "kpipe-http": "http"};

# Requests of the tools count; if the stages have accounts, those of these.
def _stage($d; $by_account):
  _tools[.agent] as $stage
  | if $by_account and (.user | endswith(":\($d.name)-\($stage)") | not)
      or $d.user != null and .user != $d.user then null
    else $stage end;

def _requests:
  . as $d
  | any(.requests[]; .user | contains(":\($d.name)-k")
      and startswith("system:serviceaccount:")) as $by_account
  | [.requests[] | .stage = _stage($d; $by_account) | select(.stage != null)];

# kelect has two ways to lead, with rights of their own. Events are of both.
def _split_leader:
  def of_life: .resource == "configmaps" or .resource == "pods"
    or .resource == "nodes";
  map(select(.stage == "kelect")) as $kelect
  | any($kelect[]; .resource == "leases") as $lease
  | (($lease | not) or any($kelect[]; of_life)) as $life
  | [.[] | if .stage != "kelect" then .
      elif .resource == "events" then
        (select($lease), (select($life) | .stage = "kelect-for-life"))
      elif of_life or ($lease | not) then .stage = "kelect-for-life"
      else . end];

# [{place, namespace, group, resource, verb, names}]
def _granted($stage):
  .scope as $scope | .namespace as $namespace
  | (for_any_lease([{resourceNames: 1}]) == [{}]) as $any
  | def loose: if $any then del(.resourceNames) else . end;
    rules($stage; $scope)
  | [(.namespaced[] | {place: "namespaced", rule: .}),
     (.cluster[] | {place: "cluster", rule: .}),
     (.operator_namespace[]
       | if $stage | startswith("kelect") then loose else . end
       | {place: "operator", $namespace, rule: .}),
     (.others[] | .namespace as $there | .rules[]
       | {place: "other", namespace: $there, rule: .})]
  | [.[] | . as $g | .rule.apiGroups[] as $group
     | $g.rule.resources[] as $resource | $g.rule.verbs[] as $verb
     | {place: $g.place, namespace: $g.namespace, $group, $resource, $verb,
        names: $g.rule.resourceNames}];

def _allows($r):
  .verb == $r.verb and .group == $r.group and .resource == $r.resource
  and (.names == null or (.names | index($r.name) != null))
  and (.place == "cluster" or (.place == "namespaced" and $r.namespace != "")
    or .namespace == $r.namespace);

def _resource:
  (.resource | split("/")) as $parts
  | $parts[0] + (if .group == "" then "" else "." + .group end)
    + ($parts[1:] | map("/" + .) | join(""));

def _place_text:
  if .place == "cluster" then ""
  elif .place == "namespaced" then " in its namespaces"
  else " in \(.namespace)" end
  + if .names == null then "" else " (\(.names | join(", ")))" end;

def _compared($d; $stage; $requests):
  ($d | _granted($stage)) as $granted
  | {unused: [$granted[] | . as $g
       | select(any($requests[]; . as $r | $g | _allows($r)) | not)],
     missing: [$requests[] | . as $r
       | select(.refused or (any($granted[]; _allows($r)) | not))]
       | group_by([.verb, .group, .resource, .namespace, .refused])
       | map(.[0] + {count: (map(.count) | add)})};

def _lines($stage):
  (.unused[] | "unused   \($stage): \(.verb) \(_resource)\(_place_text)"),
  (.missing[] | "missing  \($stage): \(.verb) \(_resource)"
    + (if .namespace == "" then " in the cluster" else " in \(.namespace)" end)
    + ": \(.count) times" + (if .name == "" then "" else ", as \(.name)" end)
    + if .refused then "; refused" else "" end);

def used:
  . as $d
  | (_requests | _split_leader) as $all
  | if $all == [] then
      error("there is no request of a stage of \($d.name)"
        + if $d.user != null then " by the user \($d.user)" else "" end)
    else . end
  | [stages[] as $stage
     | [$all[] | select(.stage == $stage)] as $requests
     | if $requests == [] then {text: "idle     \($stage): no request\n"}
       else _compared($d; $stage; $requests)
         | {text: ([_lines($stage)] | map(. + "\n") | join("")),
            missing: (.missing | length)}
       end]
  | [{path: "used.txt", text: (map(.text) | join("")),
      missing: (map(.missing // 0) | add)}];
