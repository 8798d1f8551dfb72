"""The scenarios that every operator plays: steps of another client, with the
members of a step of a .scenario file. Of these files' steps it has create,
patch and delete.

`foreign`: the object is of another client, and stays as it is. `settle`: what
follows waits until all is as it should be, for some seconds at most. `pauseMs`
of a scenario: the time after every other step.
"""

import job

MEMCACHED = {"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached"}
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment"}
POD = {"apiVersion": "v1", "kind": "Pod"}


def at(kind, name, namespace="default"):
    return {**kind, "namespace": namespace, "name": name}


def primary(name, size, namespace="default"):
    return {"do": "create", "object": {
        **MEMCACHED, "metadata": {"name": name, "namespace": namespace},
        "spec": {"size": size}}}


def pod(name, of):
    found = job.pod(name, of)
    found["metadata"]["namespace"] = "default"
    return {"do": "create", "object": found}


def resize(name, size, namespace="default"):
    return {"do": "patch", **at(MEMCACHED, name, namespace),
            "patch": {"spec": {"size": size}}}


def scale(name, replicas):
    return {"do": "patch", **at(DEPLOYMENT, name),
            "patch": {"spec": {"replicas": replicas}}}


def image(name, value):
    containers = [{"name": "memcached", "image": value}]
    return {"do": "patch", **at(DEPLOYMENT, name), "patch": {
        "spec": {"template": {"spec": {"containers": containers}}}}}


def delete(kind, name, namespace="default", **more):
    return {"do": "delete", **at(kind, name, namespace), **more}


def foreign(name, labels):
    return {"do": "create", "foreign": True, "object": {
        **DEPLOYMENT,
        "metadata": {"name": name, "namespace": "default", "labels": labels},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {
                "containers": [{"name": "web", "image": "web:1"}]}}}}}


def settled(step):
    return {**step, "settle": True}


SCENES = {
    # One step a second
    "life": {"pauseMs": 1000, "steps": [
        settled(primary("a", 3)),
        pod("a-1", "a"),
        resize("a", 5),
        scale("a", 1),
        image("a", "of-others:1"),
        delete(POD, "a-1"),
        delete(DEPLOYMENT, "a"),
        delete(MEMCACHED, "a"),
        primary("a", 2),
        pod("a-2", "a"),
    ]},
    # The same name again and again, faster than an operator follows
    "rush": {"pauseMs": 30, "steps": [
        settled(primary("a", 3)),
        resize("a", 4),
        scale("a", 9),
        delete(DEPLOYMENT, "a"),
        resize("a", 5),
        delete(MEMCACHED, "a"),
        primary("a", 2),
        primary("b", 1),
        delete(MEMCACHED, "b"),
        primary("b", 3),
        delete(DEPLOYMENT, "a"),
        pod("b-1", "b"),
    ]},
    "two": {"pauseMs": 700, "steps": [
        settled(primary("a", 1)),
        primary("b", 2),
        primary("a", 3, "other"),
        pod("b-1", "b"),
        resize("b", 4),
        delete(DEPLOYMENT, "a", "other"),
        delete(MEMCACHED, "a"),
        resize("a", 1, "other"),
    ]},
    # Deployments of the wanted names were there before: one that cannot
    # become what is wanted, because its selector stays, and one that can.
    "foreign": {"pauseMs": 1000, "steps": [
        foreign("a", {"app": "of-others"}),
        foreign("c", job.labels("c")),
        settled(primary("b", 1)),
        primary("a", 2),
        primary("c", 2),
        resize("a", 3),
        delete(DEPLOYMENT, "b"),
        delete(MEMCACHED, "c"),
    ]},
    # The primary stays until its dependents are gone.
    "foreground": {"pauseMs": 1000, "steps": [
        settled(primary("a", 2)),
        primary("b", 1),
        delete(MEMCACHED, "a", propagationPolicy="Foreground"),
        primary("a", 4),
        delete(MEMCACHED, "b", propagationPolicy="Foreground"),
    ]},
}
