#!/bin/bash
# kapi and pages in a browser: a page of another site neither reads nor writes,
# by none of the ways that browsers have; one that kapi names does both.
# check-all: browsers
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

command -v chromium-headless-shell chromium >"$T/browsers" ||
	skip_all "no chromium-headless-shell"

maps=/api/v1/namespaces/default/configmaps

# A site: an empty page at any path.
mkdir "$T/site"
echo '<!DOCTYPE html><html data-ready=1><title>x</title>' >"$T/site/index.html"
start python3 -u -m http.server --bind 127.0.0.1 --directory "$T/site" 0 \
	>"$T/site.log" 2>&1
wait_for 20 grep -q 'port [0-9]' "$T/site.log"
site=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$T/site.log")

# browse ADDRESS LINE...: what t/view/drive prints for each line
browse() {
	printf '%s\n' "${@:2}" | timeout 300 t/view/drive "$1" 2>"$T/drive.err"
	quote <"$T/drive.err" >&2
}
# Steps of a page: each gives what it came to.
secrets="/api/v1/secrets?watch=1\&sendInitialEvents=true\&resourceVersionMatch=NotOlderThan"
socket="new Promise((r) => { const w = new WebSocket('ws://KAPI$secrets'); \
w.onmessage = () => r('message'); w.onerror = () => r('error'); })"
events="new Promise((r) => { const e = new EventSource('http://KAPI$secrets'); \
e.onmessage = e.onopen = () => r('open'); e.onerror = () => r('error'); })"
read="fetch('http://KAPI/api/v1/secrets').then((a) => a.status, () => 'error')"
write() { # NAME MODE: without a type, so that no other question comes first
	echo "fetch('http://KAPI$maps', {method: 'POST', mode: '$2', body: \
new Blob([JSON.stringify({apiVersion: 'v1', kind: 'ConfigMap', \
metadata: {name: '$1'}})])}).then((a) => a.type + a.status, () => 'error')"
}
change="fetch('http://KAPI$maps/kube-root-ca.crt', {method: 'PATCH', headers: \
{'Content-Type': 'application/merge-patch+json'}, body: \
'{\"data\":{\"x\":\"y\"}}'}).then((a) => a.status, () => 'error')"
form="new Promise((r) => { const f = document.createElement('form'); \
const i = document.createElement('iframe'); i.name = 'i'; f.target = 'i'; \
f.method = 'POST'; f.enctype = 'text/plain'; f.action = 'http://KAPI$maps'; \
document.body.append(i, f); i.onload = () => r('loaded'); f.submit(); })"
frame="new Promise((r) => { const i = document.createElement('iframe'); \
i.src = 'http://KAPI/api/v1/secrets'; i.onload = () => { let t = 'hidden'; \
try { t = i.contentDocument ? i.contentDocument.body.textContent : t; } \
catch (e) {} r(t); }; document.body.append(i); })"
steps() { # KAPI NAME
	printf '%s\n' "$socket" "$events" "$read" "$(write "$2" no-cors)" \
		"$(write "$2-cors" cors)" "$change" "$form" "$frame" |
		sed "s|KAPI|$1|g"
}
run() { # ADDRESS KAPI NAME
	local lines

	mapfile -t lines < <(steps "$2" "$3")
	browse "$1" "${lines[@]}"
}
names() {
	ask GET $maps | jq -c '[.items[].metadata.name]'
}

# up OPTION...: kapi with a Secret
up() {
	kapi_up "$@"
	port=${url##*:}
	ask POST /api/v1/namespaces/default/secrets '{"apiVersion":"v1",
		"kind":"Secret","metadata":{"name":"s"}}' >/dev/null
}

up --journal "$T/journal"
: >"$T/journal"
nothing='"error"
"error"
"error"
"opaque0"
"error"
"error"
"loaded"
"hidden"'
for kapi_host in 127.0.0.1 localhost; do
	is "$(run "http://evil.example:$site/" "$kapi_host:$port" evil)" \
		"$nothing" "a page of evil.example, asking $kapi_host"
done
is "$(jq -c 'select(.code < 400) | [.method, .path, .code]' "$T/journal")" "" \
	"all was refused"
ways=$(jq -r '.method + " " + (.path | split("/") | last)' "$T/journal" |
	sort -u)
is "$ways" "GET secrets
OPTIONS kube-root-ca.crt
POST configmaps" "... and all was asked"
is "$(names)" '["kube-root-ca.crt"]' "... nothing was written"
: >"$T/journal"

# Its name leads to kapi now, and the page comes from there, too.
rebound=$(browse "http://evil.example:$port/" 1 2>&1)
is "$(jq -c '[.path, .code]' "$T/journal" | head -n 1) ${rebound##*drive: }" \
	'["/",403] not a page of kview' "DNS rebinding finds no page"
: >"$T/journal"

# A page of this machine, on another port: it may send, it may not read.
is "$(run "http://localhost:$site/" "127.0.0.1:$port" own | sed -n '1p;3,4p')" \
	'"message"
"error"
"opaque0"' "a page of this machine"
is "$(names)" '["kube-root-ca.crt","own","own-cors"]' "... writes"
kapi_down

up --cors-allowed-origins="^http://app.example:$site\$"
is "$(run "http://app.example:$site/" "127.0.0.1:$port" app)" '"message"
"error"
200
"opaque0"
"cors201"
200
"loaded"
"hidden"' "a page that is named reads and writes"
kapi_down
done_testing
