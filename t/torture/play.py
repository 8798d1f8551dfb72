"""One play: a server, an operator, the steps of a scenario, one fault."""

import os
import signal
import subprocess
import time

import job
import judge
from client import Observer, Client
from servers import WRITES

# Until the first step is done by the operator, at most
SETTLING = 8
# What a kubelet waits before it starts a container that ended again: nothing,
# then this, twice as much each time.
BACK_OFF = 10
STOPPED = 3
NOT_WRITES = ("events", "leases")


class Stopped(Exception):
    """All plays are to end."""


class Operator:
    """A command that must run until it is told to end. If it ends, it is
    started again, as a kubelet does."""

    def __init__(self, command, env, log):
        self.command, self.env, self.log = command, env, log
        self.codes, self.again_at, self.process = [], None, None
        self.start()

    def start(self):
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(
                self.command, env=self.env, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True)
        self.again_at = None

    def look(self):
        if self.process.poll() is None:
            return
        if self.again_at is None:
            count = len(self.codes)
            self.codes.append(self.process.returncode)
            self.kill()
            self.again_at = time.monotonic() + (
                BACK_OFF * 2 ** (count - 1) if count else 0)
        if time.monotonic() >= self.again_at:
            self.start()

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def end(self, grace):
        """Its exit code; a text if it does not end"""
        if self.process.poll() is not None:
            return self.process.returncode
        self.process.terminate()
        try:
            return self.process.wait(grace)
        except subprocess.TimeoutExpired:
            return f"did not end within {grace} s of SIGTERM"


def written(request):
    return (f"{request['resource']} {request.get('namespace', '')}/"
            f"{request.get('name', '')}")


class Play:
    def __init__(self, server, operator, scene, fault, clean, folder, limits):
        self.server, self.scene, self.fault = server, scene, fault or {}
        self.clean, self.limits = clean, limits
        self.foreign, self.allowed, self.mine = {}, {}, set()
        self.saved, self.until = [], None
        self.client = server.client
        self.observer = Observer(Client(
            self.client.address, self.client.context, self.client.headers))
        if self.fault.get("plan"):
            server.plan([{"user": "operator", **line}
                         for line in self.fault["plan"]])
        env = {**os.environ, **operator.env, "KUBECONFIG": server.kubeconfig}
        self.operator = Operator(operator.command, env,
                                 folder + "/operator.log")

    def pause(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.limits["stopped"]():
                raise Stopped("interrupted")
            self.operator.look()
            self.take_back()
            time.sleep(min(left, 0.1))

    def take_back(self):
        """The plan, when its time is over"""
        if self.until is None and "forMs" in self.fault:
            times = [request["time"] for request in self.server.requests()
                     if request.get("fault")]
            if times:
                self.until = times[0] + self.fault["forMs"] / 1000
        elif self.until is not None and time.time() > self.until:
            self.server.forget_plan()
            self.until = float("inf")

    def wrong(self):
        found = judge.of_state(self.client.state(), self.foreign)
        return judge.beyond(found, self.clean)

    def allow(self, key, more=1):
        self.allowed[key] = self.allowed.get(key, 0) + more

    def settle(self):
        end = time.monotonic() + min(SETTLING, self.limits["patience"])
        while time.monotonic() < end and self.wrong():
            self.pause(0.1)

    def step(self, step):
        made = self.client.step(step)
        if step["do"] == "create":
            kind, key = step["object"]["kind"], job.key(step["object"])
            if step.get("foreign"):
                self.foreign[key] = made
                self.mine.add(made["metadata"]["uid"])
            elif kind == "Memcached":
                self.allow(key)
        elif step["do"] == "delete" and step["kind"] == "Deployment" and made:
            self.allow((step["namespace"], step["name"]))

    def disturb(self, number):
        """The fault that happens after this step"""
        if self.fault.get("step") != number:
            return
        what = self.fault["do"]
        if what == "restart":
            self.server.restart()
        elif what == "restore":
            self.server.restore(self.saved[number - self.fault["back"] - 1])
            for key in list(self.allowed):
                self.allow(key)
        elif what == "kill":
            self.operator.kill()
            self.operator.start()
        elif what == "stop":
            self.operator.signal(signal.SIGSTOP)
            self.pause(STOPPED)
            self.operator.signal(signal.SIGCONT)

    def steps(self):
        pause = self.limits["pause"]
        if pause is None:
            pause = self.scene["pauseMs"]
        for number, step in enumerate(self.scene["steps"], 1):
            self.step(step)
            if step.get("settle"):
                self.settle()
            else:
                self.pause(pause / 1000)
            if self.fault.get("do") == "restore":
                wanted = self.fault["step"] - self.fault["back"]
                self.saved.append(number == wanted
                                  and self.server.save("before"))
            self.disturb(number)

    def writes(self):
        return [request for request in self.server.requests()
                if request.get("verb") in WRITES
                and request["resource"] not in NOT_WRITES]

    def unexpected(self, writes):
        """What is written, but for what clean plays go on to write"""
        known = {one["object"] for one in self.clean
                 if one["invariant"] == "silence"}
        return [thing for thing in map(written, writes) if thing not in known]

    def finish(self):
        """Until all is as it should be, and nothing is written for a while;
        (seconds that took, what is wrong, who is written)"""
        begin = last = time.monotonic()
        count = len(self.writes())
        while True:
            self.pause(0.2)
            now = time.monotonic()
            wrong, writes = self.wrong(), self.writes()
            fresh = self.unexpected(writes[count:])
            count = len(writes)
            if wrong or fresh:
                last = now
            if now - last >= self.limits["quiet"]:
                return last - begin, [], []
            if now - begin >= self.limits["patience"]:
                since = time.time() - self.limits["quiet"]
                return now - begin, wrong, self.unexpected(
                    write for write in writes if write["time"] > since)

    def made(self):
        return {key: len(uids - self.mine)
                for key, uids in self.observer.uids.items()}

    def play(self):
        begin = time.monotonic()
        try:
            self.steps()
            seconds, wrong, writes = self.finish()
            alive = self.operator.end(self.limits["grace"])
        finally:
            self.operator.kill()
            self.observer.close()
        requests = self.server.requests()
        # One that ends by SIGTERM as if it knew no signal has ended.
        alive = alive if isinstance(alive, str) else True
        run = {"wrong": wrong, "made": self.made(), "allowed": self.allowed,
               "writes_at_the_end": writes, "waited": seconds,
               "requests": requests, "alive": alive,
               "hot": self.limits["hot"]}
        return {
            "verdicts": judge.beyond(judge.of_run(run), self.clean),
            "seconds": round(seconds, 1),
            "took": round(time.monotonic() - begin, 1),
            "requests": len(requests),
            "writes": len(self.writes()),
            "peak": judge.peak(requests),
            "made": {"/".join(key): count
                     for key, count in run["made"].items()},
            "ended": self.operator.codes,
            "hit": "plan" not in self.fault or any(
                request.get("fault") for request in requests),
        }
