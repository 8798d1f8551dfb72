"""An operator: its processes, their CPU time and memory.

CPU time is exact: with root and a cgroup of version 2, its cpu.stat; else the
CPU clocks of the living, and what the kernel adds to a parent when a child has
ended (in ticks of 10 ms).
"""

import mmap
import os
import signal
import struct
import subprocess
import time

MEMORY = {"Pss": "pss", "Rss": "rss",
          "Private_Clean": "private", "Private_Dirty": "private"}


def process_cpu(pid):
    """CPU seconds of a process with all its threads, also those that ended:
    its CPU clock (clock_getcpuclockid(3))."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e9


def cgroup_folder():
    """Where a cgroup with cpu.stat can be made, or None."""
    with open("/proc/mounts") as file:
        mounts = [line.split()[1] for line in file
                  if line.split()[2] == "cgroup2"]
    for mount in mounts:
        folder = f"{mount}/kpipe-peers-{os.getpid()}"
        try:
            os.mkdir(folder)
        except OSError:
            continue
        found = os.path.exists(folder + "/cpu.stat")
        os.rmdir(folder)
        if found:
            return folder
    return None


def stat(pid):
    """(parent, CPU seconds of the children that ended)"""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    ticks = int(fields[13]) + int(fields[14])
    return int(fields[1]), ticks / os.sysconf("SC_CLK_TCK")


class Tree:
    """A command that was started, with all its processes."""

    cgroup = cgroup_folder()
    source = ("cpu.stat of a cgroup" if cgroup else
              "CPU clocks of the processes, ticks of those that ended")

    def __init__(self, command, env, log):
        clock = mmap.mmap(-1, 8)  # shared with the child

        def enter():
            if self.cgroup:
                with open(self.cgroup + "/cgroup.procs", "w") as file:
                    file.write("0")
            clock[:] = struct.pack("d", time.monotonic())

        if self.cgroup:
            os.mkdir(self.cgroup)
        try:
            with open(log, "ab") as output:
                self.process = subprocess.Popen(
                    command, env={**os.environ, **env},
                    stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                    start_new_session=True, preexec_fn=enter)
        except OSError:
            if self.cgroup:
                self.remove()
            raise
        # Just before exec
        self.started = struct.unpack("d", clock[:])[0]

    def pids(self):
        if self.cgroup:
            with open(self.cgroup + "/cgroup.procs") as file:
                return [int(line) for line in file]
        children = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    children.setdefault(stat(name)[0], []).append(int(name))
                except OSError:
                    pass  # it has ended
        found = [self.process.pid]
        for pid in found:
            found += children.get(pid, [])
        return found

    def cpu(self):
        """CPU seconds since the start, of those that ended as well"""
        if self.cgroup:
            with open(self.cgroup + "/cpu.stat") as file:
                values = dict(line.split() for line in file)
            return int(values["usage_usec"]) / 1e6
        return sum(process_cpu(pid) + stat(pid)[1] for pid in self.pids())

    def memory(self):
        """MiB, the sums over all processes, and how many those are"""
        sums = {"pss": 0, "rss": 0, "private": 0, "processes": 0}
        for pid in self.pids():
            try:
                with open(f"/proc/{pid}/smaps_rollup") as file:
                    lines = file.read().splitlines()[1:]
            except OSError:
                continue  # it has ended
            sums["processes"] += 1
            for line in lines:
                name, value = line.split(":")
                if name in MEMORY:
                    sums[MEMORY[name]] += int(value.split()[0]) / 1024
        return sums

    def alive(self):
        return self.process.poll() is None

    def kill(self):
        """kill -9 of all, as a node that fails would"""
        pids = self.pids()
        while pids:
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.wait()
            time.sleep(0.01)
            pids = self.pids() if self.cgroup else []
        if self.cgroup:
            self.remove()

    def remove(self):
        """The kernel still holds it for a moment."""
        for _ in range(200):
            try:
                os.rmdir(self.cgroup)
                return
            except OSError:
                time.sleep(0.01)
        raise RuntimeError(f"{self.cgroup} cannot be removed")
