# What a node, a load balancer and a disk would report, for objects that will
# never see one. Every status starts from the observed one, because others
# (the API server, the controller manager) write parts of it too.

# Two small numbers from a uid: addresses that differ and never change.
def hex: explode[0] | if . >= 97 then . - 87 else . - 48 end;
def byte(i): (.[i:i + 1] | hex) * 16 + (.[i + 1:i + 2] | hex);
def address(net): .primary.metadata.uid | "\(net).\(byte(0)).\(byte(2))";

# Conditions of other types stay; ours keep the time of their last change. The
# server adds nulls (lastProbeTime), which say nothing.
def with_conditions(types; since):
  map(with_entries(select(.value != null))) as $old
  | [.[] | select(.type as $t | types | index($t) | not)]
    + [types[] as $t
       | ($old[] | select(.type == $t and .status == "True"))
         // {type: $t, status: "True", lastTransitionTime: since}]
  | sort_by(.type);

# With the resources that the spec has now: pods/resize takes effect at once.
def container:
  {name, image, imageID: .image}
  + (if .resources == null or .resources == {} then {} else {resources} end);

def running(since):
  [.[] | container + {ready: true, started: true, restartCount: 0,
          lastState: {}, state: {running: {startedAt: since}}}];

# A program that prints something and ends.
def prints: IN("echo", "printf", "date");

# The same in a shell, without quotes: no pipes, redirections, loops, and other
# commands only behind it in quotes. What it prints does not matter here.
def shell_prints:
  gsub("\"(?:[^\"\\\\]|\\\\.)*\"|\u0027[^\u0027]*\u0027"; "q")
  | test("^ *(?:echo|printf|date)(?: [^;&|<>()`\n\"\u0027]*)?$");

# A container whose command does nothing but end: true, false, sleep N, exit N in
# a shell, one of these after sleep N, or a program that prints. {code, seconds};
# null for any other.
def text_ending:
  [select(. != "")
    | match("^(?:sleep ([0-9]+)(?: *(?:;|&&) *|$))?"
        + "(?:exit ([0-9]+)|(true|false))?$").captures[].string]
    as [$sleep, $exit, $word]
  | if $sleep == null and $exit == null and $word == null then null
    else {seconds: ($sleep // "0" | tonumber),
      code: (if $word == "false" then 1 else $exit // "0" | tonumber end)} end;
def command_ending:
  ((.command // []) + (.args // [])) as $words
  | ($words[0] // "" | sub("^.*/"; "")) as $name
  | (($name | IN("sh", "bash")) and $words[1:] == ["-c", $words[2]]) as $shell
  | if $shell then $words[2] // "" else [$name] + $words[1:] | join(" ") end
  | if (if $shell then shell_prints else $name | prints end)
    then {seconds: 0, code: 0} else text_ending end;

# A pod ends when all of its containers have. What is restarted whenever it ends
# is taken for something that runs.
def commands_ending:
  if .restartPolicy == "Always" then null
  else
    [.containers[] | command_ending] as $ends
    | if any($ends[]; . == null) then null
      else {seconds: ([$ends[].seconds] | max), codes: [$ends[].code],
        phase: (if any($ends[]; .code != 0) then "Failed"
          else "Succeeded" end)} end
  end;

# How and when a pod ends: by an annotation ("Succeeded", "Failed", either with
# " after 3s"), else by the commands of its containers; null for one that runs on.
def ending:
  (.primary.metadata.annotations["playground.kpipe.dev/outcome"] // "") as $told
  | .primary.spec
  | [$told | match("^(Succeeded|Failed)(?: after ([0-9]+)s)?$").captures[].string]
      as [$phase, $seconds]
  | if $phase == null then commands_ending
    else {$phase, seconds: ($seconds // "0" | tonumber),
      codes: [.containers[] | if $phase == "Failed" then 1 else 0 end]} end;

# Seconds that it has left.
def left($ending):
  (.primary.metadata.creationTimestamp | fromdate) + $ending.seconds - .now;

# Its containers are started again, and again: a pod of a Deployment never ends.
def restarts($ending):
  .primary.spec.restartPolicy
  | . == "Always" or (. == "OnFailure" and $ending.phase == "Failed");

def ended($since; $at; $codes; $restarts):
  {waiting: {reason: "CrashLoopBackOff",
    message: "back-off restarting failed container"}} as $waiting
  | [[., $codes] | transpose[] as [$container, $code]
      | {terminated: {startedAt: $since, finishedAt: $at, exitCode: $code,
          reason: (if $code == 0 then "Completed" else "Error" end)}} as $last
      | $container | container + {ready: false, started: false}
      + if $restarts
        then {restartCount: 1, lastState: $last, state: $waiting}
        else {restartCount: 0, lastState: {}, state: $last} end];

def not_ready($reason; $at):
  map(if .type | IN("Ready", "ContainersReady") then
      {type, status: "False", reason: $reason, lastTransitionTime: $at}
    else . end);

def ended_status($ending; $status):
  .primary.metadata.creationTimestamp as $since
  | .primary.spec.containers as $containers
  | ($since | fromdate + $ending.seconds | todate) as $at
  | ($ending.phase == "Failed") as $failed
  | restarts($ending) as $restarts
  | $status
  | if $restarts then . else .phase = $ending.phase end
  | .conditions |= not_ready(
      if $restarts then "ContainersNotReady"
      elif $failed then "PodFailed"
      else "PodCompleted" end; $at)
  | .containerStatuses = ($containers
      | ended($since; $at; $ending.codes; $restarts));

def running_status:
  .primary.metadata.creationTimestamp as $since
  | address("10.128") as $ip
  | .primary.spec.containers as $containers
  | (.primary.status // {}) + {
      phase: "Running", startTime: $since,
      hostIP: "10.127.0.1", hostIPs: [{ip: "10.127.0.1"}],
      podIP: $ip, podIPs: [{ip: $ip}],
      containerStatuses: ($containers | running($since))}
  | .conditions |= ((. // []) | with_conditions(
      ["ContainersReady", "Initialized", "PodScheduled", "Ready"]; $since));

def pod_status:
  running_status as $running
  | ending as $ending
  | if $ending == null or left($ending) > 0 then $running
    else ended_status($ending; $running) end;

# A pod with a node that is deleted: its containers end by a signal. Then kapi
# ends the pod; on a real server, which has nobody to do that, it waits on.
def killed_status:
  (.now | floor | todate) as $now
  | .primary.metadata.creationTimestamp as $since
  | .primary.spec.containers as $containers
  | (.primary.status // {}) + {
      phase: "Failed",
      containerStatuses: ($containers
        | ended($since; $now; map(143); false))}
  | .conditions |= (. // [] | not_ready("PodFailed"; $now));

def service_status:
  if .primary.spec.type == "LoadBalancer" then
    address("198.18") as $ip
    | (.primary.status // {})
      + {loadBalancer: {ingress: [{ip: $ip, ipMode: "VIP"}]}}
  else empty end;

def claim_status:
  .primary.spec as $spec
  | (.primary.status // {}) + {
      phase: "Bound", accessModes: $spec.accessModes,
      capacity: $spec.resources.requests};

def desired: [];

def status:
  if .primary.kind == "Pod" then
    # What has ended stays ended.
    if .primary.status.phase | . == "Succeeded" or . == "Failed" then empty
    elif .primary.metadata.deletionTimestamp == null then pod_status
    elif .primary.spec.nodeName then killed_status
    else empty end
  elif .primary.metadata.deletionTimestamp then empty
  elif .primary.kind == "Service" then service_status
  else claim_status end;

# A pod that is told to end later.
def requeue:
  if .primary.kind != "Pod" or .primary.metadata.deletionTimestamp
    or .primary.status.phase == "Succeeded"
    or .primary.status.phase == "Failed" then null
  else
    ending as $ending
    | if $ending == null then null
      else left($ending) | if . > 0 then . else null end end
  end;
