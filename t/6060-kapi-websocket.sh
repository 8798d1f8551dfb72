#!/bin/bash
# Watches as WebSockets, which the Java client fabric8 opens: the handshake, the
# events, and frames of the client, right and wrong.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
maps=$CLUSTER_SERVER/api/v1/namespaces/default/configmaps
# Of one object, so that what the server itself writes is not seen.
a="$maps?watch=true&fieldSelector=metadata.name%3Da"

map() { # NAME VALUE
	echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"'"$1"'"},
		"data":{"k":"'"$2"'"}}' >"$T/$1.json"
}

# client ARGUMENT...: what the connections bring
client() {
	timeout 300 t/server/websocket-client "$@" 2>"$T/client.err"
	quote <"$T/client.err" >&2
}
ca=(--ca "$CLUSTER/certificates/apiserver.crt")
admin=("${ca[@]}" -H "$(<"$CLUSTER/admin.header")")

# answers WANT WHAT ARGUMENT...: tried later, by `tried`: with events shortened,
# the answer is that. A WANT of one line is the first one.
wants=() whats=() requests=()
answers() {
	wants+=("$1") whats+=("$2") requests+=(-- "${@:3}")
}
tried() {
	local i got

	client "${requests[@]:1}" |
		sed -zE 's/\ntext [0-9]+ \{"type":"([A-Z]+)","object":\{"kind":"([A-Za-z]+)"[^\n]*\}\\n/\ntext \1 \2/g' \
			>"$T/answers"
	mapfile -t -d '' got <"$T/answers"
	for i in "${!wants[@]}"; do
		[[ ${wants[i]} == *$'\n'* ]] || got[i]=${got[i]%%$'\n'*}
		is "${got[i]%$'\n'}" "${wants[i]}" "${whats[i]}"
	done
	wants=() whats=() requests=()
}
accepted="HTTP/1.1 101 Switching Protocols
Upgrade: websocket
Connection: Upgrade
Sec-WebSocket-Accept: ACCEPT"
# frames WANT WHAT ARGUMENT...: as admin, the frames after the usual head
frames() {
	answers "$accepted
$1" "$2" "${admin[@]}" "${@:3}"
}

# Events.
map a v
frames "text ADDED ConfigMap
text DELETED ConfigMap
close 1000
end" "two events, and the client closes" "$a" run "kubectl create -f $T/a.json" \
	frame run "kubectl delete configmap a" frame close:1000 frames
tried
kubectl create -f "$T/a.json" >/dev/null
version=$(api "${maps#"$CLUSTER_SERVER"}" | jq -r .metadata.resourceVersion)
kubectl patch configmap a --type merge -p '{"data":{"k":"w"}}' >/dev/null
api "${a#"$CLUSTER_SERVER"}&resourceVersion=$version&timeoutSeconds=1" >"$T/line"
client "${admin[@]}" \
	"$a&resourceVersion=$version&timeoutSeconds=1" frames >"$T/message"
is "$(sed -n 5p "$T/message")" \
	"text $(wc -c <"$T/line") $(<"$T/line")\\n" \
	"a message is the same event as a line"
is "$(tail -n 2 "$T/message")" "close 1000
end" "... and timeoutSeconds closes"
frames "text ADDED ConfigMap
close 1000
end" "the path of the deprecated form" \
	"${maps/v1/v1/watch}/a" frame close: frames
frames "text ADDED ConfigMap
text BOOKMARK ConfigMap
close 1000
end" "initial events and their end" "$a&sendInitialEvents=true&\
resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1" \
	frames
frames "text ADDED Table
close 1000
end" "a table" -H "Accept: application/json;as=Table;g=meta.k8s.io;v=v1" "$a" \
	frame close: frames
map large "$(printf '%070000d' 0)"
kubectl create -f "$T/large.json" >/dev/null
frames "text ADDED ConfigMap
close 1000
end" "an event of more than 64 KiB" "${a%a}large" frame close: frames
audit_mark
frames "close 1000
end" "a custom resource's definitions" \
	"$CLUSTER_SERVER/apis/apiextensions.k8s.io/v1/customresourcedefinitions?\
watch=true" close: frames
tried
logged() {
	audit 'select(.responseStatus.code == 101)
		| "\(.verb) \(.objectRef.resource)"' |
		grep -qx "watch customresourcedefinitions"
}
ok "... is in the log with its code" wait_for 10 logged

# The handshake.
frames "close 1000
end" "headers in another way" -H "Connection: keep-alive, Upgrade" \
	-H "Upgrade: WebSocket" -H "Origin: file:x" "${a}x" close: frames
for protocol in binary.k8s.io base64.binary.k8s.io "any thing"; do
	frames "Sec-WebSocket-Protocol: $protocol
text ADDED ConfigMap
close 1000
end" "the subprotocol $protocol means nothing" \
		-H "Sec-WebSocket-Protocol: $protocol" "$a" frame close: frames
done
frames "close 1000
end" "no extension" -H "Sec-WebSocket-Extensions: permessage-deflate" "${a}x" \
	close: frames
answers "${accepted/ACCEPT/JVxkmtKFjDcI/Pm/AGPEKSN6wT8=}
close 1000
end" "any key" "${admin[@]}" -H "Sec-WebSocket-Key: x" "${a}x" close: frames
frames "close 1000
end" "HTTP/1.0" --http1.0 "${a}x" close: frames
refused() { # ANSWER WHAT ARGUMENT...
	answers "HTTP/1.1 $1
end" "$2" "${admin[@]}" "${@:3}" "$a"
}
refused "400 Bad Request" "two subprotocols" \
	-H "Sec-WebSocket-Protocol: binary.k8s.io, base64.binary.k8s.io"
for version in "" " 8"; do
	refused "400 Bad Request
Sec-WebSocket-Version: 13
missing or bad WebSocket Version" "version \"$version\"" \
		-H "Sec-WebSocket-Version:$version"
done
refused "400 Bad Request
mismatch challenge/response" "no key" -H "Sec-WebSocket-Key:"
refused "400 Bad Request
not websocket protocol" "Upgrade in the second Connection only" \
	-H "Connection: x" -H "Connection: upgrade"
for origin in "" " null" " http://x y" " 1a:/x" " http://h:x"; do
	refused "403 Forbidden" "origin \"$origin\"" -H "Origin:$origin"
done

# Answers of HTTP.
http() { # STATUS WHAT ARGUMENT...
	answers "HTTP/1.1 $1" "$2" "${admin[@]}" "${@:3}"
}
http "200 OK" "no Upgrade in Connection" -H "Connection: keep-alive" \
	"$a&timeoutSeconds=1"
http "200 OK" "several in Upgrade" -H "Upgrade: websocket, x" \
	"$a&timeoutSeconds=1"
http "200 OK" "a list" "$maps"
http "200 OK" "an object" "$maps/a"
http "200 OK" "... with watch=true" "$maps/a?watch=true"
http "400 Bad Request" "POST" -X POST "$maps?watch=true"
http "400 Bad Request" "a bad selector" "$maps?watch=true&labelSelector=a%3D%3D%3D"
http "404 Not Found" "nothing to watch" "${maps%maps}?watch=true"
http "406 Not Acceptable" "YAML" -H "Accept: application/yaml" "$a"
nobody() { # STATUS WHAT ARGUMENT...
	answers "HTTP/1.1 $1" "$2" "${ca[@]}" "${@:3}"
}
nobody "401 Unauthorized" "a bad token" -H "Authorization: Bearer x" "$a"

# A browser sends its token as a protocol, beside another one.
token=base64url.bearer.authorization.k8s.io.$(sed 's/.*Bearer //' \
	"$CLUSTER/admin.header" | tr -d '\n' | basenc -w 0 --base64url | tr -d =)
# browser PROTOCOL PROTOCOLS WHAT: the one that is taken
browser() {
	answers "$accepted
Sec-WebSocket-Protocol: $1
text ADDED ConfigMap
close 1000
end" "$3" "${ca[@]}" -H "Sec-WebSocket-Protocol: $2" "$a" frame close: frames
}
browser binary.k8s.io "$token, binary.k8s.io" "a token among the protocols"
browser x "x,$token" "... after another one"
nobody "400 Bad Request" "... beside two" \
	-H "Sec-WebSocket-Protocol: $token,a,b" "$a"
for protocols in "$token" "$token,$token,x" "${token%.*}.eA,x" "$token=,x"; do
	nobody "401 Unauthorized" "not: ${protocols//$token/TOKEN}" \
		-H "Sec-WebSocket-Protocol: $protocols" "$a"
done
nobody "101 Switching Protocols" "beside a header that is not valid" \
	-H "Authorization: Bearer x" -H "Sec-WebSocket-Protocol: $token,x" \
	"$a&timeoutSeconds=1"
status="401 Unauthorized"
! with_rights || status="403 Forbidden"
nobody "$status" "without a WebSocket it does not count" -H "X: y" \
	-H "Upgrade: x" -H "Sec-WebSocket-Protocol: $token,x" "$a&timeoutSeconds=1"

# Frames of the client.
frames "text ADDED ConfigMap
pong 5 hello
pong 0 
close 1000
end" "pings are answered, messages ignored" "$a" frame ping:hello frame \
	text:hi binary:xx pong:zz ping: frame close:4000 frames
frames "pong 1 a
close 1000
end" "a message in parts, with a ping in between" "${a}x" head:0180 ping:a \
	head:8080 frame close: frames
frames "close 1002" "a frame without mask" "${a}x" raw:8900 frame
frames "close 1000
end" "a message of 32 MiB and a byte" "${a}x" head:82ff0000000002000001 frames
frames "close 1000
end" "a close without code" "${a}x" head:8880 frames
frames "close 1000
end" "the client sends no more" "${a}x" shut frames
frames "close 1000
end" "... in the middle of a frame" "${a}x" raw:89 shut frames
# The real server takes these: RFC 6455 forbids them.
wrong() { # FRAME WHAT STEP...
	[ "$SERVER" = real ] || frames "close 1002
end" "$2" "${a}x" "head:$1" "${@:3}" frames
}
wrong 89fe00c8 "a ping of 200 bytes" zeros:200
wrong 0980 "a ping in parts"
wrong f980 "reserved bits"
wrong 8380 "an opcode that is not known"
wrong 8080 "a continuation of nothing"
wrong 0180 "a message in a message" head:0180
wrong 82ff8000000000000001 "a negative length"
wrong 82ff0000000000000001 "a length that is said in too many bytes"
wrong 8881 "half a code" zeros:1
wrong 8882 "no code" zeros:2

tried

# A version that the server has forgotten.
server_down
server_up
wait_for 60 api /readyz
frames "text ERROR Status
close 1000
end" "an old resourceVersion" "$a&resourceVersion=1" frames
tried
is "$(client "${admin[@]}" "$a&resourceVersion=1" frames |
	sed -n '5{s/text [0-9]* //;s/\\n$//;p}' |
	jq -c '.object | [.code, .reason]')" '[410,"Expired"]' "... is the error"
done_testing
