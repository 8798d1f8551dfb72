# An operator that uses a tenant's values in every way that programs can.
include "operator";

def name: .primary.metadata.name;
def namespace: .primary.metadata.namespace;
def spec: .primary.spec;

# One function and two values, all chosen by the tenant.
def answer: spec.do as $do | spec.x as $x | spec.y as $y
  | if $do == null then $x
    elif $do == "rfc3339" then $x | rfc3339
    elif $do == "todate" then $x | todate
    elif $do == "gmtime" then $x | gmtime
    elif $do == "mktime" then $x | mktime
    elif $do == "strftime" then $x | strftime($y)
    elif $do == "strptime" then $x | strptime($y)
    elif $do == "fromdate" then $x | fromdate
    elif $do == "tonumber" then $x | tonumber
    elif $do == "from" then $x[($y | tonumber):]
    elif $do == "upto" then $x[:($y | tonumber)]
    elif $do == "element" then $x[$y]
    elif $do == "set" then $x | setpath($y; 1)
    elif $do == "set slice" then $x | .[($y | tonumber):2] = [1]
    elif $do == "delete slice" then $x | del(.[($y | tonumber):2])
    elif $do == "get" then $x | getpath($y)
    elif $do == "delete" then $x | delpaths($y)
    elif $do == "modulo" then $x % $y
    elif $do == "divide" then $x / $y
    elif $do == "times" then $x * $y
    elif $do == "minus" then $x - $y
    elif $do == "plus" then $x + $y
    elif $do == "range" then [range($x)] | length
    elif $do == "until" then $x | until(. == $y; . + 1)
    elif $do == "recurse" then [$x | recurse(.; . != $y)] | length
    elif $do == "scan" then [$x | scan($y)]
    elif $do == "test" then $x | test($y)
    elif $do == "match" then [$x | match($y; "g") | .offset]
    elif $do == "gsub" then $x | gsub($y; "-")
    elif $do == "splits" then [$x | splits($y)]
    elif $do == "implode" then $x | implode
    elif $do == "fromjson" then $x | fromjson
    elif $do == "base64d" then $x | @base64d
    elif $do == "flatten" then $x | flatten
    elif $do == "paths" then [$x | paths] | length
    elif $do == "walk" then $x | walk(.)
    elif $do == "sort" then $x | sort
    elif $do == "group" then $x | group_by(.)
    elif $do == "combinations" then [$x | combinations] | length
    elif $do == "entries" then $x | with_entries(.)
    elif $do == "join" then $x | join($y)
    elif $do == "ldexp" then $x * pow(2; $y)
    elif $do == "exp10" then $x | exp10
    elif $do == "sha256" then $x | sha256
    elif $do == "yaml" then $x | to_yaml
    elif $do == "fail" then fail($x)
    else fail("\($do) is none of these") end;

# A bad port is an error of the author: the evaluation fails.
def ports: name as $name | spec.ports // []
  | map((tonumber)? | . as $port
    | config_map("\($name)-port-\($port)"; {}; {port: "\($port)"})
    | need($port < 65536; "port \($port) is too large"));

def replicas: (try (spec.size // "1" | tonumber) catch 0) as $n
  | need($n <= 10; "size is above 10") | $n;

# A Secret's value beside a handler: no error may reveal it.
def size: try (spec.secretly | tonumber) catch {invalid: "spec.secretly: \(.)"};

def desired:
  (answer | tostring | .[:1000]) as $answer | (replicas | tostring) as $n
  | [config_map(name; {}; {answer: $answer, replicas: $n,
        beat: "\(spec.beat)"})]
    + (if spec.near then [] else
        [config_map("\(namespace).\(name)"; {}; {beat: "\(spec.beat)"})
          | in_namespace("sys")] end)
    + ports
    + (spec.items // []);

def status:
  if .error != null then {phase: "Failed", reason: .error}
  elif spec.secretly then size as $size
    | if $size | type == "object" then {phase: "Failed", reason: $size.invalid}
      else {phase: "Available",
        at: (.related.Secret[0].data.password + $size)} end
  else {phase: (if .outstanding == [] then "Available" else "Processing" end),
    mine: [.owned.ConfigMap[] | "\(.metadata.namespace)/\(.metadata.name)"]}
  end;
