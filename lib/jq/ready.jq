# Is an object ready? `.` is the object as it was observed.
#
#	kstatus	"Current", "InProgress", "Failed", "Terminating" or
#		"NotFound" (null), by the rules of cli-utils' kstatus
#	ready	true or false, stricter: see each rule below
#
# Sources: cli-utils pkg/kstatus/status, the API's type documentation.

def _count($v): $v // 0;

def _has_condition($type; $status):
  any(.status.conditions[]?; .type == $type and .status == $status);

# The controller has seen the present spec. A kind that reports no generation
# counts as seen for kstatus, and as not seen where `ready` uses this.
def generation_observed:
  .status.observedGeneration != null
  and .status.observedGeneration >= (.metadata.generation // 0);

# ---- ready: stricter than kstatus ----

# No replica is unavailable, missing, outdated or left over.
def deployment_ready:
  (.spec.replicas // 1) as $n
  | generation_observed
    and _count(.status.replicas) == $n
    and _count(.status.updatedReplicas) == $n
    and _count(.status.readyReplicas) == $n
    and _count(.status.availableReplicas) == $n
    and _count(.status.unavailableReplicas) == 0;

# All replicas are ready and of the newest revision.
def statefulset_ready:
  (.spec.replicas // 1) as $n
  | generation_observed
    and _count(.status.replicas) == $n
    and _count(.status.readyReplicas) == $n
    and .status.currentRevision == .status.updateRevision;

def daemonset_ready:
  _count(.status.desiredNumberScheduled) as $n
  | generation_observed
    and .status.desiredNumberScheduled != null
    and _count(.status.currentNumberScheduled) == $n
    and _count(.status.updatedNumberScheduled) == $n
    and _count(.status.numberAvailable) == $n
    and _count(.status.numberReady) == $n
    and _count(.status.numberMisscheduled) == 0;

def replicaset_ready:
  (.spec.replicas // 1) as $n
  | generation_observed
    and (_has_condition("ReplicaFailure"; "True") | not)
    and _count(.status.replicas) == $n
    and _count(.status.fullyLabeledReplicas) == $n
    and _count(.status.readyReplicas) == $n
    and _count(.status.availableReplicas) == $n;

# Succeeded counts; Failed does not (it does for kstatus).
def pod_ready:
  .status.phase == "Succeeded"
  or (.status.phase == "Running" and _has_condition("Ready"; "True"));

# Complete (for kstatus a started Job is Current).
def job_ready: _has_condition("Complete"; "True");

# A LoadBalancer has an ingress (kstatus asks for a clusterIP only).
def service_ready:
  if .spec.type == "LoadBalancer"
  then _count(.status.loadBalancer.ingress | length) > 0
  else true end;

def claim_ready: .status.phase == "Bound";

def crd_ready:
  _has_condition("Established"; "True")
  and (_has_condition("NamesAccepted"; "False") | not);

def pdb_ready:
  generation_observed
  and _count(.status.currentHealthy) >= _count(.status.desiredHealthy);

def namespace_ready: .status.phase == "Active";

# Of other kinds: its Ready condition, if it has one.
def _other_ready:
  if any(.status.conditions[]?; .type == "Ready")
  then _has_condition("Ready"; "True")
  else true end;

def ready:
  if . == null or .metadata.deletionTimestamp != null then false
  elif .status.observedGeneration != null and (generation_observed | not)
  then false
  elif _has_condition("Reconciling"; "True")
    or _has_condition("Stalled"; "True") then false
  elif .kind == "Deployment" then deployment_ready
  elif .kind == "StatefulSet" then statefulset_ready
  elif .kind == "DaemonSet" then daemonset_ready
  elif .kind == "ReplicaSet" then replicaset_ready
  elif .kind == "Pod" then pod_ready
  elif .kind == "Job" then job_ready
  elif .kind == "Service" and .apiVersion == "v1" then service_ready
  elif .kind == "PersistentVolumeClaim" then claim_ready
  elif .kind == "CustomResourceDefinition" then crd_ready
  elif .kind == "PodDisruptionBudget" then pdb_ready
  elif .kind == "Namespace" then namespace_ready
  else _other_ready end;

# ---- kstatus ----

# The checks of a rule in order: the first that fails is InProgress.
def _current(checks): if all(checks; .) then "Current" else "InProgress" end;

def _kstatus_deployment:
  (.spec.replicas // 1) as $n
  | (.spec.progressDeadlineSeconds // 2147483647) as $deadline
  | [.status.conditions[]? | select(.type == "Progressing")][0] as $progress
  | if $progress.reason == "ProgressDeadlineExceeded" then "Failed"
    else _current(
      _count(.status.replicas) >= $n,
      _count(.status.updatedReplicas) >= $n,
      _count(.status.replicas) <= $n,
      _count(.status.availableReplicas) >= _count(.status.updatedReplicas),
      _count(.status.readyReplicas) >= $n,
      ($deadline == 2147483647
        or ($progress.status == "True"
          and $progress.reason == "NewReplicaSetAvailable")),
      _has_condition("Available"; "True"))
    end;

def _kstatus_statefulset:
  (.spec.replicas // 1) as $n
  | .spec.updateStrategy.rollingUpdate.partition as $partition
  | if .spec.updateStrategy.type == "OnDelete" then "Current"
    else _current(
      _count(.status.replicas) >= $n,
      _count(.status.readyReplicas) >= $n,
      _count(.status.replicas) <= $n,
      if $partition != null
      then _count(.status.updatedReplicas) >= $n - $partition
      else _count(.status.currentReplicas) >= $n
        and .status.currentRevision == .status.updateRevision end)
    end;

def _kstatus_daemonset:
  _count(.status.desiredNumberScheduled) as $n
  | _current(
      .metadata.generation != null,
      .status.observedGeneration != null,
      .status.desiredNumberScheduled != null,
      _count(.status.currentNumberScheduled) >= $n,
      _count(.status.updatedNumberScheduled) >= $n,
      _count(.status.numberAvailable) >= $n,
      _count(.status.numberReady) >= $n);

def _kstatus_replicaset:
  (.spec.replicas // 1) as $n
  | _current(
      (_has_condition("ReplicaFailure"; "True") | not),
      _count(.status.fullyLabeledReplicas) >= $n,
      _count(.status.availableReplicas) >= $n,
      _count(.status.readyReplicas) >= $n,
      _count(.status.replicas) <= $n);

# A pod that cannot be scheduled is Failed at once here: kstatus waits 15 s,
# which a function of the object alone cannot.
def _kstatus_pod:
  if .status.phase == "Succeeded" or .status.phase == "Failed" then "Current"
  elif .status.phase == "Running" then
    if _has_condition("Ready"; "True") then "Current"
    elif any(.status.containerStatuses[]?;
      .state.waiting.reason == "CrashLoopBackOff") then "Failed"
    else "InProgress" end
  elif any(.status.conditions[]?; .type == "PodScheduled"
    and .status == "False" and .reason == "Unschedulable") then "Failed"
  else "InProgress" end;

def _kstatus_job:
  if _has_condition("Failed"; "True") then "Failed"
  else _current(
    _has_condition("Complete"; "True")
    or (.spec.suspend == true and _has_condition("Suspended"; "True"))
    or .status.startTime != null)
  end;

def _kstatus_crd:
  [.status.conditions[]? | select(.type == "Established")][0] as $e
  | if _has_condition("NamesAccepted"; "False") then "Failed"
    elif $e.status == "False" and $e.reason != "Installing" then "Failed"
    else _current($e.status == "True") end;

def _kstatus_other:
  if any(.status.conditions[]?; .type == "Ready")
  then _current(_has_condition("Ready"; "True"))
  else "Current" end;

def kstatus:
  if . == null then "NotFound"
  elif .metadata.deletionTimestamp != null then "Terminating"
  elif .metadata.generation != null and .status.observedGeneration != null
    and .metadata.generation != .status.observedGeneration then "InProgress"
  elif _has_condition("Reconciling"; "True") then "InProgress"
  elif _has_condition("Stalled"; "True") then "Failed"
  elif .kind == "Deployment" then _kstatus_deployment
  elif .kind == "StatefulSet" then _kstatus_statefulset
  elif .kind == "DaemonSet" then _kstatus_daemonset
  elif .kind == "ReplicaSet" then _kstatus_replicaset
  elif .kind == "Pod" then _kstatus_pod
  elif .kind == "Job" then _kstatus_job
  elif .kind == "PersistentVolumeClaim"
  then _current(.status.phase == "Bound")
  elif .kind == "Service" and .spec.type == "LoadBalancer"
  then _current((.spec.clusterIP // "") != "")
  elif .kind == "CustomResourceDefinition" then _kstatus_crd
  elif .kind == "PodDisruptionBudget" or .kind == "Secret"
    or .kind == "ConfigMap" or .kind == "CronJob" or .kind == "Service"
  then "Current"
  else _kstatus_other end;
