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

def running(since):
  [.[] | {name, image, imageID: .image, ready: true, started: true,
          restartCount: 0, lastState: {}, state: {running: {startedAt: since}}}];

def pod_status:
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
  if .primary.metadata.deletionTimestamp then empty
  elif .primary.kind == "Pod" then
    # What has ended stays ended.
    if .primary.status.phase | . == "Succeeded" or . == "Failed" then empty
    else pod_status end
  elif .primary.kind == "Service" then service_status
  else claim_status end;
