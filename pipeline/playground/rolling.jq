# How large the ReplicaSets of a Deployment are to be. Its input is {new, old}
# (told_apart of deployment.jq), each ReplicaSet with .size, its present size;
# the result has other sizes, and .want, that of the new one.
include "operator";
include "workload";

def max_key: "deployment.kubernetes.io/max-replicas";
def desired_key: "deployment.kubernetes.io/desired-replicas";

# {surge, unavailable}: at least one of them, or nothing would ever move.
def bounds:
  .spec.replicas as $replicas
  | if .spec.strategy.type == "Recreate" then {surge: 0, unavailable: 0}
    else
      .spec.strategy.rollingUpdate
      | {surge: (.maxSurge | share($replicas; ceil)),
         unavailable: (.maxUnavailable | share($replicas; floor))}
      | if .surge == 0 and .unavailable == 0 then .unavailable = 1 else . end
      | .unavailable = ([.unavailable, $replicas] | min)
    end;

# ---- a rollout ----

# Takes up to $n from the sizes of .old, the first first; $what is how much of
# each may go.
def take($n; what):
  reduce range(.old | length) as $i ({sets: ., left: $n};
    (.sets.old[$i] | [what, .size] | min) as $may
    | ([$may, .left] | min) as $taken
    | .sets.old[$i].size -= $taken | .left -= $taken)
  | .sets;

def unhealthy: [.size - (.status.availableReplicas // 0), 0] | max;

# Up first; down in another step.
def rolled($replicas; $bounds):
  (if .new then .new.size else 0 end) as $n
  | ($n + (.old | sum(.size))) as $total
  | ([$replicas, $n + ([$replicas + $bounds.surge - $total, 0] | max)] | min)
    as $want
  | if .new == null or $want != $n then .want = $want
    else
      ($replicas - $bounds.unavailable) as $least
      | ($n - (.new.status.availableReplicas // 0)) as $coming
      | ([$total - $least - $coming, 0] | max) as $spare
      | .want = $want
      | (.old | sum(.size)) as $before
      | take($spare; unhealthy)
      | ($before - (.old | sum(.size))) as $gone
      | ([.new, .old[]] | sum(.status.availableReplicas)) as $available
      | ([$available - $least, $spare - $gone, 0]
          | [([.[0], .[1]] | min), .[2]] | max) as $more
      | take($more; .size)
    end;

def recreated($replicas):
  .old |= map(.size = 0)
  | .want = if any(.old[]; (.status.replicas // 0) > 0)
      then .new.size // 0 else $replicas end;

# ---- another number of replicas, or a pause: no rollout meanwhile ----

def active: [.new, .old[]] | map(select(. != null and .size > 0));

# The sizes of these names.
def with_sizes($sizes):
  (.old[] | select($sizes[.metadata.name])) |= (.size = $sizes[.metadata.name])
  | .want = (if .new == null then 0
             else $sizes[.new.metadata.name] // .new.size end);

def away_from_zero:
  if . < 0 then - (- . + 0.5 | floor) else . + 0.5 | floor end;

# What a ReplicaSet would gain to have the same share as before.
def gain($d; $surge):
  if $d.spec.replicas == 0 then - .size
  else
    ((.metadata.annotations[max_key] // "0" | tonumber) as $max
      | if $max > 0 then $max else $d.status.replicas // 1 end) as $before
    | (.size * ($d.spec.replicas + $surge) / $before | away_from_zero) - .size
  end;

# The larger the ReplicaSet, the more of the difference; the largest takes what
# is left.
def in_proportion($d):
  ($d | bounds.surge) as $surge
  | active as $all
  | (if $d.spec.replicas > 0 then $d.spec.replicas + $surge else 0 end
      - ($all | sum(.size))) as $add
  | ($all | sort_by(.metadata.creationTimestamp)
      | if $add > 0 then reverse else . end | sort_by(- .size)) as $sorted
  | reduce $sorted[] as $set ({sizes: {}, added: 0};
      ($set | gain($d; $surge)) as $gain
      | (if $add > 0 then [$gain, $add - .added] | min
         elif $add < 0 then [$gain, $add - .added] | max
         else 0 end) as $gain
      | .sizes[$set.metadata.name] = $set.size + $gain | .added += $gain)
  | ($add - .added) as $left
  | .sizes[$sorted[0].metadata.name] |= ([. + $left, 0] | max);

def scaled($d):
  $d.spec.replicas as $replicas
  | active as $active
  | if ($active | length) == 1 then
      with_sizes({($active[0].metadata.name): $replicas})
    elif ($active | length) == 0 then
      (.new // (.old | last)) as $set
      | if $set == null then .want = 0
        else with_sizes({($set.metadata.name): $replicas}) end
    elif .new.size == $replicas and .new.status.availableReplicas == $replicas
    then
      .old |= map(.size = 0) | .want = .new.size
    elif $d.spec.strategy.type == "Recreate" then .want = (.new.size // 0)
    else in_proportion($d).sizes as $sizes | with_sizes($sizes) end;

# Was another number of replicas asked for when these got their sizes?
def is_scaling($d):
  any(active[];
    .metadata.annotations[desired_key] as $wanted
    | $wanted != null and $wanted != "\($d.spec.replicas)");

def sized($d):
  (.new, .old[]) |= (if . then .size = .spec.replicas else . end)
  | if $d.spec.paused or is_scaling($d) then scaled($d)
    elif $d.spec.strategy.type == "Recreate" then recreated($d.spec.replicas)
    else rolled($d.spec.replicas; $d | bounds) end;
