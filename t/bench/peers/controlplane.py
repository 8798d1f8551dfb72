"""A control plane of its own (t/cluster), and requests to it as admin."""

import http.client
import json
import os
import shlex
import ssl
import subprocess
import threading
import time
from urllib.parse import urlsplit

import tree

CLUSTER = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "../../cluster")
# It limits no operator, and has no controllers that change what one made.
ARGUMENTS = ["--enable-priority-and-fairness=false",
             "--max-requests-inflight=4000",
             "--max-mutating-requests-inflight=4000"]
CONTROLLERS = "serviceaccount-controller"
# Who the operator is for the API server. The audit log knows it by that.
OPERATOR = "user1"
WRITES = ("create", "update", "patch", "delete", "deletecollection")
THREADS = 8


class Refused(Exception):
    def __init__(self, what, status, body):
        super().__init__(f"{what}: {status} {body[:300].decode()}")
        self.status = status


class ControlPlane:
    def __init__(self, controllers=CONTROLLERS):
        self.folder = subprocess.run(
            [CLUSTER + "/up", "--owner", str(os.getpid()), "--"] + ARGUMENTS,
            env={**os.environ, "CLUSTER_CONTROLLERS": controllers},
            stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
        env = dict(word.split("=", 1) for word in shlex.split(
            self.read("env")) if "=" in word)
        address = urlsplit(env["CLUSTER_SERVER"])
        self.host, self.port = address.hostname, address.port
        self.ssl = ssl.create_default_context(
            cafile=self.folder + "/certificates/apiserver.crt")
        name, value = self.read("admin.header").strip().split(": ", 1)
        self.headers = {name: value}
        self.kubeconfig = f"{self.folder}/{OPERATOR}.kubeconfig"
        self.pid = int(self.read("apiserver.pid"))
        self.audit_from = 0
        self.thread = threading.local()
        self.must("POST",
                  "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                  {"metadata": {"name": "operator"},
                   "roleRef": {"apiGroup": "rbac.authorization.k8s.io",
                               "kind": "ClusterRole", "name": "cluster-admin"},
                   "subjects": [{"kind": "User", "name": OPERATOR,
                                 "apiGroup": "rbac.authorization.k8s.io"}]})

    def read(self, name):
        with open(f"{self.folder}/{name}") as file:
            return file.read()

    def down(self):
        subprocess.run([CLUSTER + "/down", self.folder], check=True)

    def connect(self):
        return http.client.HTTPSConnection(self.host, self.port,
                                           context=self.ssl, timeout=120)

    def must(self, verb, path, body=None):
        """The object that the API server answers. PATCH: a merge patch."""
        connection = getattr(self.thread, "connection", None)
        if not connection:
            connection = self.thread.connection = self.connect()
        kind = "application/json"
        if verb == "PATCH":
            kind = "application/merge-patch+json"
        connection.request(verb, path, body and json.dumps(body),
                           {**self.headers, "Content-Type": kind})
        answer = connection.getresponse()
        data = answer.read()
        if answer.status >= 300:
            raise Refused(f"{verb} {path}", answer.status, data)
        return json.loads(data)

    def many(self, requests):
        """The answers to many requests (verb, path, body), in their order."""
        answers = [None] * len(requests)
        todo = iter(range(len(requests)))
        lock = threading.Lock()
        errors = []

        def work():
            while not errors:
                with lock:
                    i = next(todo, None)
                if i is None:
                    return
                try:
                    answers[i] = self.must(*requests[i])
                except Exception as error:  # raised again below
                    errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        return answers

    def audit(self):
        """The verbs of the operator's requests since the last call, but of
        watches, which are logged when they end."""
        verbs = []
        with open(self.folder + "/audit.log", "rb") as file:
            file.seek(self.audit_from)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.audit_from += len(line)
                if b'"username":"%s"' % OPERATOR.encode() not in line:
                    continue
                entry = json.loads(line)
                if (entry["user"]["username"] == OPERATOR
                        and entry["verb"] != "watch"):
                    verbs.append(entry["verb"])
        return verbs

    def cpu(self):
        """CPU seconds of kube-apiserver since its start."""
        return tree.process_cpu(self.pid)


def writes(verbs):
    return sum(verb in WRITES for verb in verbs)


class Watch:
    """The events of a collection from now on. The API server ends the watch of
    a slow reader, which this program is when an operator takes all cores; then
    it goes on where it was."""

    def __init__(self, plane, path):
        self.plane, self.path = plane, path
        found = plane.must("GET", path + "?limit=1")
        self.version = found["metadata"]["resourceVersion"]
        self.open()

    def open(self):
        self.connection = self.plane.connect()
        self.connection.request(
            "GET", f"{self.path}?watch=1&resourceVersion={self.version}",
            headers=self.plane.headers)
        self.socket = self.connection.sock
        self.answer = self.connection.getresponse()

    def event(self, end):
        """The next event, or None if there is none until then (monotonic)."""
        while True:
            self.socket.settimeout(max(end - time.monotonic(), 0.001))
            try:
                line = self.answer.readline()
            except TimeoutError:
                return None
            if line.endswith(b"\n"):
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise RuntimeError(f"watch of {self.path}: {event}")
                self.version = event["object"]["metadata"]["resourceVersion"]
                return event
            self.close()
            self.open()

    def close(self):
        self.connection.close()



def wait_for(what, seconds, condition):
    """The value of the condition, once it is true"""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise TimeoutError(f"{what}: not within {seconds} s")
