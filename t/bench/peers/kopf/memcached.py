"""The operator of README.md on kopf, as its walk-through writes one: handlers
of changes, indices instead of requests that read, the official client."""

from collections import defaultdict
from threading import Lock

import kopf
import kubernetes

KIND = ("cache.example.com", "v1alpha1", "memcacheds")
LABELLED = {"app": "memcached", "memcached_cr": kopf.PRESENT}


@kopf.index(*KIND)
def primaries(namespace, name, body, **_):
    return {(namespace, name): body}


@kopf.index("apps", "v1", "deployments", labels=LABELLED)
def deployments(namespace, name, spec, **_):
    return {(namespace, name): spec}


@kopf.index("", "v1", "pods", labels=LABELLED)
def pods(namespace, name, labels, **_):
    return {(namespace, labels["memcached_cr"]): name}


def desired(primary):
    name = primary["metadata"]["name"]
    labels = {"app": "memcached", "memcached_cr": name}
    container = {
        "name": "memcached",
        "image": "memcached:1.4.36-alpine",
        "command": ["memcached", "-m=64", "-o", "modern", "-v"],
        "ports": [{"name": "memcached", "containerPort": 11211}],
    }
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": primary["spec"]["size"],
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels},
                         "spec": {"containers": [container]}},
        },
    }
    kopf.adopt(deployment, owner=primary)
    return deployment


def as_wanted(spec, wanted):
    """Whether the fields that the operator sets have their values."""
    there = spec["template"]["spec"]["containers"][0]
    container = wanted["template"]["spec"]["containers"][0]
    return spec["replicas"] == wanted["replicas"] and all(
        there[key] == container[key] for key in ("image", "command"))


def write_deployment(primary, deployments):
    namespace = primary["metadata"]["namespace"]
    name = primary["metadata"]["name"]
    wanted = desired(primary)
    api = kubernetes.client.AppsV1Api()
    for spec in deployments.get((namespace, name), ()):
        if not as_wanted(spec, wanted["spec"]):
            api.patch_namespaced_deployment(name, namespace, wanted)
        return
    try:
        api.create_namespaced_deployment(namespace, wanted)
    except kubernetes.client.ApiException as error:
        if error.status != 409:  # its event has not come yet
            raise


@kopf.on.resume(*KIND)
@kopf.on.create(*KIND)
@kopf.on.update(*KIND, field="spec")
def primary_changed(body, deployments, **_):
    write_deployment(body, deployments)


@kopf.on.event("apps", "v1", "deployments", labels=LABELLED)
def deployment_changed(namespace, name, primaries, deployments, **_):
    for primary in primaries.get((namespace, name), ()):
        write_deployment(primary, deployments)


# Handlers of two Pods run at a time, in threads: the later one of a Memcached
# must write last, and the index may not have the earlier one's write yet.
locks = defaultdict(Lock)
written = {}


@kopf.on.event("", "v1", "pods", labels=LABELLED)
def pod_changed(namespace, labels, primaries, pods, **_):
    key = (namespace, labels["memcached_cr"])
    with locks[key]:
        for primary in primaries.get(key, ()):
            uid = primary["metadata"]["uid"]
            old = primary.get("status", {}).get("nodes", [])
            nodes = sorted(pods.get(key, ()))
            if nodes != written.get(uid, old):
                write_status(key, nodes)
                written[uid] = nodes


def write_status(key, nodes):
    namespace, name = key
    kubernetes.client.CustomObjectsApi().patch_namespaced_custom_object_status(
        *KIND[:2], namespace, KIND[2], name, {"status": {"nodes": nodes}})
