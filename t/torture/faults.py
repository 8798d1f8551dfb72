"""The faults of one scenario: named by the operator's requests of a clean run,
by verb and object, or by a step. A fault is

    {"family": NAME, "plan": [lines of kapi's plan]}
    {"family": NAME, "do": "restart|restore|kill|stop", "step": N}

where a plan is taken back `forMs` after it was first applied, if that is there,
`step` counts from 1: right after that step. `restore` goes `back` to the
state before that many steps. The families are the rows of the table.
"""

import random

from servers import WRITES

RESTORED = "server restored to an older state"
FAMILIES = {
    "refused": "409, 422, 429, 500, 503 instead of a write",
    "unknown": "the same codes after the write was done",
    "denied": "401, 403 for 5 s",
    "reads": "410, 429, 500, 503 for a read, a list, a watch",
    "cut": "connection cut before or after the work",
    "frozen": "connection frozen",
    "delayed": "answer 3 s late",
    "ended": "watch cut, or ended by 410 or 500, at an event",
    "compacted": "watch cut, and history compacted",
    "held": "event of a primary held back 3 s",
    "held-owned": "event of a Deployment or Pod held back 3 s",
    "twice": "event sent twice",
    "stale": "stale list after a cut",
    "restart": "server restarted",
    "restore": RESTORED,
    "kill": "operator killed, and started again",
    "stop": "operator stopped for 3 s",
}
DENIED_MS = 5000
LOST = {"code": 410, "reason": "Expired"}


def place(request):
    """The members of a plan that mean this request"""
    if not request.get("verb"):
        return {"path": request["path"]}
    members = ("verb", "resource", "subresource")
    # The name of an object that is made is in its body, where no plan looks.
    if request["verb"] == "create":
        members += ("namespace",)
    elif request["verb"] not in ("list", "watch"):
        members += ("namespace", "name")
    return {key: request.get(key, "") for key in members}


def of_request(where, nth):
    """What can happen to that request, as (family, lines)"""
    verb = where.get("verb", "")
    at = {**where, "nth": nth}
    if verb in WRITES:
        for code in 409, 422, 429, 500, 503:
            yield "refused", [{**at, "code": code}]
            yield "unknown", [{**at, "code": code, "after": True}]
    else:
        for code in 410, 429, 500, 503:
            if code != 410 or verb in ("list", "watch"):
                yield "reads", [{**at, "code": code}]
    for code in 401, 403:
        yield "denied", [{**at, "code": code, "count": 0}]
    yield "cut", [{**at, "fault": "cut"}]
    if verb != "watch":
        yield "cut", [{**at, "fault": "cut", "after": True}]
    yield "frozen", [{**at, "fault": "freeze"}]
    yield "delayed", [{**at, "delayMs": 3000}]


def of_event(resource, event):
    at = {"verb": "watch", "resource": resource, "event": event}
    again = {"resource": resource, "nth": 1}
    yield "ended", [{**at, "fault": "cut"}]
    yield "ended", [{**at, **LOST}]
    yield "ended", [{**at, "code": 500}]
    yield "compacted", [{**at, "fault": "cut"},
                        {"verb": "watch", "resource": resource,
                         "nth": 2, "fault": "compact"}]
    yield ("held" if resource == "memcacheds" else "held-owned"), [
        {**at, "fault": "hold", "delayMs": 3000}]
    yield "twice", [{**at, "fault": "duplicate"}]
    yield "stale", [{**at, **LOST},
                    {**again, "verb": "list", "fault": "stale",
                     "versions": 3}]


def of_steps(steps):
    for step in range(1, steps + 1):
        for what in "restart", "kill", "stop":
            yield {"family": what, "do": what, "step": step}
        for back in 1, 2, 3:
            if step > back:
                yield {"family": "restore", "do": "restore", "step": step,
                       "back": back}


def enumerate_all(requests, changes, steps):
    """requests: of the clean run. changes: {resource: how many objects of it
    were changed}; only of those that it watches. Each request that was sent several times has faults at its
    first and its last."""
    counts = {}
    for request in requests:
        where = place(request)
        key = tuple(where.items())
        counts[key] = counts.get(key, 0) + 1
    for key, count in counts.items():
        for nth in sorted({1, count}):
            for family, lines in of_request(dict(key), nth):
                yield {"family": family, "plan": lines,
                       **({"forMs": DENIED_MS} if family == "denied" else {})}
    watched = {request.get("resource") for request in requests
               if request.get("verb") == "watch"}
    for resource in sorted(watched & changes.keys()):
        count = changes[resource]
        for event in range(1, count + 2):
            for family, lines in of_event(resource, event):
                yield {"family": family, "plan": lines}
    yield from of_steps(steps)


def sample(faults, each, seed):
    """At most `each` of every family, chosen by the seed"""
    found = {}
    for fault in faults:
        found.setdefault(fault["family"], []).append(fault)
    chosen = []
    for family in FAMILIES:
        some = found.get(family, [])
        chosen += random.Random(f"{seed}/{family}").sample(
            some, min(each, len(some)))
    return chosen
