# config.yml: the spec in its v1 form, every field with a value.
include "operator";

# Every field that config.yml can have, in the form
# {FIELD: value it has when it is unset}.
def defaults: {
  instance_owner_pwd: "",
  client_auth_cert: [],
  server_cert: "",
  domain_name: "",
  mms: {
    listening_address: "",
    max_heap_size: "",
    amq_store_size_mb: 0,
    container_port_jms: "61619",
    container_port_jms_tls: "61620",
    container_port_hazelcast: "5701",
    persistent_volume_claim_size: "10Gi"
  },
  core: {
    listening_address: "",
    max_heap_size: "",
    container_port_http: "8161",
    container_port_hazelcast: "5801"
  },
  core_spring: {
    enabled: false,
    max_heap_size: "",
    container_port: "8081",
    persistent_volume_claim_size: "2Gi",
    database: {
      hostname: "",
      port: "",
      dbadminuser: "",
      dbadminpassword: ""
    }
  },
  data_migration: {enabled: false},
  measure_migration: {enabled: false},
  processing: {
    max_heap_size: "",
    container_port: "8082",
    database: {
      hostname: "",
      port: "",
      dbadminuser: "",
      dbadminpassword: "",
      dbname: ""
    },
    types: {
      kafka: {enabled: false},
      iotae: {
        enabled: false,
        user: "",
        password: "",
        brokers: "",
        token_url: "",
        subaccount_id: ""
      },
      sql: {enabled: false},
      internalsql: {enabled: false},
      http: {enabled: false}
    },
    kafkaProducer: {
      acks: "1",
      maxBlockInMs: "3000",
      requestTimeoutInMs: "30000",
      retries: "20",
      retryBackoffInMs: "5000",
      maxRequestSize: "1048576"
    },
    throughputConfiguration: {
      sqlQueueCapacity: "200",
      httpQueueCapacity: "200",
      kafkaQueueCapacity: "200",
      leonardoIotQueueCapacity: "200",
      internalSqlQueueCapacity: "200",
      batching: {
        batchSize: "5000",
        forceTimeoutMilliseconds: "2000",
        checkPeriodForCommitTimeoutMilliseconds: "1000",
        numberOfThreads: "8",
        maxSizeMbytes: "128",
        maxThreadsWaitingForMeasures: "100",
        maxThreadsProcessingMeasures: "8"
      }
    }
  },
  cockpit: {
    listening_address: "",
    max_heap_size: "",
    container_port: "8080",
    iot_connect_365: {
      enabled: false,
      host: "",
      application_token: ""
    }
  },
  gateway: {
    enable_device_vitality: false,
    enable_measure_validation: false,
    mqtt: {
      listening_address: "",
      max_heap_size: "",
      amq_store_size_mb: 0,
      amq_temp_size_mb: 1000,
      tenant_exposed: false,
      container_port: "61628",
      persistent_volume_claim_size: "20Gi"
    },
    rest: {
      listening_address: "",
      max_heap_size: "",
      commands_ttl: 21600000,
      container_port: "8699"
    }
  },
  haproxy: {
    container_port_http: "80",
    container_port_https: "443",
    container_port_mqtt: "8883",
    container_port_jms: "61616"
  },
  certificate: {
    provider: "",
    registration_authority_certificate_password: "",
    tcs: {certificate_authority_url: ""}
  },
  metering: {
    enabled: false,
    organization_id: "",
    space_id: "",
    domain: "",
    instance_id: "",
    resource_id: "",
    user: "",
    password: "",
    maas: {
      enabled: false,
      organization_id: "",
      space_id: "",
      instance_id: "",
      domain: "",
      region: "",
      client_id: "",
      client_secret: ""
    }
  },
  processing_services: [],
  packetdb: {
    hostname: "",
    port: "",
    dbadminuser: "",
    dbadminpassword: ""
  },
  last_alive: {enabled: false, period_seconds: 0},
  enable_multi_protocol_support: false,
  jwt_validation_url: "",
  auditlog: {
    enabled: false,
    domain: "",
    user: "",
    password: "",
    subAccountId: "",
    auditLogLastEventCache: {expireAfterWriteSec: 60, maxSize: 0}
  },
  on_boarding: "oneproduct"
};

# postgresql has a port, and no place in config.yml.
def postgresql_defaults: {container_port: "5432"};

# Clients that are written in Go send 0 for these where nothing was set.
def _zero_is_unset:
  reduce (["gateway", "mqtt", "amq_temp_size_mb"],
    ["gateway", "rest", "commands_ttl"],
    ["auditlog", "auditLogLastEventCache", "expireAfterWriteSec"]) as $path
    (.; if getpath($path) == 0 then delpaths([$path]) else . end);

# A spec with every field, null and unset ones filled in.
def with_defaults:
  _zero_is_unset | filled(defaults + {postgresql: postgresql_defaults});

def _header: {name: (.name | text), value: (.value | text)};

# The members of properties are left out when they are empty, and with the last
# of them properties itself.
def _processing_service: {
  name: (.name | text),
  properties: (
    .properties as $given
    | reduce ("processing.kafka.brokers", "processing.kafka.topic.metadata",
        "processing.kafka.topic.measures", "processing.kafka.user",
        "processing.kafka.password", "processing.kafka.tokenurl",
        "processing.http.url") as $k ({}; .[$k] = $given[$k])
    | .["processing.http.headers"] =
        [$given["processing.http.headers"][]? | _header]
    | with_entries(select(.value != ""))
    | compact)
} | compact;

# What config.yml says of an instance, out of its spec with the defaults.
def config($id; $namespace): {
  name: $id,
  iotservices: (del(.postgresql)
    | .gateway.mqtt.tenant_exposed = false
    | .processing_services = [.processing_services[] | _processing_service]
    | if .certificate.tcs.certificate_authority_url == ""
      then del(.certificate.tcs) else . end
    | .instance_id = $id
    | .instance_namespace = $namespace)
};
