"""The job that every operator does, as objects: README.md's ten lines."""

import base64
import os
import random
import re

import controlplane

NAMESPACES = 10
KIND = "/apis/cache.example.com/v1alpha1"
APPS = "/apis/apps/v1"
IMAGE = "memcached:1.4.36-alpine"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "memcacheds.cache.example.com"},
    "spec": {
        "group": "cache.example.com",
        "names": {"kind": "Memcached", "plural": "memcacheds"},
        "scope": "Namespaced",
        "versions": [{
            "name": "v1alpha1", "served": True, "storage": True,
            "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {
                    "size": {"type": "integer", "minimum": 0}}},
                "status": {
                    "type": "object",
                    # kopf keeps its own progress there
                    "x-kubernetes-preserve-unknown-fields": True,
                    "properties": {"nodes": {
                        "type": "array", "items": {"type": "string"}}},
                }}}},
        }],
    },
}


def readme_file(name):
    """A file of README.md's operator."""
    with open(ROOT + "/README.md") as file:
        found = re.search(
            rf"<!-- file: {re.escape(name)} -->\n```\w*\n(.*?)```",
            file.read(), re.S)
    if not found:
        raise ValueError(f"README.md has no file {name}")
    return found[1]


def namespace(i):
    return f"bench-{i % NAMESPACES}"


def memcacheds(i):
    return f"{KIND}/namespaces/{namespace(i)}/memcacheds"


def deployments(i):
    return f"{APPS}/namespaces/{namespace(i)}/deployments"


def memcached(i, size):
    return {"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached",
            "metadata": {"name": f"m{i:05}"}, "spec": {"size": size}}


def key(thing):
    return thing["metadata"]["namespace"], thing["metadata"]["name"]


def labels(name):
    return {"app": "memcached", "memcached_cr": name}


def is_right(deployment, primary):
    """Whether it is what the Memcached asks for."""
    want = labels(primary["metadata"]["name"])
    metadata, spec = deployment["metadata"], deployment["spec"]
    container = spec["template"]["spec"]["containers"][0]
    owners = metadata.get("ownerReferences", [])
    return (key(deployment) == key(primary)
            and want.items() <= metadata.get("labels", {}).items()
            and any(owner["uid"] == primary["metadata"]["uid"]
                    and owner.get("controller") for owner in owners)
            and spec["replicas"] == primary["spec"]["size"]
            and spec["selector"] == {"matchLabels": want}
            and spec["template"]["metadata"]["labels"] == want
            and container["image"] == IMAGE
            and container["command"] == ["memcached", "-m=64", "-o", "modern",
                                         "-v"]
            and [port["containerPort"] for port in container["ports"]]
            == [11211])


def pod(name, of):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "labels": labels(of)},
            "spec": {"containers": [{"name": "memcached", "image": IMAGE}]}}


def foreign_pod(i):
    """One that no Memcached is about, of usual size: 6 KB"""
    containers = [{
        "name": f"c{n}", "image": "registry.example.com/application:2.0.1",
        "env": [{"name": f"VARIABLE_{k}", "value": f"{i}: the {k}th value, "
                 "a text of some length"} for k in range(12)],
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080}},
    } for n in range(2)]
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"foreign-{i:05}",
                         "labels": {"app": "other", "part": f"p{i % 5}"},
                         "annotations": {"example.com/about": "x" * 800}},
            "spec": {"containers": containers}}


def foreign_secret(i):
    data = random.Random(i).randbytes(24000)
    return {"apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": f"foreign-{i:05}"},
            "data": {"blob": base64.b64encode(data).decode()}}


def prepare(plane):
    """The kind, and the namespaces."""
    plane.must("POST", "/apis/apiextensions.k8s.io/v1/"
               "customresourcedefinitions", CRD)
    for i in range(NAMESPACES):
        plane.must("POST", "/api/v1/namespaces",
                   {"metadata": {"name": namespace(i)}})

    def served():
        try:
            return plane.must("GET", KIND + "/memcacheds")
        except controlplane.Refused:
            return None

    controlplane.wait_for("the kind is served", 60, served)
