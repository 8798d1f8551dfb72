"""Another client of the API server: plays steps, and reads the state."""

import http.client
import json
import threading
import time

import job

# A server that starts again, a name that is still taken
PATIENCE = 30
PLURALS = {"Memcached": "memcacheds", "Deployment": "deployments",
           "Pod": "pods"}
COLLECTIONS = {"Memcached": job.KIND, "Deployment": job.APPS,
               "Pod": "/api/v1"}
API_VERSIONS = {"Memcached": "cache.example.com/v1alpha1",
                "Deployment": "apps/v1", "Pod": "v1"}


class Refused(Exception):
    def __init__(self, what, status, body):
        super().__init__(f"{what}: {status} {body[:300].decode()}")
        self.status = status


def path_of(kind, namespace, name=None):
    path = f"{COLLECTIONS[kind]}/namespaces/{namespace}/{PLURALS[kind]}"
    return f"{path}/{name}" if name else path


class Client:
    """address: (host, port); context: of TLS; headers: the credential."""

    def __init__(self, address, context, headers):
        self.address, self.context, self.headers = address, context, headers
        self.connection = None

    def connect(self):
        return http.client.HTTPSConnection(*self.address, timeout=20,
                                           context=self.context)

    def once(self, verb, path, body=None):
        """The object that the server answers; OSError, HTTPException, Refused.
        """
        kind = "application/json"
        if verb == "PATCH":
            kind = "application/merge-patch+json"
        if not isinstance(body, (str, type(None))):
            body = json.dumps(body)
        self.connection = self.connection or self.connect()
        try:
            self.connection.request(verb, path, body, {
                **self.headers, "Content-Type": kind})
            answer = self.connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise
        if answer.status >= 300:
            raise Refused(f"{verb} {path}", answer.status, data)
        return json.loads(data) if data.strip() else None

    def ask(self, verb, path, body=None, missing=None):
        """As once, and again while the server is away. missing: what an object
        that is not there is instead of an error."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self.once(verb, path, body)
            except Refused as error:
                if error.status == 404 and missing is not None:
                    return missing
                if error.status not in (429, 500, 503) or (
                        time.monotonic() > end):
                    raise
            except (OSError, http.client.HTTPException):
                if time.monotonic() > end:
                    raise
            time.sleep(0.1)

    def create(self, thing):
        """None: it was there already, and is not being deleted."""
        path = path_of(thing["kind"], thing["metadata"]["namespace"])
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self.ask("POST", path, thing)
            except Refused as error:
                if error.status != 409:
                    raise
            old = self.ask("GET", f"{path}/{thing['metadata']['name']}",
                           missing={})
            if old and "deletionTimestamp" not in old["metadata"]:
                return None
            if time.monotonic() > end:
                return None
            time.sleep(0.1)

    def step(self, step):
        """What was made, for create; True if something was done; else None"""
        if step["do"] == "create":
            return self.create(step["object"])
        path = path_of(step["kind"], step["namespace"], step["name"])
        if step["do"] == "patch":
            return self.ask("PATCH", path, step["patch"], missing={}) and True
        options = {"propagationPolicy":
                   step.get("propagationPolicy", "Background")}
        return self.ask("DELETE", path, options, missing={}) and True

    def state(self):
        """{kind: {(namespace, name): object}}"""
        found = {}
        for kind, plural in PLURALS.items():
            items = self.ask("GET", f"{COLLECTIONS[kind]}/{plural}")["items"]
            for item in items:
                item.update(kind=kind, apiVersion=API_VERSIONS[kind])
            found[kind] = {job.key(item): item for item in items}
        return found


class Observer:
    """Counts how often each Deployment was made: the uids that a watch shows.
    One that came and went while the server was away is not counted."""

    def __init__(self, client):
        self.client = client
        self.uids = {}
        self.version = None
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.observe, daemon=True)
        self.thread.start()

    def see(self, thing):
        self.version = thing["metadata"]["resourceVersion"]
        self.uids.setdefault(job.key(thing), set()).add(
            thing["metadata"]["uid"])

    def observe(self):
        path = f"{job.APPS}/deployments"
        while not self.ends.is_set():
            try:
                if not self.version:
                    found = self.client.once("GET", path)
                    for item in found["items"]:
                        self.see(item)
                    self.version = found["metadata"]["resourceVersion"]
                self.watch(f"{path}?watch=1&resourceVersion={self.version}")
            except TimeoutError:
                pass  # silence
            except (OSError, ValueError, KeyError, Refused,
                    http.client.HTTPException):
                self.version = None
                self.ends.wait(0.05)

    def watch(self, path):
        connection = self.client.connect()
        try:
            connection.request("GET", path, headers=self.client.headers)
            answer_socket = connection.sock
            answer = connection.getresponse()
            answer_socket.settimeout(2)
            for line in answer:
                self.see(json.loads(line)["object"])
                if self.ends.is_set():
                    return
            raise http.client.IncompleteRead(b"")
        finally:
            connection.close()

    def close(self):
        self.ends.set()
        self.thread.join(5)
