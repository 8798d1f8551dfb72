# The objects that the first IoTService operator made for an IoTService, written
# from what is known of it, not from what ours makes. Input: the object as the
# API server has it. $operator: the landscape. $refer: which objects get its
# owner reference.

def reference: [{
  apiVersion, kind, name: .metadata.name, uid: .metadata.uid,
  controller: true, blockOwnerDeletion: true
}];

# As yaml.v2 does it: nothing is quoted without need.
def plain($indent):
  if type == "object" and . != {} then
    to_entries[] | .key as $k | .value
    | if (type == "object" or type == "array") and length > 0
      then $indent + $k + ":", plain($indent + "  ")
      else $indent + $k + ": " + plain("") end
  elif type == "array" and . != [] then
    .[] | $indent + "- " + ([plain("")] | join("\n" + $indent + "  "))
  elif type == "string" and test("\n") then tojson
  elif type == "string" and test("^[a-zA-Z]") then .
  else tojson end;

def object($kind; $api; $name; $labels): {
  apiVersion: $api, kind: $kind, metadata: {name: $name, labels: $labels}
};

# For each component: its place in the spec, its ports and their variables, its
# claim.
def components: [
  ["cockpit", .cockpit, [["http", 8080, "CONTAINER_PORT"]], null],
  ["core", .core, [["http", 8161, "CONTAINER_PORT_HTTP"],
    ["hazelcast", 5801, "CONTAINER_PORT_HAZELCAST"]], null],
  ["gateway-rest", .gateway.rest, [["http", 8699, "CONTAINER_PORT"]], null],
  ["haproxy", .haproxy, [["http", 80, "CONTAINER_PORT_HTTP"],
    ["https", 443, "CONTAINER_PORT_HTTPS"],
    ["mqtt-tls", 8883, "CONTAINER_PORT_MQTT"],
    ["jms-tls", 61616, "CONTAINER_PORT_JMS"]], null],
  ["gateway-mqtt", .gateway.mqtt, [["mqtt-tls", 61628, "CONTAINER_PORT"]],
    ["gateway-volume", "20Gi", "/gateway/store"]],
  ["messaging", .mms, [["jms-no-tls", 61619, "CONTAINER_PORT_JMS"],
    ["jms-tls", 61620, "CONTAINER_PORT_JMS_TLS"],
    ["hazelcast", 5701, "CONTAINER_PORT_HAZELCAST"]],
    ["messaging-volume", "10Gi", "/messaging/store"]],
  ["postgresql", .postgresql, [["postgresql", 5432, "CONTAINER_PORT"]], null]
];

def pod($spec; $id; $labels; $sum):
  . as [$name, $block, $ports, $volume]
  | {
      metadata: ({labels: $labels} + if $name == "postgresql" then {} else
        {annotations: {"checksum/config": $sum,
          "co.elastic.logs/module": "iot"}} end),
      spec: ({
        imagePullSecrets: [{name: $spec.imagePullSecrets}],
        containers: [({
          name: $name,
          image: $block.image,
          imagePullPolicy: $spec.imagePullPolicy,
          resources: ($block.resources // {}),
          env: [$ports[] | {name: .[2], value: "\(.[1])"}],
          ports: [$ports[] | {name: .[0], containerPort: .[1]}],
          volumeMounts: [
            (if $name == "postgresql" then empty
             else {name: "config-volume", mountPath: "/etc/sap"} end),
            ($volume | values | {name: .[0], mountPath: .[2]})]
        })]
      }
      + if $name == "postgresql" then {} else {volumes: [{
          name: "config-volume", configMap: {name: "iotservice-\($id)"}
        }]} end
      + if $volume == null then {} else {securityContext: {fsGroup: 999}} end)
    };

def workload($spec; $id; $namespace; $sum):
  . as [$name, $block, $ports, $volume]
  | {instance: $id, component: $name} as $labels
  | object(if $volume == null then "Deployment" else "StatefulSet" end;
      "apps/v1"; "\($name)-\($id)"; $labels)
  + {spec: ({
      replicas: $block.size,
      selector: {matchLabels: $labels},
      template: ([$name, $block, $ports, $volume]
        | pod($spec; $id; $labels; $sum))
    } + if $volume == null then {} else {
      serviceName: "\($name)-\($id)",
      volumeClaimTemplates: [{
        metadata: {name: $volume[0], namespace: $namespace, labels: $labels},
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: {requests: {storage: $volume[1]}}
        }
      }]
    } end)};

def front($id):
  . as [$name, $block, $ports, $volume]
  | {instance: $id, component: $name} as $labels
  | object("Service"; "v1";
      if $name == "haproxy" then "iot-\($id)" else "\($name)-\($id)" end;
      $labels)
  + {spec: ({
      selector: $labels,
      ports: [$ports[] | {name: .[0], port: .[1], targetPort: .[1]}]
    } + if $name == "haproxy"
      then {type: "LoadBalancer", externalTrafficPolicy: "Local"}
      else {} end)};

. as $primary
| .metadata.name as $id
| "\($operator)-\($id)" as $namespace
| .spec as $spec
| {instance: $id} as $labels
| {name: $id, iotservices: (.spec + {instance_id: $id})} as $config
| [
    object("Namespace"; "v1"; $namespace; $labels),
    ({type: "kubernetes.io/dockerconfigjson",
      data: {".dockerconfigjson": $secret}}
      + object("Secret"; "v1"; "image-pull-secret"; $labels)),
    (object("ConfigMap"; "v1"; "iotservice-\($id)";
      $labels + {component: "iotservice"})
      + {data: {"config.yml": ([$config | plain("")] | join("\n") + "\n")}}),
    (object("NetworkPolicy"; "networking.k8s.io/v1";
      "deny-not-instance-\($id)"; $labels)
      + {spec: {
        podSelector: {matchLabels: $labels, matchExpressions: [
          {key: "component", operator: "NotIn", values: ["haproxy"]}]},
        ingress: [{from: [{podSelector: {matchLabels: $labels}}]}]
      }}),
    ($spec | components[]
      | workload($spec; $id; $namespace; "68b329da9893e34099c7d8ad5cb9c940"),
        front($id))
  ]
| map(if .kind == "Namespace" then . else .metadata.namespace = $namespace end
    | if $refer == "all" or .kind == "Namespace"
      then .metadata.ownerReferences = ($primary | reference) else . end)
| {apiVersion: "v1", kind: "List", items: .}
