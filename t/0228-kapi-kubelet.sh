#!/bin/bash
# kapi: logs, exec, attach and port-forward of Pods answer what annotations say.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=stay.sh
. "${0%/*}/stay.sh"
# A list forgets history, and so the texts of what was changed or deleted.
echo '{"verb":"list","resource":"pods","fault":"compact"}' >"$T/plan"
kapi_up --journal "$T/journal" --faults "$T/plan"
pods=/api/v1/namespaces/default/pods
note=playground.kpipe.dev

# pod NAME: with a container a, which runs
running='"state":{"running":{"startedAt":"2026-11-26T10:00:00Z"}}'
pod() {
	ask POST $pods "{\"metadata\":{\"name\":\"$1\"},\"spec\":{\"containers\":[
		{\"name\":\"a\",\"image\":\"x\"}]}}" >/dev/null
	container "$1" "$running"
}
# container POD STATE [PHASE]: its status
container() {
	ask PATCH "$pods/$1/status" "{\"status\":{\"phase\":\"${3:-Running}\",
		\"hostIP\":\"10.0.0.9\",\"containerStatuses\":[{\"name\":\"a\",
		\"image\":\"x\",\"imageID\":\"\",\"ready\":true,\"restartCount\":0,
		$2}]}}" application/merge-patch+json >/dev/null
}
# annotate POD NAME TEXT
annotate() {
	ask PATCH "$pods/$1" "$(jq -nc --arg k "$note/$2" --arg v "$3" \
		'{metadata: {annotations: {($k): $v}}}')" \
		application/merge-patch+json >/dev/null
}
# log POD [QUERY]: as it is
log() {
	curl -sSN --max-time 300 "$url$pods/$1/log${2:+?$2}"
}
message() {
	jq -r '"\(.code) \(.message)"'
}

# Logs.
pod one
annotate one logs $'one\n2026-11-26T11:00:00.5Z two\nthree'
is "$(log one)" $'one\ntwo\nthree' "a log"
is "$(log one timestamps=true)" "2026-11-26T10:00:00Z one
2026-11-26T11:00:00.5Z two
2026-11-26T11:00:00.5Z three" "... with times: given, and of the container"
is "$(log one tailLines=2)" $'two\nthree' "... the last lines"
is "$(log one tailLines=0)$(log one tailLines=9)" $'one\ntwo\nthree' \
	"... none of them, and more than there are"
is "$(log one sinceTime=2026-11-26T11:00:00Z)" $'two\nthree' "... since a time"
is "$(log one sinceSeconds=1)" "" "... since a second"
is "$(log one 'sinceTime=2026-11-26T11:00:01Z&tailLines=1')" "" \
	"... since a time, of the last"
is "$(log one limitBytes=5 | tr '\n' ,)" "one,t" "... so many bytes"
is "$(log one 'limitBytes=25&timestamps=true' | tr '\n' ,)" \
	"2026-11-26T10:00:00Z one," "... times count"
is "$(log one previous=true | message)" \
	'400 previous terminated container "a" in pod "one" not found' \
	"there was no run before"
curl -sS -D "$T/headers" -o "$T/out" "$url$pods/one/log"
is "$(tr -d '\r' <"$T/headers" | grep -i '^content-type')" \
	"content-type: text/plain" "text"
pod two
is "$(log two)$(curl -s -o "$T/out" -w '%{http_code}' "$url$pods/two/log")" 200 \
	"a Pod without annotations has an empty log"
annotate two logs.a own
annotate two logs all
is "$(log two)" own "an annotation of the container"
annotate two previous-logs before
container two '"state":{"running":{}},"lastState":{"terminated":{"exitCode":1}}'
is "$(log two previous=true)" before "the run before"

waits() { # STATE WANT WHAT
	container two "$1"
	is "$(log two | message)" "400 container \"a\" in pod \"two\" $2" "$3"
}
waits '"lastState":null,"state":{"running":null,"waiting":{"reason":"ErrImagePull"}}' \
	"is waiting to start: image can't be pulled" "an image that is not there"
waits '"lastState":null,"state":{"waiting":{"reason":"ImagePullBackOff"}}' \
	"is waiting to start: trying and failing to pull image" "... still"
waits '"lastState":null,"state":{"waiting":{"reason":"PodInitializing"}}' \
	"is waiting to start: PodInitializing" "... before the containers"
ask POST $pods '{"metadata":{"name":"new"},"spec":{"nodeName":"n",
	"containers":[{"name":"a","image":"x"}]}}' >/dev/null
is "$(log new | message)" '404 nodes "n" not found' "on a node that is not there"
ask POST /api/v1/nodes '{"metadata":{"name":"n"}}' >/dev/null
is "$(log new | message)" '400 container "a" in pod "new" is not available' \
	"before it has a status"

# A log that is followed.
start log one follow=true >"$T/followed"
follower=$!
lines() {
	[ "$(wc -l <"$T/followed")" -ge "$1" ]
}
wait_for 10 lines 3
annotate one logs $'one\n2026-11-26T11:00:00.5Z two\nthree\nfour'
wait_for 10 lines 4
annotate one logs $'another\nfive'
wait_for 10 lines 6
annotate one unrelated x
container one '"state":{"terminated":{"exitCode":0}}'
wait "$follower"
is "$(<"$T/followed")" $'one\ntwo\nthree\nfour\nanother\nfive' \
	"a log is followed until its container ends"
is "$(log one follow=true)" $'another\nfive' "one that has ended is told at once"
pod three
start log three 'follow=true&limitBytes=3' >"$T/followed"
follower=$!
annotate three logs abcdef
wait "$follower"
is "$(<"$T/followed")" abc "... until it has as many bytes as wanted"
streams() { # N: there were as many
	[ "$(grep -c '/log"' "$T/journal")" -ge "$1" ]
}
n=$(grep -c '/log"' "$T/journal")
start log three 'follow=true&tailLines=0' >"$T/followed"
follower=$!
wait_for 10 streams $((n + 1))
ask DELETE "$pods/three" >/dev/null
wait "$follower"
is "$(<"$T/followed")" "" "... until its Pod is gone"

pod eight
n=$(grep -c '/log"' "$T/journal")
start log eight follow=true >"$T/followed"
follower=$!
wait_for 10 streams $((n + 1))
annotate eight other x
ask GET $pods >/dev/null
for ((i = 100; i < 3000; i += 100)); do
	printf -v filler "%${i}s" ''
	config_map "filler-$i" "$filler"
done | KUBECONFIG=$T/kubeconfig kapply -o none
annotate eight logs $'one\ntwo'
wait_for 10 lines 2
annotate eight logs $'one\ntwo\nthree'
container eight '"state":{"terminated":{"exitCode":0}}'
wait "$follower"
is "$(<"$T/followed")" $'one\ntwo\nthree' \
	"a log is followed when nothing keeps the Pod as it was at the beginning"

# exec.
pod four
annotate four exec '
- {command: [sh, -c, "*"], stdout: "out\n", stderr: "err\n", exitCode: 7}
- {command: [cat, "**"], stdout: "begin\n", echo: true}
- {command: [sleep], seconds: 1}
- {command: ["true", 1]}'
annotate four attach '{stdout: hello, exitCode: 3}'
annotate four ports '{80: {echo: true}, 81: {greeting: "220 hi\n"},
	82: {answer: "HTTP/1.1 200 OK\r\n\r\n"}}'
# socket PROTOCOL PATH STEP...: what it brings, behind the head
socket() {
	stay t/server/websocket-client ${1:+-H "Sec-WebSocket-Protocol: $1"} \
		"$url$pods/$2" "${@:3}" 2>"$T/client.err" |
		awk 'NR == 1 { open = / 101 / } !open || told { print }
			/^Sec-WebSocket-Accept/ { told = 1 }'
	quote <"$T/client.err" >&2
}
all='stdout=true&stderr=true&stdin=true'
is "$(socket v5.channel.k8s.io "four/exec?$all&command=sh&command=-c&command=x" \
	frames)" 'Sec-WebSocket-Protocol: v5.channel.k8s.io
binary 1 <1>
binary 5 <1>out\n
binary 5 <2>err\n
binary 213 <3>{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: command terminated with exit code 7","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"7"}]}}
close 1000
end' "a command with two outputs and an exit code"
is "$(socket v4.channel.k8s.io "four/exec?stderr=true&command=sh&command=-c&command=x" \
	frames)" 'Sec-WebSocket-Protocol: v4.channel.k8s.io
binary 1 <2>
binary 5 <2>err\n
binary 224 <3>{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: error executing command [sh -c x], exit code 7","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"7"}]}}
close 1000
end' "... in version 4, and one output"
is "$(socket "" "four/exec?stdout=true&tty=true&command=sh&command=-c&command=x" \
	frames)" 'binary 1 <1>
binary 6 <1>out<13>\n
binary 6 <1>err<13>\n
binary 91 <3>command terminated with non-zero exit code: error executing command [sh -c x], exit code 7
close 1000
end' "... before version 4, on a terminal"
is "$(socket "v4.channel.k8s.io, v5.channel.k8s.io" "four/exec?$all&command=cat" \
	frame frame channel:0:hi frame channel:1:x "channel:4:{" channel:9:x \
	text:x ping:p frame raw:8282000000 raw:00ff00 frames)" \
	'Sec-WebSocket-Protocol: v5.channel.k8s.io
binary 1 <1>
binary 7 <1>begin\n
binary 3 <1>hi
pong 1 p
binary 35 <3>{"metadata":{},"status":"Success"}
close 1000
end' "standard input comes back until it ends"
is "$(socket v4.channel.k8s.io "four/exec?stdout=true&stdin=true&tty=true&command=cat" \
	frame channel:0:$'hi\n\4no' frames)" 'Sec-WebSocket-Protocol: v4.channel.k8s.io
binary 1 <1>
binary 8 <1>begin<13>\n
binary 5 <1>hi<13>\n
binary 35 <3>{"metadata":{},"status":"Success"}
close 1000
end' "... by a control character on a terminal"
is "$(socket v5.channel.k8s.io "four/exec?$all&command=sleep" raw:8282000000 \
	raw:00ff07 frames)" 'Sec-WebSocket-Protocol: v5.channel.k8s.io
binary 1 <1>
close 1000
end' "a stream that is not there is closed"
is "$(socket v5.channel.k8s.io "four/exec?stdout=true&command=sleep" frames)" \
	'Sec-WebSocket-Protocol: v5.channel.k8s.io
binary 1 <1>
binary 35 <3>{"metadata":{},"status":"Success"}
close 1000
end' "a command that takes its time"
is "$(socket v5.channel.k8s.io "four/exec?stdout=true&command=$(printf %s '$(id)')" \
	frames | sed -n '3s/start exec \\"[0-9a-f]*/start exec \\"ID/p' |
	sed 's/^binary [0-9]* <3>//' | jq -c '[.reason, .code, .message]')" \
	'["InternalError",500,"Internal error occurred: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec \"ID\": OCI runtime exec failed: exec failed: unable to start container process: exec: \"$(id)\": executable file not found in $PATH: unknown"]' \
	"a command that no rule is for is not found"
is "$(socket v4.channel.k8s.io "four/exec?stdout=true&command=/no/such" frames |
	sed -n '3s/^binary [0-9]* <3>//p' | jq -r .message | grep -o 'exec: "/.*')" \
	'exec: "/no/such": stat /no/such: no such file or directory: unknown' \
	"... by its path"
annotate four exec '{'
is "$(socket v4.channel.k8s.io "four/exec?stdout=true&command=ls" frames |
	grep -o 'annotation playground.kpipe.dev/exec: yaml' | head -n 1)" \
	"annotation playground.kpipe.dev/exec: yaml" "an annotation that is not right"
refused() { # STATUS-AND-BODY PROTOCOL PATH WHAT
	is "$(socket "$2" "$3" | grep -Ev '^[a-z-]+: |^(end|nothing)$')" \
		"HTTP/1.1 $1" "$4"
}
refused "403 Forbidden" v9.channel.k8s.io "four/exec?stdout=true&command=ls" \
	"a protocol that is not served"
refused "400 Bad Request
you must specify at least 1 of stdin, stdout, stderr" v5.channel.k8s.io \
	"four/exec?command=ls" "no stream"
refused "500 Internal Server Error
container not found (\"a\")" v5.channel.k8s.io \
	"one/exec?stdout=true&command=ls" "a container that runs no more"
refused "500 Internal Server Error
container a not found in pod one_default" v5.channel.k8s.io \
	"one/attach?stdout=true" "... is not attached to"

# attach.
is "$(socket v5.channel.k8s.io "four/attach?stdout=true" frames |
	sed -n 2,3p)" 'binary 1 <1>
binary 6 <1>hello' "attach prints what its annotation says"
pod five
annotate five logs "old"
is "$(socket v4.channel.k8s.io "five/attach?stdout=true&stdin=true" frame \
	channel:0:x run "curl -s -X PATCH -H 'Content-Type: \
application/merge-patch+json' --data-binary '{\"metadata\":{\"annotations\":\
{\"$note/logs\":\"old\\nnew\"}}}' $url$pods/five" frame \
	run "curl -s -X DELETE $url$pods/five" frames)" \
	'Sec-WebSocket-Protocol: v4.channel.k8s.io
binary 1 <1>
binary 5 <1>new\n
binary 35 <3>{"metadata":{},"status":"Success"}
close 1000
end' "... or what is added to the log, until the Pod goes"

# SPDY, as no client of t/6079 speaks it.
cat >"$T/spdy.py" <<'END'
import re, socket, struct, zlib


class Connection:
    def __init__(self, url, path, upgrade, protocol):
        host, port = re.fullmatch(r"http://([^:/]+):(\d+)", url).groups()
        self.socket = socket.create_connection((host, int(port)), 20)
        self.z = zlib.compressobj()
        self.got = b""
        self.socket.sendall(f"""POST {path} HTTP/1.1
Host: localhost
Connection: Upgrade
Upgrade: {upgrade}
X-Stream-Protocol-Version: {protocol}

""".replace("\n", "\r\n").encode())

    def control(self, kind, payload, fin=False):
        frame = struct.pack(">HHI", 0x8003, kind, fin << 24 | len(payload))
        self.socket.sendall(frame + payload)
        return frame + payload

    def open(self, stream, fin=False, **headers):
        block = struct.pack(">I", len(headers))
        for text in (t for pair in headers.items() for t in pair):
            block += struct.pack(">I", len(text)) + text.encode()
        block = self.z.compress(block) + self.z.flush(zlib.Z_SYNC_FLUSH)
        self.control(1, struct.pack(">IIH", stream, 0, 0) + block, fin)

    def reset(self, stream):
        self.control(3, struct.pack(">II", stream, 5))

    def ping(self, number):
        return self.control(6, struct.pack(">I", number))

    def data(self, stream, data):
        self.socket.sendall(struct.pack(">II", stream, len(data)) + data)

    def until(self, *texts):
        while not any(t in self.got for t in texts):
            self.got += self.socket.recv(4096) or exit("it ends")
END
cat >"$T/exec.py" <<'END'
import sys
import spdy

c = spdy.Connection(*sys.argv[1:4], "v4.channel.k8s.io")
for step in sys.argv[4:]:
    what, number, name = step.split(":")
    if what == "reset":
        c.reset(int(number))
    else:
        c.open(int(number), what == "fin", streamtype=name)
c.until(b"Success", b" 400 ")
print(c.got.split(b"\r\n")[0].decode(), b"begin" in c.got)
END
# spdy UPGRADE STEP...: the answer, and whether the command began
spdy() {
	stay "$T/exec.py" "$url" \
		"$pods/four/exec?stdin=true&stdout=true&command=cat" "$@" 2>&1 |
		tail -n 1
}
annotate four exec '[{stdout: begin, echo: true}]'
is "$(spdy SPDY/3.1 fin:1:stdin open:3:stdout open:5:error)" \
	"HTTP/1.1 101 Switching Protocols True" \
	"standard input is opened and closed in one"
is "$(spdy spdy/3.1 open:1:stdin open:3:stdout open:5:error reset:1:)" \
	"HTTP/1.1 101 Switching Protocols True" "... is reset"
is "$(spdy other)" "HTTP/1.1 400 Bad Request False" \
	"another protocol than SPDY is refused"

# portforward.
is "$(socket v4.channel.k8s.io "four/portforward?ports=80,81&ports=82" \
	frame frame frame frame frame frame frame channel:0:hi frame \
	channel:2:x channel:1:x channel:9:x channel:4:GET frame close:1000 \
	frames)" 'Sec-WebSocket-Protocol: v4.channel.k8s.io
binary 3 <0>P<0>
binary 3 <1>P<0>
binary 3 <2>Q<0>
binary 3 <3>Q<0>
binary 3 <4>R<0>
binary 3 <5>R<0>
binary 8 <2>220 hi\n
binary 3 <0>hi
binary 20 <4>HTTP/1.1 200 OK<13>\n<13>\n
close 1000
end' "ports that echo, greet, and answer"
is "$(socket "" "four/portforward?ports=83" frames |
	sed 's/^\(binary\) [0-9][0-9]*/\1/; s/pod [0-9a-f-]*,/pod UID,/; s/"[0-9a-f-]*"/"UID"/')" \
	'binary <0>S<0>
binary <1>S<0>
binary <1>error forwarding port 83 to pod UID, uid : failed to connect to localhost:83 inside namespace "UID", IPv4: dial tcp4 127.0.0.1:83: connect: connection refused
close 1000
end' "a port on which nothing listens"
refused "403 Forbidden" channel.k8s.io "four/portforward?ports=80" \
	"a protocol that is not served"
refused "400 Bad Request
query parameter \"port\" is required" v4.channel.k8s.io four/portforward "no port"
refused "400 Bad Request
port \"0\" must be > 0" v4.channel.k8s.io "four/portforward?ports=0" "port 0"
container five '"state":{"terminated":{"exitCode":0}}' Succeeded
pod six
container six "$running" Succeeded
refused "500 Internal Server Error
pod not found (\"six_default\")" v4.channel.k8s.io \
	"six/portforward?ports=80" "a Pod that has ended"
is "$(jq -c 'select(.code == 101) | .subresource' "$T/journal" | sort -u |
	tr '\n' ' ')" '"attach" "exec" "portforward" ' "the journal has them"

# The proxy of a Service.
ask POST /api/v1/namespaces/default/services '{"metadata":{"name":"web"},
	"spec":{"ports":[{"port":65535}]}}' >/dev/null
through() { # PORT
	ask GET "/api/v1/namespaces/default/services/web:$1/proxy" |
		jq -r .message
}
is "$(through 65535)" 'no endpoints available for service "web"' \
	"no Pod answers behind a Service"
is "$(through 655359)" 'no service port 655359 found for service "web"' \
	"... whose port is another one"
is "$(through ------------------------------)" \
	'no endpoints available for service "web"' "... or a name, of any kind"

# Limits.
pod seven
cat >"$T/many.py" <<'END'
import re, resource, socket, sys

resource.setrlimit(resource.RLIMIT_NOFILE, (2048, 2048))
host, port = re.fullmatch(r"http://([^:/]+):(\d+)", sys.argv[1]).groups()


def follow():
    s = socket.create_connection((host, int(port)))
    s.sendall(f"GET {sys.argv[2]} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return s, s.recv(4096).split()[1].decode()


streams = [follow() for _ in range(1000)]
print(len(streams), {code for _, code in streams})
print("one more", follow()[1])
streams.pop()[0].close()
while follow()[1] != "200":
    pass
print("another in its place")
END
is "$(timeout 300 python3 "$T/many.py" "$url" "$pods/seven/log?follow=true")" \
	"1000 {'200'}
one more 429
another in its place" "a thousand streams at once"

# Memory of a port-forward that has had many connections.
ports=$(seq 2000 3000 | jq -sc 'map({key: "\(.)", value: {answer: "x"}}) |
	from_entries')
annotate four ports "$ports"
cat >"$T/forwards.py" <<'END'
import sys
import spdy

c = spdy.Connection(*sys.argv[1:], "SPDY/3.1", "portforward.k8s.io")
for i in range(1, 1200, 4):
    for stream, kind in (i, "error"), (i + 2, "data"):
        c.open(stream, streamtype=kind, port="2000", requestid=str(i))
    c.data(i + 2, b"x")
    c.until(c.ping(i))
    c.got = b""
END
size() { # KiB
	awk '/^VmRSS:/ { print $2 }' "/proc/$kapi/status"
}
before=$(size)
ok "300 connections of one port-forward" \
	timeout 300 python3 "$T/forwards.py" "$url" "$pods/four/portforward"
after=$(size)
# Each keeps its script, of 200 KiB, no longer than it lasts. A sanitizer does
# not give freed memory back.
case $BIN in *sanitize*) after=$before ;; esac
ok "... leave nothing" test $((after - before)) -lt 30000
kapi_down

# Rights.
cat >"$T/tokens" <<'END'
admin,admin,1,system:masters
reader,reader,2
END
kapi_up --token-auth-file "$T/tokens" --tls off --authorization-mode RBAC
# as USER METHOD PATH [BODY]
as() {
	ask "$2" "$3" "${4-}" application/json -H "Authorization: Bearer $1"
}
rbac=/apis/rbac.authorization.k8s.io/v1
# may VERB...: the reader may do this to exec, attach, portforward and log
may() {
	as admin DELETE $rbac/clusterroles/streams >/dev/null
	as admin POST $rbac/clusterroles "$(jq -nc '{metadata: {name: "streams"},
		rules: [{apiGroups: [""], resources: ["pods/exec", "pods/attach",
		"pods/portforward", "pods/log"], verbs: $ARGS.positional}]}' \
		--args "$@")" >/dev/null
}
as admin POST $rbac/clusterrolebindings '{"metadata":{"name":"streams"},
	"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
	"name":"streams"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io",
	"kind":"User","name":"reader"}]}' >/dev/null
# opens METHOD: what the reader is told about each
opens() {
	for what in exec attach portforward log; do
		as reader "$1" "$pods/x/$what" | message
	done | sort | uniq -c | sed 's/^ *//; s/ *$//'
}
may get
is "$(opens GET)" '3 403 pods "x" is forbidden:
1 404 pods "x" not found' "a GET alone does not open a stream"
may get create
is "$(opens GET)" '4 404 pods "x" not found' "... the right to create is needed"
may create
is "$(opens POST | grep -c '3 404 pods "x" not found')" 1 "... and enough for a POST"
kapi_down
done_testing
