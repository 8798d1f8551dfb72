# What the controllers of workloads share.
include "operator";

# The same text for the same value, in whatever order its members are; null
# and what is not there are the same.
def canonical:
  if type == "object" then
    to_entries | map(select(.value != null) | .value |= canonical)
    | sort_by(.key) | from_entries
  elif type == "array" then map(canonical)
  else . end;

# Some hexadecimal digits that name a value.
def digest($digits): canonical | tojson | sha256 | .[0:$digits];

def sum(f): map(f // 0) | add // 0;

# "25%" of a total, rounded up (ceil) or down (floor), or a number as it is.
def share($total; round):
  if type == "string" then rtrimstr("%") | tonumber * $total / 100 | round
  else . // 0 end;

# ---- pods ----

def finished: .status.phase | . == "Succeeded" or . == "Failed";
def alive: .metadata.deletionTimestamp == null and (finished | not);
def ready_condition:
  [.status.conditions[]? | select(.type == "Ready" and .status == "True")][0];
def pod_runs: .status.phase == "Running" and ready_condition != null;

# When a pod that is ready becomes available, in Unix seconds.
def available_at($seconds):
  ready_condition.lastTransitionTime | if . then fromdate + $seconds else 0 end;
def available($seconds; $now):
  pod_runs and ($seconds == 0 or available_at($seconds) <= $now);

# A pod of a template (whole, with its defaults), under a name.
def pod($template; $name): {
  apiVersion: "v1",
  kind: "Pod",
  metadata: ({name: $name, labels: $template.metadata.labels,
    annotations: $template.metadata.annotations,
    finalizers: $template.metadata.finalizers} | compact),
  spec: $template.spec
};

# A name for the pod $k of an owner: not random, so the same again.
def pod_name($owner; $prefix; $k):
  "\($prefix)-\("\($owner.metadata.uid)/\($k)" | sha256 | .[0:5])";

# A label selector on the labels of an object.
def selected_by($selector):
  (.metadata.labels // {}) as $labels
  | all(($selector.matchLabels // {}) | to_entries[];
      $labels[.key] == .value)
  and all(($selector.matchExpressions // [])[];
    $labels[.key] as $value
    | if .operator == "Exists" then $value != null
      elif .operator == "DoesNotExist" then $value == null
      elif .operator == "In" then any(.values[]; . == $value)
      else all(.values[]; . != $value) end);

# The seconds until the next pod of these becomes available, or null.
def until_available($seconds; $now):
  if $seconds == 0 then null
  else
    [.[] | select(alive and pod_runs) | available_at($seconds) - $now
     | select(. > 0)] | min
  end;

# ---- statuses ----

# Members that the server leaves out when they are 0.
def without_zeros($keys):
  with_entries(select((.value == 0 and (.key | IN($keys[]))) | not));

# ---- events ----

def event($component; $type; $reason; $message): {
  type: $type, reason: $reason, message: $message, component: $component
};
def normal($component; $reason; $message):
  event($component; "Normal"; $reason; $message);
def warning($component; $reason; $message):
  event($component; "Warning"; $reason; $message);

# {create, delete}: the names of the pods that the present line creates and
# deletes. Reads .outstanding and .owned.Pod, which have to be kept by keep().
def pods_to:
  (.owned.Pod | map({key: .metadata.name, value: .}) | from_entries) as $there
  | [.outstanding[] | select(.kind == "Pod").metadata.name] as $names
  | {create: [$names[] | select($there[.] == null)],
     delete: [$names[] | select($there[.] != null
       and $there[.].metadata.deletionTimestamp == null)]};

# An event about what is done to an object of that kind (with its group) is told
# when it is done; in other words, and with the cause, when it fails.
def about($kind; $namespace; $name; $reason; $message):
  . + {object: "\($kind)/\($namespace)/\($name)",
    failure: {reason: $reason, message: $message}};

def pod_events($component):
  .primary.metadata.namespace as $namespace
  | pods_to
  | [(.create[] | . as $pod
       | normal($component; "SuccessfulCreate"; "Created pod: \($pod)")
       | about("Pod"; $namespace; $pod; "FailedCreate"; "Error creating: ")),
     (.delete[] | . as $pod
       | normal($component; "SuccessfulDelete"; "Deleted pod: \($pod)")
       | about("Pod"; $namespace; $pod; "FailedDelete"; "Error deleting: "))];
