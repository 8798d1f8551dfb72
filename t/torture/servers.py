"""The API servers on which operators are played: kapi, and the real control
plane (t/cluster). Each has a client of its own, and tells what the operator
asked, in the order of time:

    {"time": seconds since 1970, "verb", "group", "resource", "subresource",
     "namespace", "name", "path", "code", "changed", "fault"}, as far as known
"""

import datetime
import json
import os
import re
import ssl
import subprocess
import time
from base64 import b64encode
from urllib.parse import urlsplit

import controlplane
import job
from client import API_VERSIONS, Client, path_of

WRITES = controlplane.WRITES
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NAMESPACES = "/api/v1/namespaces"
EVERYTHING = [
    DEFINITIONS, NAMESPACES, "/api/v1/configmaps", "/api/v1/serviceaccounts",
    "/api/v1/services", "/apis/scheduling.k8s.io/v1/priorityclasses",
    "/apis/networking.k8s.io/v1/servicecidrs", job.KIND + "/memcacheds",
    job.APPS + "/deployments", "/api/v1/pods"]


def wait_for(what, seconds, condition):
    """Bounded: the value of the condition, once it is true"""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.02)
    return value


def seconds_of(text):
    return datetime.datetime.fromisoformat(
        text.replace("Z", "+00:00")).timestamp()


TITLES = {"kapi": "kapi", "real": "kube-apiserver"}


class Journal:
    """Lines of a file that grows, as requests of the operator."""

    def __init__(self, path, read):
        self.path, self.read, self.at, self.found = path, read, 0, []

    def requests(self):
        if os.path.exists(self.path):
            with open(self.path, "rb") as file:
                file.seek(self.at)
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self.at += len(line)
                    request = self.read(json.loads(line))
                    if request:
                        self.found.append(request)
        return self.found


class Server:
    def prepare(self):
        """The kind, and the second namespace"""
        self.client.ask("POST", DEFINITIONS, job.CRD)
        self.client.ask("POST", NAMESPACES, {"metadata": {"name": "other"}})
        self.client.ask("GET", job.KIND + "/memcacheds", missing={})
        wait_for("the kind is served", 60, lambda: self.client.ask(
            "GET", job.KIND + "/memcacheds", missing={}))

    def requests(self):
        return self.journal.requests()


MEMBERS = ("verb", "group", "resource", "subresource", "namespace", "name",
           "path", "code", "changed", "fault")


def of_kapi(line):
    if line.get("user") != "operator":
        return None
    found = {key: line[key] for key in MEMBERS if key in line}
    return {**found, "time": seconds_of(line["time"])}


KUBECONFIG = """apiVersion: v1
kind: Config
current-context: kapi
contexts:
- name: kapi
  context: {{cluster: kapi, user: operator}}
clusters:
- name: kapi
  cluster:
    server: https://127.0.0.1:{port}
    certificate-authority-data: {authority}
users:
- name: operator
  user: {{token: operator-token}}
"""


class Kapi(Server):
    def __init__(self, folder, program, certificates):
        self.folder, self.program = folder, program
        self.certificates = certificates
        self.kubeconfig = folder + "/kubeconfig"
        self.journal = Journal(folder + "/journal", of_kapi)
        with open(folder + "/tokens", "w") as file:
            for user in "operator", "client":
                file.write(f'{user}-token,{user},{user},"system:masters"\n')
        self.port = 0
        self.start([])
        self.write_kubeconfig()
        context = ssl.create_default_context(cafile=certificates + "/ca.crt")
        self.client = Client(("127.0.0.1", self.port), context, {
            "Authorization": "Bearer client-token", "User-Agent": "client"})
        self.prepare()

    def write_kubeconfig(self):
        with open(self.certificates + "/ca.crt", "rb") as file:
            authority = b64encode(file.read()).decode()
        with open(self.kubeconfig, "w") as file:
            file.write(KUBECONFIG.format(port=self.port, authority=authority))

    def start(self, options):
        served = self.folder + "/served"
        if os.path.exists(served):
            os.remove(served)
        with open(self.folder + "/kapi.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.program, f"--listen=127.0.0.1:{self.port}",
                 "--token-auth-file", self.folder + "/tokens",
                 "--tls-cert-file", self.certificates + "/tls.crt",
                 "--tls-private-key-file", self.certificates + "/tls.key",
                 "--save", self.folder + "/saved",
                 "--journal", self.folder + "/journal",
                 "--kubeconfig-out", served] + options,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)

        def serves():
            if self.process.poll() is not None:
                raise RuntimeError(f"kapi ended: {self.folder}/kapi.log")
            if not os.path.exists(served):
                return None
            with open(served) as file:
                return re.search(r"server: *https://127.0.0.1:(\d+)\n",
                                 file.read())

        self.port = int(wait_for("kapi serves", 60, serves)[1])

    def plan(self, lines):
        self.client.ask("POST", "/kapi/faults",
                        "\n".join(json.dumps(line) for line in lines))

    def forget_plan(self):
        self.client.ask("DELETE", "/kapi/faults")

    def end(self):
        self.process.kill()
        self.process.wait()

    def save(self, name):
        """The state now, for `restore`, with the version of now: a list of all
        that a new kapi has, and of what the job is about"""
        path = f"{self.folder}/{name}"
        items, version = [], 0
        for collection in EVERYTHING:
            found = self.client.ask("GET", collection)
            for item in found["items"]:
                items.append({**item, "apiVersion": found["apiVersion"],
                              "kind": found["kind"].removesuffix("List")})
            version = max(version, int(found["metadata"]["resourceVersion"]))
        items.sort(key=lambda item: int(item["metadata"]["resourceVersion"]))
        items.append({"type": "BOOKMARK", "object": {
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"resourceVersion": str(version)}}})
        with open(path, "w") as file:
            for item in items:
                file.write(json.dumps(item) + "\n")
        return path

    def restart(self):
        """With all objects; the history is gone"""
        self.process.terminate()
        self.process.wait()
        self.start(["--load", self.folder + "/saved"])

    def restore(self, saved):
        """With the objects of before, as from a backup of etcd"""
        self.end()
        self.start(["--load", saved])


def of_audit(line):
    if line.get("user", {}).get("username") != controlplane.OPERATOR:
        return None
    where = line.get("objectRef", {})
    return {
        "time": seconds_of(line["requestReceivedTimestamp"]),
        "verb": line["verb"] if where else "",
        "path": urlsplit(line["requestURI"]).path,
        "group": where.get("apiGroup", ""),
        "code": line.get("responseStatus", {}).get("code", 0),
        **{key: where[key] for key in MEMBERS if key in where}}


class RealServer(Server):
    """etcd, kube-apiserver and the controllers that collect garbage and empty
    namespaces: t/cluster."""

    controllers = ("serviceaccount-controller,namespace-controller,"
                   "garbage-collector-controller")

    def __init__(self, folder):
        self.plane = controlplane.ControlPlane(self.controllers)
        self.folder = folder
        self.kubeconfig = self.plane.kubeconfig
        self.journal = Journal(self.plane.folder + "/audit.log", of_audit)
        self.client = Client(
            (self.plane.host, self.plane.port), self.plane.ssl,
            self.plane.headers)
        self.prepare()
        self.collects()

    def collects(self):
        """The garbage collector looks for new kinds every 30 s. Before that it
        collects nothing of theirs."""
        maps = NAMESPACES + "/default/configmaps"
        path = path_of("Memcached", "default")
        probe = self.client.ask("POST", path, {
            "apiVersion": API_VERSIONS["Memcached"], "kind": "Memcached",
            "metadata": {"name": "probe"}, "spec": {"size": 0}})
        self.client.ask("POST", maps, {"metadata": {
            "name": "probe", "ownerReferences": [{
                "apiVersion": probe["apiVersion"], "kind": probe["kind"],
                "name": "probe", "uid": probe["metadata"]["uid"]}]}})
        self.client.ask("DELETE", path + "/probe")
        wait_for("garbage is collected", 120, lambda: not self.client.ask(
            "GET", maps + "/probe", missing={}))

    def end(self):
        self.plane.down()

    def run(self, program, *arguments):
        subprocess.run([f"{controlplane.CLUSTER}/{program}", *arguments],
                       check=True, stdout=subprocess.DEVNULL, timeout=120)

    def restart(self):
        self.run("kill-apiserver", self.plane.folder)
        self.run("start-apiserver", self.plane.folder)

    def save(self, name):
        path = f"{self.folder}/{name}"
        self.run("data", "save", self.plane.folder, path)
        return path

    def restore(self, saved):
        self.run("data", "restore", self.plane.folder, saved)


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True,
                   stderr=subprocess.DEVNULL)


def certificates(folder):
    """An authority, and a certificate of 127.0.0.1 by it, which stays the same
    when kapi starts again. rustls takes no certificate that is both."""
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-nodes"]
    openssl("req", "-x509", *curve, "-subj", "/CN=authority", "-days", "2",
            "-keyout", folder + "/ca.key", "-out", folder + "/ca.crt")
    openssl("req", "-x509", *curve, "-subj", "/CN=kapi", "-days", "2",
            "-addext", "subjectAltName=IP:127.0.0.1",
            "-addext", "basicConstraints=critical,CA:FALSE",
            "-CA", folder + "/ca.crt", "-CAkey", folder + "/ca.key",
            "-keyout", folder + "/tls.key", "-out", folder + "/tls.crt")
    return folder
