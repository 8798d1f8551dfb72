"""What is measured of one operator, on a control plane of its own. README.md
of this folder explains each figure; the names are those of `table`."""

import random
import statistics
import time

import job
from controlplane import ControlPlane, Watch, wait_for, writes
from tree import Tree

COLD_STARTS = 5
FLOOR_CHANGES = 100
CONVERGE_SECONDS = 1800


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


class Run:
    def __init__(self, operator, objects, log):
        self.operator, self.objects, self.log = operator, objects, log
        self.figures = {}
        self.tree = None
        self.plane = ControlPlane()
        try:
            job.prepare(self.plane)
        except BaseException:
            self.plane.down()
            raise

    def end(self):
        try:
            self.kill()
        finally:
            self.plane.down()

    def start(self):
        self.plane.audit()
        self.tree = Tree(self.operator.command,
                         {"KUBECONFIG": self.plane.kubeconfig,
                          **self.operator.env}, self.log)

    def kill(self):
        if self.tree:
            tree, self.tree = self.tree, None
            tree.kill()

    def note(self, prefix, **figures):
        for name, value in figures.items():
            self.figures[f"{prefix}_{name}"] = value

    def note_memory(self, prefix):
        if not self.tree.alive():
            raise RuntimeError("the operator has ended")
        self.note(prefix, **self.tree.memory())

    def quiet(self, seconds, limit=600):
        """The verbs of what the operator asks until it has asked nothing for
        so many seconds."""
        verbs = []
        end = time.monotonic() + limit
        last = time.monotonic()
        while time.monotonic() - last < seconds:
            time.sleep(0.1)
            new = self.plane.audit()
            verbs += new
            if new:
                last = time.monotonic()
            if last > end:
                raise TimeoutError(f"it still asks after {limit} s")
        return verbs

    def make(self):
        """The Memcacheds, by (namespace, name)"""
        made = self.plane.many([
            ("POST", job.memcacheds(i), job.memcached(i, 1 + i % 5))
            for i in range(self.objects)])
        self.primaries = {job.key(m): m for m in made}

    # ---- the steps, in their order ----

    def idle(self):
        """Nothing to do: the first 5 s, then 10 more"""
        self.start()
        time.sleep(5)
        first = self.tree.cpu()
        self.note_memory("idle")
        before = self.tree.cpu()
        time.sleep(10)
        self.note("idle", first=first * 1000,
                  rate=(self.tree.cpu() - before) * 100)
        self.kill()

    def cold(self):
        """From exec to the event of the Deployment"""
        times = []
        for n in range(COLD_STARTS):
            primary = self.plane.must("POST", job.memcacheds(0),
                                      job.memcached(90000 + n, 3))
            watch = Watch(self.plane, job.APPS + "/deployments")
            self.start()
            self.until_right(watch, {job.key(primary): primary}, 60)
            times.append((time.monotonic() - self.tree.started) * 1000)
            self.kill()
            watch.close()
            for folder in job.memcacheds(0), job.deployments(0):
                path = f"{folder}/{primary['metadata']['name']}"
                self.plane.must("PATCH", path,
                                {"metadata": {"finalizers": None}})
                self.plane.must("DELETE", path)
        self.note("cold", ms=statistics.median(times))

    def until_right(self, watch, primaries, seconds):
        """Returns when each has its Deployment."""
        end = time.monotonic() + seconds
        missing = set(primaries)
        while missing:
            event = watch.event(end)
            if not event:
                raise TimeoutError(f"after {seconds} s {len(missing)} of "
                                   f"{len(primaries)} Deployments are not "
                                   "there or not right")
            key = job.key(event["object"])
            if key not in primaries:
                continue
            if (event["type"] != "DELETED"
                    and job.is_right(event["object"], primaries[key])):
                missing.discard(key)
            else:
                missing.add(key)

    def converge(self):
        """All Memcacheds exist when it starts. Then until it is quiet."""
        self.make()
        self.watch = Watch(self.plane, job.APPS + "/deployments")
        time.sleep(2)
        server = self.plane.cpu()
        self.start()
        self.until_right(self.watch, self.primaries, CONVERGE_SECONDS)
        seconds = time.monotonic() - self.tree.started
        verbs = self.quiet(5)
        self.note("converge", seconds=seconds, cpu=self.tree.cpu(),
                  writes=writes(verbs), requests=len(verbs),
                  server=self.plane.cpu() - server)
        self.note_memory("settled")

    def check(self):
        """The rest of the job: status.nodes, and repair"""
        key = min(self.primaries)
        namespace, name = key
        primary = self.primaries[key]
        pods = f"/api/v1/namespaces/{namespace}/pods"
        path = f"{job.KIND}/namespaces/{namespace}/memcacheds/{name}"
        deployment = f"{job.APPS}/namespaces/{namespace}/deployments/{name}"

        def nodes():
            status = self.plane.must("GET", path).get("status", {})
            return status.get("nodes", [])

        for pod in "pod-b", "pod-a":
            self.plane.must("POST", pods, job.pod(pod, name))
        wait_for("status.nodes has both Pods", 20,
                 lambda: nodes() == ["pod-a", "pod-b"])
        self.plane.must("DELETE", pods + "/pod-a?gracePeriodSeconds=0")
        wait_for("status.nodes has the other Pod", 20,
                 lambda: nodes() == ["pod-b"])
        self.plane.must("DELETE", pods + "/pod-b?gracePeriodSeconds=0")
        wait_for("status.nodes is empty", 20, lambda: nodes() == [])
        self.plane.must("PATCH", deployment, {"spec": {"replicas": 77}})
        self.until_event("the replicas are repaired", primary)
        self.plane.must("DELETE", deployment)
        self.until_event("the Deployment is made again", primary)
        self.quiet(2)
        self.note("job", checks=5)

    def until_event(self, what, primary):
        """Its Deployment was wrong or gone, and is right"""
        end = time.monotonic() + 20
        wrong = False
        while True:
            event = self.watch.event(end)
            if not event:
                raise TimeoutError(f"{what}: not within 20 s")
            if job.key(event["object"]) != job.key(primary):
                continue
            if (event["type"] == "DELETED"
                    or not job.is_right(event["object"], primary)):
                wrong = True
            elif wrong:
                return

    def resized(self, chance):
        """One of the Memcacheds, with another size"""
        primary = self.primaries[chance.choice(sorted(self.primaries))]
        old = primary["spec"]["size"]
        primary["spec"]["size"] = chance.choice(
            [size for size in range(1, 10) if size != old])
        return primary

    def changes(self, folder, field, count):
        """ms from before each PATCH to the event of the Deployment"""
        chance = random.Random(1)
        times = []
        for _ in range(count):
            primary = self.resized(chance)
            namespace, name = job.key(primary)
            before = time.monotonic()
            self.plane.must(
                "PATCH", folder.format(namespace) + "/" + name,
                {"spec": {field: primary["spec"]["size"]}})
            self.until_right(self.watch, {job.key(primary): primary}, 30)
            times.append((time.monotonic() - before) * 1000)
        return times

    def change(self):
        """Sizes are changed, one after the other."""
        count = max(20, self.objects // 5)
        self.plane.audit()
        cpu, server = self.tree.cpu(), self.plane.cpu()
        times = self.changes(job.KIND + "/namespaces/{}/memcacheds", "size",
                             count)
        verbs = self.quiet(2)
        self.note("change", p50=quantile(times, 0.5), p99=quantile(times, 0.99),
                  cpu=(self.tree.cpu() - cpu) * 1000 / count,
                  writes=writes(verbs) / count,
                  server=(self.plane.cpu() - server) * 1000 / count)
        self.kill()

    def restart(self, prefix="restart"):
        """Nothing to do: the first 15 s"""
        server = self.plane.cpu()
        self.start()
        time.sleep(15)
        verbs = self.plane.audit()
        self.note(prefix, cpu=self.tree.cpu(), writes=writes(verbs),
                  requests=len(verbs), server=self.plane.cpu() - server)
        self.note_memory(prefix)

    def noise(self):
        """Objects that are none of its business come; then a restart."""
        cpu = self.tree.cpu()
        for resource, make, count in (
                ("pods", job.foreign_pod, 2 * self.objects),
                ("secrets", job.foreign_secret, 3 * self.objects // 10)):
            self.plane.many([
                ("POST", f"/api/v1/namespaces/{job.namespace(i)}/{resource}",
                 make(i)) for i in range(count)])
        time.sleep(3)
        self.note("arriving", cpu=self.tree.cpu() - cpu)
        self.note_memory("arriving")
        self.kill()
        self.restart("noise")
        self.kill()

    def floor(self):
        """This program changes the Deployments itself: what the API server and
        this program take"""
        times = self.changes(job.APPS + "/namespaces/{}/deployments",
                             "replicas", FLOOR_CHANGES)
        self.note("floor", p50=quantile(times, 0.5), p99=quantile(times, 0.99))


STEPS = ("idle", "cold", "converge", "check", "change", "restart", "noise",
         "floor")


def measure(operator, objects, steps, log, say):
    """The figures; "error" says why some of them are missing."""
    run = Run(operator, objects, log)
    try:
        for step in steps:
            say(step)
            getattr(run, step)()
    except Exception as error:
        run.figures["error"] = f"{step}: {error or type(error).__name__}"
    finally:
        run.end()
    return run.figures
