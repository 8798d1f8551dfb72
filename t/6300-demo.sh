#!/bin/bash
# The demo: five scenes, without a terminal once, on one again and again; the
# operators of pipeline/; the recording in doc/. It leaves nothing behind.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
server=${SERVER:-kapi}
if [ "$server" = real ]; then
	code=0
	t/cluster/build >"$T/build.out" 2>&1 || code=$?
	[ "$code" -ne 100 ] || skip_all "$(tail -n 1 "$T/build.out")"
fi
unset NO_COLOR DEMO_PAUSE
export TERM=xterm

# In $T/path there is everything but kubectl.
mkdir "$T/path"
ln -s /usr/bin/* "$T/path"
rm -f "$T/path/kubectl"
[ "$server" = real ] || PATH=$BIN:$T/path

# nothing_left FOLDER WHAT: no process and no file of a demo with that TMPDIR
nothing_left() {
	is "$(ls -A "$1")$(pgrep -f "$1/")" "" "$2"
}

# as_always [FILE...]: what the demo says, without what differs from time to time
as_always() {
	sed -E -e 's/\r$//; s/\x1b\[[0-9]+m//g' \
		-e '/^ +\.\.\. waiting for /d' \
		-e 's/^ +[0-9.]+ m?s   ?/    N s   /; s/took [0-9.]+ m?s/took N s/' \
		-e 's,127.0.0.1:[0-9]+,127.0.0.1:N,; s,/[^ ]*/kpipe-demo\.[^/]*,DEMO,' \
		-e 's/(kill -9) [0-9]+/\1 N/; s/(delete pod) .*/\1 NAME/' \
		-e 's/; (set|changed) by /; by /' "$@"
}

scenes='1. Created: an object becomes a Deployment and three Pods.
   $ kubectl apply -f example.yaml
    N s   3 of 3 Pods are ready; their names are in the status.

2. Scaled by hand: the operator repairs it, and says who did it.
   $ kubectl scale deployment example --replicas=5
    N s   Repaired: .spec.replicas 5, wanted 3; by kubectl

3. Refused: a bad spec does not get past the API server.
   $ kubectl patch memcached example --type=merge -p '\''{"spec":{"size":-1}}'\''
    N s   The Memcached "example" is invalid: spec.size: Invalid value: -1:
            spec.size in body should be greater than or equal to 0

4. Pod lost: the Deployment that the operator made replaces it.
   $ kubectl delete pod NAME
    N s   3 of 3 Pods are ready again.

5. Stage killed: the spec changes right after, and nothing is lost.
   $ kill -9 N   # kapply, the stage that writes objects
   $ kubectl patch memcached example --type=merge -p '\''{"spec":{"size":5}}'\''
    N s   kapply was killed by SIGKILL; kpipe started the pipeline again.
            5 of 5 Pods are ready.

The five scenes took N s.'

# ---- without a terminal ----

mkdir "$T/once"
runs 0 "without a terminal and kubectl it ends with 0" \
	env TMPDIR="$T/once" make -s demo CLUSTER="$server" </dev/null
is "$(<"$T/err")" "" "... without a complaint"
cp "$T/out" "$T/once.out"
is "$(as_always "$T/once.out" | sed -n '/^1\./,$p')" "$scenes" \
	"five scenes: a sentence, the commands, the time, what came of it"
. t/readme.sh
readme_blocks ""
readme_files
sed 's/^    //' "$T/once.out" >"$T/unindented"
for file in reconcile.jq example.yaml; do
	ok "README's $file is on the screen" awk '
		NR == FNR { want[++n] = $0; next }
		$0 == want[seen + 1] { if (++seen == n) exit; next }
		{ seen = 0 }
		END { exit seen != n }' "$T/$file" "$T/unindented"
done
is "$(grep -c $'\x1b' "$T/once.out")" 0 "no colours"
is "$(grep -c 'Watch it live' "$T/once.out")" 0 \
	"... and no address of a page that is gone at once"
nothing_left "$T/once" "nothing of it is left"

# It is built now.
ln -sf true "$T/path/make"

# ---- on a terminal ----

# on_terminal NAME ARGUMENT...: the demo with these in the background. Its pid
# is in $demo, what it says in $T/NAME.out.
on_terminal() {
	local name=$1

	shift
	mkdir "$T/$name"
	TMPDIR=$T/$name start from 9 env --default-signal=INT,HUP script -qefc \
		"stty cols 80; exec t/demo $*" "$T/$name.out" >"$T/script.out" 2>&1
	demo=$!
	wait_for 60 test -s "$T/$name.out"
}
said() {
	grep -q -e "$2" "$T/$1.out"
}
mkfifo "$T/keys"
exec 9<>"$T/keys"

DEMO_PAUSE=0 on_terminal round "$server"
ok "on a terminal it goes round" wait_for 60 said round ' Resized'
shell=$(sed -n 's/\r$//; s/^    //; /^cd /p; /^\. /p' "$T/round.out")
is "$(grep -c . <<<"$shell")" 2 "... and says what a shell needs"
# In that shell its commands work.
type_there() {
	env -i HOME="$T" PATH="$T/path" sh -c "$shell
$1"
}
ok "... for the commands that are shown" grep -q ^example \
	<(type_there "kubectl get memcacheds")
ok "... and our own tools" grep -q '"kind":"Deployment"' \
	<(type_there "kwatch --once deployments -n default")
is "$(as_always "$T/round.out" | sed -n '/^1\./,/^The five/p')" "$scenes" \
	"the same five scenes"
if [ "$server" = kapi ]; then
	# kapi does not answer for a while.
	frozen=$(pgrep -f "^kapi --kubeconfig-out $T/round/")
	freeze "$frozen"
	ok "what takes 5 s is named" wait_for 60 said round '\.\.\. waiting for'
	kill -CONT "$frozen"
	before=$(grep -c ' Pod lost' "$T/round.out")
	goes_on() { [ "$(grep -c ' Pod lost' "$T/round.out")" -gt "$before" ]; }
	ok "... and it goes on" wait_for 60 goes_on
	ok "who takes away its object" wait_for 60 type_there \
		"kubectl delete memcached example"
	before=$(grep -c ' Pod lost' "$T/round.out")
	ok "... gets it back" wait_for 60 goes_on
fi
is "$(sed -n '/^It goes on/,$p' "$T/round.out" | as_always |
	grep -v '^[0-9][0-9:]*  \|^    N s   \|^          ' |
	grep -v '^It goes\|^Script\|^$')" "" "what comes round are times and ends"
ok "colours" grep -q $'\x1b\[32m' "$T/round.out"
printf '\003' >&9
wait "$demo"
is "$?" 130 "interrupted: exit code 130"
nothing_left "$T/round" "... and nothing is left"

NO_COLOR=1 on_terminal other "$server" iotservice
ok "OPERATOR=iotservice" wait_for 120 said other '^It goes on' ||
	quote <"$T/other.out"
is "$(sed '/^(kubectl is not/d; /^Script/d; /^$/d' "$T/other.out" | as_always |
	sed 's,cd .*/pipeline,cd pipeline,
		/N s   Processing$/d; /^$/d')" \
	"Starting an API server ($server), the playground and the operator ...
Watch it live: http://127.0.0.1:N/
The object is pipeline/iotservice/example.yaml:
   \$ kubectl apply -n demo -f example.yaml
    N s   Available
There are 5 deployments, 10 pods, 2 statefulsets.
Try it yourself, in another terminal:
    cd pipeline/iotservice
    . DEMO/env
    kubectl get iotservices -n demo
    kubectl get deployments,pods -n demo-example
    kubectl delete service cockpit-example -n demo-example
Watch it live: http://127.0.0.1:N/
It goes on until Ctrl-C." "... goes its way, and says what can be tried"
is "$(grep -c $'\x1b' "$T/other.out")" 0 "NO_COLOR"
kill -HUP "$(pgrep -P "$demo")"
wait "$demo"
is "$?" 143 "its terminal is closed: exit code 143"
nothing_left "$T/other" "... and nothing is left"

if [ "$server" = kapi ]; then
	mkdir "$T/pipe"
	TMPDIR=$T/pipe t/demo 2>/dev/null </dev/null | head -n 1 >"$T/head"
	is "$(<"$T/head")" \
		"Starting an API server (kapi), the playground and the operator ..." \
		"its reader goes away"
	nothing_left "$T/pipe" "... and nothing is left"
else
	mkdir "$T/early"
	TMPDIR=$T/early start setsid t/demo real >"$T/early.out" 2>&1
	demo=$!
	ok "the control plane begins to start" wait_for 60 said early ^Starting
	kill -- "-$demo" # all processes, as when a terminal goes
	wait "$demo"
	is "$?" 143 "... and is ended: exit code 143"
	nothing_left "$T/early" "... and nothing is left"
fi

is "$(as_always "$T"/{once,round,other}.out | grep -v ^Script |
	awk 'length > 80')" "" "no line has more than 80 columns"

# ---- the recording ----

if [ "$server" = kapi ]; then
	mkdir "$T/recorded"
	runs 0 "it is recorded again" env TMPDIR="$T/recorded" DEMO_PAUSE=0 \
		t/cast record "$T/new.cast"
	nothing_left "$T/recorded" "... and nothing is left"
	t/cast text "$T/new.cast" | as_always >"$T/new.text"
	t/cast text doc/demo.cast | as_always >"$T/old.text"
	same "$T/old.text" "$T/new.text" \
		"doc/demo.cast has these scenes, or make cast makes it again"
fi
t/cast draw doc/demo.cast >"$T/demo.svg"
same doc/demo.svg "$T/demo.svg" "doc/demo.svg is its picture"
python3 - "$T/demo.svg" >"$T/read" <<'END'
import sys
import xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
said = "\n".join("".join(t.itertext()) for t in root.iter(svg + "text"))
told = "\n".join(l for l in root.find(svg + "desc").text.split("\n") if l)
print(root.get("role"), root.find(svg + "title").text, said == told)
END
is "$(<"$T/read")" "img make demo, on a terminal True" \
	"... well-formed, with its text for those who do not see it"
ok "... and light" test "$(wc -c <doc/demo.svg)" -lt 20000
{
	echo '{"version": 2, "width": 80, "height": 36}'
	echo '[0, "o", "\u001b[1ma <b>\u001b[0m\r\n"]'
	echo '[2, "o", "c\r\n"]'
} >"$T/small.cast"
is "$(t/cast draw "$T/small.cast" | sed -n '/^@keyframes cover/,/^}/p
	/<text/p')" '@keyframes cover {
0% { transform: translateY(18px) }
25.00% { transform: translateY(36px) }
100% { transform: translateY(36px) }
}
<text xml:space="preserve" y="14"><tspan class="bold">a &lt;b&gt;</tspan></text>
<text xml:space="preserve" y="32">c</text>' "a line is uncovered when it came"
refuses_cast() { # TEXT MESSAGE
	echo "$1" >"$T/bad.cast"
	runs 100 "... $1" t/cast draw "$T/bad.cast"
	is "$(<"$T/err")" "t/cast: $T/bad.cast: $2" "... is refused"
}
refuses_cast '{"version": 1}' "not an asciicast of version 2: not of version 2"
refuses_cast '{"version": 2}
[0, "o", "\u001b[2Ja"]' "line 2: more than lines and styles: '\x1b[2Ja'"
refuses_cast '{"version": 2}
[0, "o", "\u001b[7ma"]' "line 2: a style that it does not know: 7"
runs 100 "... none" t/cast draw "$T/none.cast"
is "$(<"$T/err")" "t/cast: $T/none.cast: No such file or directory" \
	"... is refused"
runs 100 "... no file" t/cast draw
is "$(<"$T/err")" "usage: t/cast record FILE | text FILE | draw FILE" \
	"... is refused"

# ---- what is refused ----

runs 100 "an operator that is not there" t/demo kapi mine
is "$(<"$T/err")" "t/demo: no operator mine in pipeline/; there are: at cronjob experimental iotservice memcached
usage: t/demo [kapi | real [OPERATOR]]" "... is told those that are"
runs 100 "another API server" t/demo mine
is "$(<"$T/out")$(<"$T/err")" "t/demo: no API server mine
usage: t/demo [kapi | real [OPERATOR]]" "... is refused"
runs 100 "a pause of some time" env DEMO_PAUSE=1s t/demo
is "$(<"$T/err")" "t/demo: DEMO_PAUSE is not a number of seconds: 1s
usage: t/demo [kapi | real [OPERATOR]]" "... is refused"

mkdir "$T/no-go"
for tool in bash dirname; do
	ln -s "$(command -v "$tool")" "$T/no-go"
done
runs 100 "the real one without Go" env PATH="$T/no-go" t/demo real
is "$(<"$T/err")" "t/cluster/build: the control plane needs Go >= 1.26 to \
build; no go in PATH" "... it says what is missing"
done_testing
