"""What is wrong with what an operator did: by the job (t/bench/peers/job.py),
not by what another one does. A verdict is

    {"invariant": end|twice|foreign|silence|requests|ended, "object", "text",
     "count": how often}

"play": the play itself could not go on.
"""

import job

WINDOW = 10


def verdict(invariant, thing, text, count=1):
    return {"invariant": invariant, "object": thing, "text": text,
            "count": count}


def named(kind, key):
    return f"{kind} {key[0]}/{key[1]}"


def owner_of(deployment):
    for owner in deployment["metadata"].get("ownerReferences", []):
        if owner["kind"] == "Memcached" and owner.get("controller"):
            return owner["uid"]
    return None


def as_made(thing):
    metadata = thing["metadata"]
    return (metadata["uid"], metadata.get("labels"),
            metadata.get("ownerReferences"), thing["spec"])


def what_differs(deployment, primary):
    want, have = primary["spec"]["size"], deployment["spec"]["replicas"]
    if owner_of(deployment) != primary["metadata"]["uid"]:
        return "is not owned by the primary that is there"
    if want != have:
        return f"has {have} replicas, not {want}"
    return "is not as the job says"


def of_primary(key, primary, state):
    if "deletionTimestamp" in primary["metadata"]:
        yield verdict("end", named("Memcached", key), "is still being deleted")
        return
    deployment = state["Deployment"].get(key)
    if not deployment:
        yield verdict("end", named("Deployment", key), "is missing")
    elif not job.is_right(deployment, primary):
        yield verdict("end", named("Deployment", key),
                      what_differs(deployment, primary))
    want = sorted(
        pod[1] for pod, thing in state["Pod"].items() if pod[0] == key[0]
        and thing["metadata"].get("labels", {}).get("memcached_cr") == key[1])
    have = primary.get("status", {}).get("nodes") or []
    if have != want:
        yield verdict("end", named("Memcached", key),
                      f"status.nodes is {have}, not {want}")


def of_state(state, foreign):
    """What is not as it should be. foreign: {key: the object as its client made
    it}"""
    found = []
    primaries = {primary["metadata"]["uid"]
                 for primary in state["Memcached"].values()}
    for key, primary in state["Memcached"].items():
        if key not in foreign:
            found += of_primary(key, primary, state)
    for key, deployment in state["Deployment"].items():
        if key not in foreign and owner_of(deployment) not in primaries:
            found.append(verdict("end", named("Deployment", key),
                                 "is there without a primary"))
    for key, thing in foreign.items():
        there = state["Deployment"].get(key)
        if not there:
            found.append(verdict("foreign", named("Deployment", key),
                                 "of another client was deleted"))
        elif as_made(there) != as_made(thing):
            found.append(verdict("foreign", named("Deployment", key),
                                 "of another client was changed"))
    return found


def peak(requests):
    """The most requests in WINDOW seconds"""
    times = sorted(request["time"] for request in requests)
    most = first = 0
    for i, time in enumerate(times):
        while times[first] < time - WINDOW:
            first += 1
        most = max(most, i - first + 1)
    return most


def of_run(run):
    """run: what `play` has seen"""
    found = list(run["wrong"])
    for key, made in run["made"].items():
        allowed = run["allowed"].get(key, 0)
        if made > allowed:
            found.append(verdict(
                "twice", named("Deployment", key),
                f"was made {made} times, {allowed} were asked for",
                made - allowed))
    for thing in sorted(set(run["writes_at_the_end"])):
        found.append(verdict(
            "silence", thing, f"is still written after {run['waited']:.0f} s"))
    most = peak(run["requests"])
    if most > run["hot"]:
        found.append(verdict("requests", "", f"{most} requests in {WINDOW} s",
                             most))
    if run["alive"] is not True:
        found.append(verdict("ended", "", run["alive"]))
    return found


def beyond(verdicts, clean):
    """What the clean runs did not do as well, or not so often"""
    return [one for one in verdicts if not any(
        known["invariant"] == one["invariant"]
        and known["object"] == one["object"]
        and known["count"] >= one["count"] for known in clean)]
