# Memcached: a Deployment of that many memcached servers.
include "operator";

def name: .primary.metadata.name;
def labels: {app: "memcached", memcached_cr: name};

# The name is the value of a label, which is shorter than a name may be.
def need_good_name:
  need(name | length <= 63; "the name is longer than 63 characters");

def desired: need_good_name | [
  deployment(name; labels; {
    replicas: .primary.spec.size,
    containers: [{
      name: "memcached",
      image: .operator.image,
      command: ["memcached", "-m=64", "-o", "modern", "-v"],
      ports: [{name: "memcached", containerPort: 11211}]
    }]
  })
];

def running: .outstanding == [] and (named(.owned.Deployment; name) | ready);

def ready_condition:
  if .error != null then condition("Ready"; false; "Failed"; .error)
  elif running then condition("Ready"; true; "Available"; "")
  else condition("Ready"; false; "Progressing"; "") end;

# replicas and selector are there for `kubectl scale` and autoscalers.
def status: {
  nodes: [.owned.Pod[].metadata.name] | sort,
  replicas: (.owned.Pod | length),
  selector: (labels | to_entries | map("\(.key)=\(.value)") | join(",")),
  observedGeneration: .primary.metadata.generation,
  conditions: [ready_condition]
} + handled;
