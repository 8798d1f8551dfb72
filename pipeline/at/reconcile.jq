# At: runs a command once, at its time, in a Pod of the same name.
#
# What must not happen twice is decided by what the At itself records. The Pod
# is created with `once`, so only while the At is as it was read. The Pod has a
# finalizer, which is removed only when the At is observed as DONE: an At with
# neither a Pod nor a record was never run.
include "operator";
include "words";

def finalizer: "at.example.com/result";
def run_annotation: "at.example.com/run";

# Bytes. Linux refuses longer words, and splitting must end in time.
def command_max: 131072;

# What we are shown may be old. Seconds until a Pod that was started, and that
# nobody may have taken away, is believed to be gone; and until one that was
# perhaps just made, when the At is deleted, is believed not to be there: longer,
# because it would be left behind for ever.
def patience: 30;
def long_patience: 60;

# ---- what is asked for ----

# Unix seconds of a text that is 2006-01-02T15:04:05Z in form, and a time that
# there is; else null. (For libjq -1 is an error, not a second before 1970.)
def seconds_of_parts:
  [.[:4], .[5:7], .[8:10], .[11:13], .[14:16], .[17:19] | tonumber]
  | .[1] -= 1
  | . as $parts
  | . + [0, 0] # the days of week and year, which mktime does not use
  | (try mktime catch -1)
  | if gmtime[:6] == $parts then . else null end;

# The same, quick for what people write. What libjq takes is less strict, so
# that it counts only if it prints as it was written.
def seconds:
  if type != "string" then null
  else
    (try (strptime("%Y-%m-%dT%H:%M:%SZ") | mktime) catch null) as $time
    | if $time != null and ($time | todate) == . then $time
      elif test("\\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\\z")
      then seconds_of_parts
      else null end
  end;

def time: .primary.spec.schedule | seconds;

def shown:
  tojson | if length > 80 then .[:80] + "..." else . end;

# {time, words}, or {reason, message} of what is wrong.
def asked:
  .primary.metadata.name as $name
  | .primary.spec as $spec
  | time as $time
  | if ($name | length) > 63 then {
      reason: "InvalidName",
      message: "the name is longer than 63 characters, the most of a label"
    }
    elif $time == null then {
      reason: "InvalidSchedule",
      message: ("spec.schedule is not a time like 2006-01-02T15:04:05Z (UTC): "
        + ($spec.schedule | shown))
    }
    elif ($spec.command | type) != "string" then
      {reason: "InvalidCommand", message: "spec.command is not a string"}
    elif ($spec.command | utf8bytelength) > command_max then {
      reason: "InvalidCommand",
      message: "spec.command is longer than \(command_max) bytes"
    }
    else
      try ($spec.command | words
        | need(. != []; "it is empty")
        | {time: $time, words: .})
      catch {reason: "InvalidCommand", message: "spec.command: \(.)"}
    end;

# What a run is made of, in short.
def run_digest: .primary.spec | [.schedule, .command] | tojson | sha256;

# ---- the Pod ----

# A kubelet takes $(NAME) for a variable, and $$ for a dollar: a dollar before (
# or another one is written twice.
def literally:
  split("$") as $parts
  | ($parts | length - 1) as $last
  | if $last < 1 then .
    else
      [foreach $parts[] as $part (-1; . + 1;
        . as $i
        | $part
        | if $i == 0 then .
          elif .[:1] == "(" or (. == "" and $i < $last) then "$$" + .
          else "$" + . end
        | explode[])]
      | implode
    end;

def new_pod($words): .primary.metadata.name as $name | {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: $name,
    labels: {app: $name},
    annotations: {(run_annotation): run_digest},
    finalizers: [finalizer]
  },
  spec: {
    restartPolicy: "OnFailure",
    containers: [{
      name: "busybox",
      image: .operator.image,
      command: ($words | map(literally))
    }]
  }
};

# The Pod of this At, or null.
def pod: .primary.metadata.uid as $uid
  | named(.owned.Pod; .primary.metadata.name)
  | if any(.metadata.ownerReferences[]?; .controller and .uid == $uid)
    then . else null end;

def has_ended: .status.phase == "Succeeded" or .status.phase == "Failed";
def is_going: .metadata.deletionTimestamp != null;
def has_started: .status.startTime != null;

# Deleted before it was started. A kubelet that knows of it may have started it
# and not said so yet; it sets the grace period to 0 when it is done with it.
def never_ran:
  is_going and (has_started or has_ended | not)
  and (.spec.nodeName == null or .metadata.deletionGracePeriodSeconds == 0);

def is_done: .primary.status.phase == "DONE";
def was_started: .primary.status.startTime != null;

# With a Pod it does not matter any more what is asked for.
def plan: if is_done or pod != null then {} else asked end;

# The spec of a Pod is final, but the image: its fields are as they are
# observed, whatever the At or the operator says by now.
def kept($pod; $finalizers): {
  apiVersion: "v1",
  kind: "Pod",
  metadata: ({
    name: $pod.metadata.name,
    labels: {app: $pod.metadata.name},
    annotations: {(run_annotation): $pod.metadata.annotations[run_annotation]}
      | compact,
    finalizers: $finalizers
  } | compact),
  spec: {
    restartPolicy: $pod.spec.restartPolicy,
    containers: [$pod.spec.containers[] | select(.name == "busybox")
      | {name, image, command}]
  }
};

# One that never ran goes only as we saw it: it might have been started since.
def left_alone($pod):
  if is_done then if_exists(kept($pod; []))
  elif $pod | never_ran then
    as_seen(kept($pod; [])
      | .metadata.resourceVersion = $pod.metadata.resourceVersion)
  else if_exists(kept($pod; [finalizer])) end;

def desired: pod as $pod
  | if $pod != null then [left_alone($pod)]
    elif is_done or was_started or .now < (time // infinite)
      or .plan.reason != null then []
    else [once(new_pod(.plan.words))] end;

# ---- the status ----

# Since when this condition has been so: Unix seconds, or null.
def since($type; $reason):
  [.primary.status.conditions[]?
    | select(.type == $type and .reason == $reason)
    | .lastTransitionTime | fromdate][0];

# Unix seconds after which a Pod that is not seen is believed to be gone.
def believed_gone:
  since("Complete"; "PodMissing") | if . == null then null else . + patience end;

def state_without_pod:
  if was_started then
    believed_gone as $gone
    | if $gone != null and .now >= $gone
      then ["DONE", "PodVanished",
        "the Pod was started and is gone: how it ended is not known"]
      else ["RUNNING", "PodMissing", "the Pod is not seen"] end
  elif .plan.reason != null then ["PENDING", .plan.reason, .plan.message]
  elif .error != null then ["PENDING", "Error", .error]
  else ["PENDING", "Waiting", ""] end;

# How far it is: [phase, reason, message].
def state($pod):
  if $pod == null then state_without_pod
  elif $pod.status.phase == "Succeeded" then ["DONE", "Succeeded", ""]
  elif $pod.status.phase == "Failed" then
    ["DONE", "Failed", ($pod.status.message // $pod.status.reason // "")]
  elif $pod | is_going and has_started then
    ["DONE", "PodDeleted", "the Pod was deleted while it ran"]
  elif $pod | never_ran then
    ["PENDING", "PodDeleted",
      "the Pod was deleted before it was started: it is made again"]
  elif .primary.metadata.deletionTimestamp != null then
    ["DONE", "AtDeleted", "the At was deleted"]
  else ["RUNNING", "Running", (.error // "")] end;

# Another spec than the one that was run is told, not followed.
def spec_ignored($ran):
  if $ran == null or $ran == run_digest then empty
  else condition("SpecIgnored"; true; "ChangedAfterRun";
    "the spec was changed after the command was started: that changes nothing")
  end;

# How the container ended, as far as the Pod says it.
def result($pod):
  $pod.status.containerStatuses[0].state.terminated // {}
  | {exitCode, completionTime: .finishedAt};

def computed($pod):
  state($pod) as [$phase, $reason, $message]
  | ($phase == "PENDING") as $pending
  | (if $pending then null
     else $pod.metadata.annotations[run_annotation] // .primary.status.ran end)
    as $ran
  | {
      phase: $phase,
      observedGeneration: .primary.metadata.generation,
      startTime: (.primary.status.startTime // $pod.status.startTime),
      ran: $ran,
      conditions: [
        (if $pending and .plan.reason != null
         then condition("Valid"; false; .plan.reason; .plan.message)
         else condition("Valid"; true; "Valid"; "") end),
        condition("Complete";
          if $reason == "PodMissing" then null else $phase == "DONE" end;
          $reason; $message),
        spec_ignored($ran)
      ]
    }
    + (if $phase == "DONE" then result($pod) else {} end)
  | compact;

# DONE is final.
def recorded: . as $in
  | .primary.status
  | .observedGeneration = $in.primary.metadata.generation
  | .conditions = [
      (.conditions[]? | select(.type != "SpecIgnored")),
      ($in | spec_ignored(.primary.status.ran))
    ];

def status: pod as $pod
  | if .primary.metadata.deletionTimestamp != null and (is_done or $pod == null)
    then .primary.status
    elif is_done then recorded
    else computed($pod) end;

# ---- beside it ----

def requeue: pod as $pod
  | .primary.metadata.deletionTimestamp as $deleted
  | if is_done or $pod != null then null
    elif $deleted != null then $deleted | fromdate + long_patience | rfc3339
    elif was_started then believed_gone | if . == null then . else rfc3339 end
    elif .now < time then .primary.spec.schedule
    else null end;

# When it runs, what is wrong, and how it ended: until the status says the same.
def events: pod as $pod
  | .primary.status.phase as $told
  | if $told == "DONE" or .primary.metadata.deletionTimestamp != null
      or ($told == "PENDING" and $pod == null
        and .primary.status.observedGeneration == .primary.metadata.generation)
    then []
    else
      state($pod) as [$phase, $reason, $message]
      | if $phase == "DONE" and $reason == "Succeeded" then
          [{type: "Normal", reason: $reason, message: "the command is done"}]
        elif $phase == "DONE" then
          [{type: "Warning", reason: $reason,
            message: ("the command is not done"
              + if $message == "" then "" else ": " + $message end)}]
        elif $phase == "PENDING" and .plan.reason != null then
          [{type: "Warning", reason: .plan.reason, message: .plan.message}]
        elif $reason == "Waiting" and .now < time then
          [{type: "Normal", reason: "Scheduled",
            message: "runs in \(time - .now | ceil) s, at \(.primary.spec.schedule)"}]
        else [] end
    end;

# Was a Pod made that we were not shown yet? If so, it would be left behind with
# a finalizer that nobody drops.
def may_be_unseen:
  .primary.metadata.deletionTimestamp as $deleted
  | (is_done | not)
    and (.primary.status.phase == "RUNNING"
      or (time // infinite) <= ($deleted | fromdate))
    and .now < ($deleted | fromdate) + long_patience;

def finalize: pod as $pod | {
  items: [$pod | values | if_exists(kept(.; []))],
  delete: [$pod | values],
  done: ($pod == null and (may_be_unseen | not))
};
