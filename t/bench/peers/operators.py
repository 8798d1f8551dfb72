"""The operators that are compared: their commands and versions."""

import os
import re
import subprocess

import job

HERE = os.path.dirname(os.path.abspath(__file__))
# (program of `build`, arguments, environment, title)
PEERS = {
    "go": ("go", [], {}, "controller-runtime"),
    "go10": ("go", ["--workers=10"], {}, "controller-runtime, 10 workers"),
    "goselect": ("go", ["--workers=10", "--select"], {},
                 "controller-runtime, 10 workers, caches by label"),
    "rust": ("rust", [], {}, "kube-rs"),
    "rust10": ("rust", [], {"CONCURRENCY": "10"}, "kube-rs, concurrency 10"),
    "rustcompare": ("rust", [], {"CONCURRENCY": "10", "COMPARE": "1"},
                    "kube-rs, concurrency 10, applies differences"),
    "kopf": ("kopf", ["run", "--quiet", "--standalone", "--all-namespaces",
                      HERE + "/kopf/memcached.py"], {}, "kopf"),
}
OURS = {"ours": "kpipe", "oursselect": "kpipe, Pods by label"}
NAMES = [*OURS, *PEERS]


class Missing(Exception):
    """What the operator needs is not there; the text says what."""


class Operator:
    def __init__(self, name, title, version, command, env):
        self.name, self.title, self.version = name, title, version
        self.command, self.env = command, env


def version_in(name, pattern):
    with open(f"{HERE}/{name}") as file:
        return re.search(pattern, file.read())[1]


def version_of_peer(program):
    if program == "go":
        return "controller-runtime " + version_in(
            "go/go.mod", r"controller-runtime v(\S+)") + ", " + first_line(
                ["go", "env", "GOVERSION"])
    if program == "rust":
        return "kube-rs " + version_in(
            "rust/Cargo.lock", r'name = "kube"\nversion = "(.*)"') + (
                ", " + first_line(["rustc", "--version"]))
    return "kopf " + version_in(
        "kopf/requirements.txt", r"kopf==(\S+)") + ", " + first_line(
            ["python3", "--version"])


def first_line(command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd="/",
                          text=True).stdout.splitlines()[0]


def ours(name, work):
    folder = f"{work}/{name}"
    os.mkdir(folder)
    for file in "reconcile.jq", "watches.yaml":
        text = job.readme_file(file)
        if name == "oursselect":
            text = text.replace(
                "map: {label: memcached_cr}", "map: {label: memcached_cr}, "
                "selector: {matchLabels: {app: memcached}}")
        with open(f"{folder}/{file}", "w") as out:
            out.write(text)
    kpipe = os.environ.get("BIN", job.ROOT + "/bin") + "/kpipe"
    if not os.path.exists(kpipe):
        raise Missing(f"{name} needs bin/kpipe: make")
    return Operator(name, OURS[name], first_line([kpipe, "--version"]), [
        kpipe, "-f", folder + "/watches.yaml",
        "--health-probe-bind-address=127.0.0.1:0",
        "--metrics-bind-address=127.0.0.1:0",
    ], {})


def find(name, work):
    """Built if need be"""
    if name in OURS:
        return ours(name, work)
    program, arguments, env, title = PEERS[name]
    built = subprocess.run([HERE + "/build", program], text=True,
                           stdout=subprocess.PIPE)
    if built.returncode:
        raise Missing(f"{name} is missing (see above)")
    return Operator(name, title, version_of_peer(program),
                    [built.stdout.strip()] + arguments, env)
