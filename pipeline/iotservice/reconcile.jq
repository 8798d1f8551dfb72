# IoTService: each instance is a namespace of its own, full of components.
#
# config.jq knows the fields of the spec, their defaults, and config.yml.
include "operator";
include "config";

def id: .primary.metadata.name;
def instance_namespace: .operator.name + "-" + id;
def instance_labels: {instance: id};

def pull_secret_name: "image-pull-secret";
def config_map_name: "iotservice-" + id;
def network_policy_name: "deny-not-instance-" + id;
def config_volume_name: "config-volume";

# ---- the components ----

# The components that this spec asks for:
#   block    where the spec has image, size, resources and ports
#   ports    [[NAME, FIELD OF THE BLOCK]]
#   volume   makes it a StatefulSet with this claim
#   service  name of the Service, if not that of the component
def components: .primary.spec as $spec
  | [
      {
        name: "cockpit",
        block: ["cockpit"],
        ports: [["http", "container_port"]]
      },
      if $spec.core_spring.enabled == true then
        {
          name: "core-spring",
          block: ["core_spring"],
          ports: [["http", "container_port"]]
        },
        {
          name: "processing",
          block: ["processing"],
          ports: [["http", "container_port"]]
        }
      else
        {
          name: "core",
          block: ["core"],
          ports: [
            ["http", "container_port_http"],
            ["hazelcast", "container_port_hazelcast"]
          ]
        }
      end,
      {
        name: "gateway-rest",
        block: ["gateway", "rest"],
        ports: [["http", "container_port"]]
      },
      {
        name: "haproxy",
        block: ["haproxy"],
        ports: [
          ["http", "container_port_http"],
          ["https", "container_port_https"],
          ["mqtt-tls", "container_port_mqtt"],
          ["jms-tls", "container_port_jms"]
        ],
        service: "iot"
      },
      {
        name: "gateway-mqtt",
        block: ["gateway", "mqtt"],
        ports: [["mqtt-tls", "container_port"]],
        volume: {name: "gateway-volume", path: "/gateway/store"}
      },
      {
        name: "messaging",
        block: ["mms"],
        ports: [
          ["jms-no-tls", "container_port_jms"],
          ["jms-tls", "container_port_jms_tls"],
          ["hazelcast", "container_port_hazelcast"]
        ],
        volume: {name: "messaging-volume", path: "/messaging/store"}
      },
      if $spec.postgresql.size == 1 then
        {
          name: "postgresql",
          block: ["postgresql"],
          ports: [["postgresql", "container_port"]],
          unconfigured: true
        }
      else empty end
    ];

def port_number($field): .[$field] as $text
  | try ($text | tonumber)
    catch fail("\($field) is not a number");

# $set: the component's block of the spec with its defaults.
def container($component; $block; $set; $pull_policy): {
  name: $component.name,
  image: $block.image,
  imagePullPolicy: $pull_policy,
  resources: ($block.resources // {} | compact),
  ports: [$component.ports[] | . as [$name, $field]
    | {name: $name, containerPort: ($set | port_number($field))}],
  env: [$component.ports[] | . as [$_, $field]
    | {name: ($field | ascii_upcase), value: $set[$field]}],
  volumeMounts: [
    if $component.unconfigured then empty
    else {name: config_volume_name, mountPath: "/etc/sap"} end,
    ($component.volume | values | {name, mountPath: .path})
  ]
} | compact | if .imagePullPolicy == "" then del(.imagePullPolicy) else . end;

# To the letter what the first operator wrote: it named the namespace there, too.
# (Versions of this program that did not are why desired says immutable.)
def claims($component; $labels; $size): instance_namespace as $namespace
  | [claim($component.volume.name; $size)
      | .metadata += {namespace: $namespace, labels: $labels}];

# The pods of a component: what deployment() and statefulset() take.
def pods($component; $labels; $block; $set; $config_digest):
  .primary.spec as $spec
  | {
      replicas: ($block.size // 0),
      containers:
        [container($component; $block; $set; $spec.imagePullPolicy)],
      imagePullSecrets: [{name: ($spec.imagePullSecrets | text)}
        | select(.name != "")]
    }
    + if $component.unconfigured then {}
      else {
        annotations: {
          "co.elastic.logs/module": "iot",
          "checksum/config": $config_digest
        },
        volumes:
          [{name: config_volume_name, configMap: {name: config_map_name}}]
      } end
    + if $component.volume == null then {}
      else {
        securityContext: {fsGroup: 999},
        volumeClaimTemplates: claims($component; $labels;
          $set.persistent_volume_claim_size)
      } end
    | compact;

# The Deployment or StatefulSet, and the Service of a component.
def component_objects($component; $spec; $config_digest):
  (instance_labels + {component: $component.name}) as $labels
  | ($component.name + "-" + id) as $name
  | (.primary.spec | getpath($component.block) // {}) as $block
  | ($spec | getpath($component.block)) as $set
  | pods($component; $labels; $block; $set; $config_digest) as $pods
  | (if $component.volume == null then deployment($name; $labels; $pods)
     else statefulset($name; $labels; $pods) end),
    service(($component.service // $component.name) + "-" + id; $labels; {
      ports: [$component.ports[] | . as [$name, $field]
        | ($set | port_number($field)) as $port
        | {name: $name, port: $port, targetPort: $port}]
    } + if $component.service == "iot"
      then {type: "LoadBalancer", externalTrafficPolicy: "Local"}
      else {} end);

# ---- the rest of an instance ----

# Only pods of the instance may speak to its pods, but anybody to haproxy.
def network_policy: {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: {name: network_policy_name, labels: instance_labels},
  spec: {
    podSelector: {
      matchLabels: instance_labels,
      matchExpressions:
        [{key: "component", operator: "NotIn", values: ["haproxy"]}]
    },
    policyTypes: ["Ingress"],
    ingress: [{from: [{podSelector: {matchLabels: instance_labels}}]}]
  }
};

# A copy of the one beside the operator.
def pull_secret:
  named(.related.Secret; pull_secret_name)
  | need(. != null; "the secret \(pull_secret_name) is missing in the "
      + "operator's namespace")
  | {apiVersion, kind, metadata: {name: .metadata.name}, type, data}
  | compact;

# The first operator's last version kept an instance in the IoTService's own
# namespace. Beside that one a second would start, with empty volumes.
def need_no_other: id as $id
  | [.related.PersistentVolumeClaim // [] | .[]
      | select(.metadata.labels.instance == $id) | .metadata.name] as $claims
  | need($claims == []; "objects with instance=\($id) exist in "
      + "\(.operator.name), the claim \($claims[0]) for one: the instance is "
      + "there already, and is not started a second time with empty volumes. "
      + "Move its data, then delete them there");

def need_good_name:
  (if .kind == "StatefulSet" then 52 else 63 end) as $max
  | .metadata.name as $name
  | need($name | is_dns_label($max); "the name \($name) of a \(.kind) is "
      + "not a DNS label of at most \($max) characters");

# ---- the program ----

def desired: need_no_other | . as $in
  | instance_namespace as $namespace
  | (.primary.spec | with_defaults) as $spec
  | id as $id
  | ($spec | config($id; $namespace) | to_yaml) as $config
  | ($config | sha256) as $config_digest
  | [
      namespace($namespace; instance_labels),
      config_map(config_map_name;
        instance_labels + {component: "iotservice"};
        {"config.yml": $config}),
      (select(.primary.spec.enableNetworkPolicies == true) | network_policy),
      component_objects(components[]; $spec; $config_digest)
    ]
  | map(need_good_name)
  | . + [$in | pull_secret * {metadata: {labels: instance_labels}}]
  | map(if .kind == "Namespace" then . else in_namespace($namespace) end
      | if .kind == "StatefulSet" then immutable(.spec.volumeClaimTemplates)
        else . end);

def component_ready($component): id as $id |
  if $component.volume == null then .owned.Deployment else .owned.StatefulSet
  end
  | named($component.name + "-" + $id) | ready;

def is_available: . as $in
  | .outstanding == []
    and all(components[]; . as $component
      | $in | component_ready($component))
    and (named(.owned.Service; "iot-" + id) | ready);

def phase:
  if .error != null then "Failed"
  elif .primary.metadata.deletionTimestamp != null then "Processing"
  elif is_available then "Available"
  else "Processing" end;

def status: instance_namespace as $namespace | phase as $phase
  | {
      phase: $phase,
      observedGeneration: .primary.metadata.generation,
      pods: [.owned.Pod[]
        | select(.metadata.namespace == $namespace
          and .status.phase == "Running")
        | .metadata.name] | sort,
      conditions:
        [condition("Ready"; $phase == "Available"; $phase; .error)]
    }
    + if $phase == "Failed" then {reason: .error} else {} end;

# A slot of the throttle is free again when the work is seen to be done.
def settled:
  .primary.status.observedGeneration == .primary.metadata.generation
  and (.primary.status.phase == "Available"
    or .primary.status.phase == "Failed");

# All of an instance lives in its namespace and goes with it.
def finalize: {
  items: [],
  delete: .owned.Namespace,
  done: (.owned.Namespace == [])
};
