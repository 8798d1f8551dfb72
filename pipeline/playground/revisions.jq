# Lines of kwatch as lines for kapply: a Deployment whose annotation is not the
# revision of its newest ReplicaSet gets it. The ReplicaSet is the primary of
# the line: kapply changes nothing of a line's own primary.
include "revision";

def owner:
  [.metadata.ownerReferences[]? | select(.controller)][0].uid // "";

# What has to be known of both kinds, by uid.
def noted($event):
  $event.object as $o
  | $o.metadata.uid as $uid
  | if $event.type == "DELETED" then del(.sets[$uid], .deployments[$uid])
    elif $o.kind == "Deployment" then
      .deployments[$uid] = ($o.metadata | {namespace, name, uid}
        + {revision: $o | revision})
    else
      .sets[$uid] = ($o.metadata
        | {namespace, name, uid, resourceVersion, generation}
        + {owner: $o | owner, revision: $o | revision})
    end;

def line($deployment; $set):
  "Deployment.apps/\($deployment.namespace)/\($deployment.name)" as $key
  | {apiVersion: "v1", kind: "List",
     items: [{
       apiVersion: "apps/v1", kind: "Deployment",
       metadata: {namespace: $deployment.namespace, name: $deployment.name,
         annotations: {(revision_key): $set.revision}}}],
     reconcile: {
       primary: ($set | {apiVersion: "apps/v1", kind: "ReplicaSet", namespace,
         name, uid, resourceVersion, generation}),
       known: {($key): $deployment.uid},
       patch: {($key): "hold"},
       manager: "deployment-controller"}};

foreach (inputs | select(.type | IN("ADDED", "MODIFIED", "DELETED"))) as $event
  ({sets: {}, deployments: {}};
  noted($event)
  | ($event.object
      | if .kind == "Deployment" then .metadata.uid else owner end) as $uid
  | .deployments[$uid] as $deployment
  | ([.sets[] | select(.owner == $uid)]
      | max_by(.revision | revision_order)) as $set
  | .line = (if $deployment == null or $set == null
        or $set.revision == "0"
        or $set.revision == $deployment.revision then null
      else line($deployment; $set) end);
  .line | select(. != null))
