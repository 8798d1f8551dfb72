#!/bin/bash
# t/bench/peers and t/bench/plot, as far as they need no control plane: the
# table and the plot of a raw file, what an operator costs, whether a Deployment
# is right, and what is refused.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=stay.sh
. "${0%/*}/stay.sh"

peers=t/bench/peers raw=t/cases/0907/raw.json
export PYTHONDONTWRITEBYTECODE=1

# ---- the table ----

runs 0 "a table is made of a raw file" "$peers/table" "$raw"
same "$T/out" t/cases/0907/table.md "... with medians, and what failed"

# ---- the plot ----

runs 0 "a plot is made of it" t/bench/plot "$raw"
cp "$T/out" "$T/plot.svg"
cat >"$T/read.py" <<'END'
import sys
import xml.etree.ElementTree as xml
svg = "{http://www.w3.org/2000/svg}"
root = xml.parse(sys.argv[1]).getroot()
print(root.tag == svg + "svg", root.get("role"))
print(root.find(svg + "title").text)
print(root.find(svg + "desc").text)
kinds = [path.get("class") for path in root.iter(svg + "path")]
print(*(f"{kind}: {kinds.count(kind)}" for kind in ("line s0", "m0", "line s1",
                                                    "m1")))
print(*(text.text for text in root.iter(svg + "text")), sep="|")
END
runs 0 "... which is well-formed XML" python3 "$T/read.py" "$T/plot.svg"
same "$T/out" t/cases/0907/plot.txt \
	"... with texts for screen readers, two panels, marks for each figure"
ok "... and colours for dark pages" grep -q 'prefers-color-scheme: dark' \
	"$T/plot.svg"

# ---- what is refused ----

# refused MESSAGE COMMAND...
refused() {
	local message=$1

	shift
	runs 100 "refused: $*" "$@"
	is "$(<"$T/err")" "$message" "... says why"
}

echo '{"results": []}' >"$T/empty.json"
echo '{"results": [' >"$T/torn.json"
jq '.results |= map(select(.objects == 100))' "$raw" >"$T/one.json"
jq 'del(.results[].figures.converge_cpu)' "$raw" >"$T/no-cpu.json"
jq '.results[].figures.settled_pss = 0' "$raw" >"$T/zero.json"
for tool in "$peers/table" t/bench/plot; do
	refused "$tool: usage: ${tool##*/} FILE" stay "$tool"
	refused "$tool: $T/no.json: No such file or directory" \
		stay "$tool" "$T/no.json"
	refused "$tool: $T/empty.json: no results in it" \
		stay "$tool" "$T/empty.json"
	runs 100 "$tool refuses half a file" stay "$tool" "$T/torn.json"
	ok "... says why" grep -q "^$tool: $T/torn.json: not JSON: " "$T/err"
done
refused "t/bench/plot: $T/one.json: only one number of objects; make it with \
make bench-peers SIZES=100,1000,10000" stay t/bench/plot "$T/one.json"
refused "t/bench/plot: $T/no-cpu.json: no figure of ours" \
	stay t/bench/plot "$T/no-cpu.json"
refused "t/bench/plot: $T/zero.json: ours has a figure that is not above 0" \
	stay t/bench/plot "$T/zero.json"

there="ours, oursselect, go, go10, goselect, rust, rust10, rustcompare, kopf"
refused "$peers/run: argument --peers: no operator 'python'; there are $there" \
	stay "$peers/run" --peers 'ours python'
refused "$peers/run: argument --peers: no operator is named" \
	stay "$peers/run" --peers ' '
refused "$peers/run: argument --rounds: not a number above 0: '0'" \
	stay "$peers/run" --rounds 0
refused "$peers/run: argument --objects: not a number above 0: '1e3'" \
	stay "$peers/run" --objects 1e3
refused "$peers/run: argument --sizes: not a number above 0: ''" \
	stay "$peers/run" --sizes 100,,1000
refused "$peers/run: unrecognized arguments: --size 1" \
	stay "$peers/run" --size 1
refused "$peers/run: --out: $T/none is not a folder that can be written to" \
	stay "$peers/run" --out "$T/none/peers.json"
refused "usage: $peers/build go|rust|kopf" "$peers/build" java

# ---- what is missing ----

mkdir "$T/path"
for tool in bash env dirname sed; do
	ln -s "$(command -v "$tool")" "$T/path"
done
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$T/path/python3"
refused "$peers/build: the operator of controller-runtime needs Go >= 1.26 to \
build; no go in PATH" env PATH="$T/path" "$peers/build" go
refused "$peers/build: the operator of kube-rs needs cargo >= 1.89 to build; \
there is no cargo in PATH" env PATH="$T/path" "$peers/build" rust
refused "$peers/build: the operator of controller-runtime needs Go >= 1.26 to \
build; no go in PATH
$peers/run: go is missing (see above)" env PATH="$T/path" "$peers/run" \
	--peers go --out "$T/peers.json"

# ---- the job: README.md's operator does it, by the judge of all ----

cat >"$T/right.py" <<'END'
import json, subprocess, sys
sys.path.insert(0, "t/bench/peers")
import job

folder = sys.argv[1]
for name in "reconcile.jq", "watches.yaml":
    with open(f"{folder}/{name}", "w") as file:
        file.write(job.readme_file(name))
primary = job.memcached(7, 3)
primary["metadata"].update(namespace="bench-7", uid="some-uid")
items = json.loads(subprocess.run(
    ["ireconcile", "-f", folder + "/watches.yaml"], text=True, check=True,
    input=json.dumps(primary), stdout=subprocess.PIPE).stdout)["items"]
deployment = items[0]
print("right", job.is_right(deployment, primary))
def without(path, value):
    other = json.loads(json.dumps(deployment))
    place = other
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    print(*path, job.is_right(other, primary))
without(["spec", "replicas"], 2)
without(["metadata", "ownerReferences"], [])
without(["metadata", "labels", "app"], "other")
without(["metadata", "namespace"], "bench-8")
without(["spec", "template", "spec", "containers", 0, "image"], "other")
try:
    job.readme_file("no.jq")
except ValueError as error:
    print(error)
END
mkdir "$T/operator"
runs 0 "README.md's operator makes a Deployment" \
	python3 "$T/right.py" "$T/operator"
is "$(<"$T/out")" "right True
spec replicas False
metadata ownerReferences False
metadata labels app False
metadata namespace False
spec template spec containers 0 image False
README.md has no file no.jq" "... that is right, and others are not"

# ---- what an operator costs: also by children that ended ----

cat >"$T/cost.py" <<'END'
import os, sys, time
sys.path.insert(0, "t/bench/peers")
from tree import Tree

folder, cgroup = sys.argv[1:]
if cgroup == "without":
    Tree.cgroup = None
burn = ("import time\nwhile time.process_time() < 0.2: pass\n")
os.mkfifo(folder + "/" + cgroup)
tree = Tree(["sh", "-c",
             'python3 -c "$BURN"; echo >"$DONE"; sleep 1000 & wait'],
            {"BURN": burn, "DONE": folder + "/" + cgroup}, folder + "/log")
open(folder + "/" + cgroup).read()
while len(tree.pids()) != 2:
    time.sleep(0.01)
cpu, memory = tree.cpu(), tree.memory()
print("CPU", 0.18 < cpu < 5, "memory",
      0 < memory["private"] <= memory["pss"] <= memory["rss"],
      memory["processes"], "alive", tree.alive())
pids = tree.pids()
print("started", tree.started < time.monotonic() - 0.15)
tree.kill()
try:
    Tree(["no-such-command"], {}, folder + "/log")
except FileNotFoundError as error:
    print(error.strerror)
def running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
while any(map(running, pids)):
    time.sleep(0.01)
print("gone", not tree.alive())
END
for cgroup in with without; do
	runs 0 "CPU and memory of an operator, $cgroup a cgroup" \
		python3 "$T/cost.py" "$T" "$cgroup"
	is "$(<"$T/out")" "CPU True memory True 2 alive True
started True
No such file or directory
gone True" "... of all its processes"
done

done_testing
