# shellcheck shell=bash disable=SC2034
# What tests of recordings and of their page share. After t/lib.sh:
#
#	copies; deployment a 1	# an operator: a Secret for each Deployment
#	serve 127.0.0.1:0	# kview, of lines by descriptor 5
#	listen "$T/events"	# what its page gets
#	browse "$page"		# a browser has the page:
#	gives 'document.title' '"kpipe"' "..."

copies() {
	cat >"$T/watches.yaml" <<'EOT'
- group: apps
  version: v1
  kind: Deployment
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true}
EOT
	cat >"$T/program.jq" <<'EOT'
def desired: [{apiVersion: "v1", kind: "Secret",
	metadata: {name: .primary.metadata.name},
	stringData: {k: "SECRET\(.primary.spec.replicas)"}}];
def status: {replicas: .primary.spec.replicas};
EOT
}

# deployment NAME REPLICAS
deployment() {
	jq -cn --arg name "$1" --argjson n "$2" '{apiVersion: "apps/v1",
		kind: "Deployment", metadata: {name: $name, namespace: "default"},
		spec: {replicas: $n, selector: {matchLabels: {a: "b"}},
		template: {metadata: {labels: {a: "b"}},
		spec: {containers: [{name: "c", image: "i"}]}}}}' |
		kapply -o none
}

# serve ADDRESS [OPTION]...: its pid is in $kview
serve() {
	rm -f "$T/lines"
	mkfifo "$T/lines"
	exec 5<>"$T/lines" 6<"$T/lines"
	: >"$T/err"
	start from 6 kview --serve="$1" "${@:2}" 5>&- 8>&- 9>&- 2>"$T/err"
	kview=$!
	exec 6<&-
	find_page "$T/err"
}

# find_page LOG: its address in $address, for this machine in $page; $port
find_page() {
	wait_for 20 grep -q 'the page is at' "$1"
	address=$(sed -n 's/.*the page is at //p' "$1" | tail -n 1)
	page=${address/0.0.0.0/127.0.0.1}
	port=${page##*:} port=${port%/}
}

# listen FILE [CURL-OPTION]...: the events go there; the client is $client
listen() {
	start curl -sSk -N --max-time 300 "${@:2}" "${page}events" 5>&- \
		>"$1" 2>"$1.err"
	client=$!
}

# data FILE: the lines of JSON of events
data() {
	sed -n 's/^data: //p' "$1"
}

browser_needed() {
	command -v chromium-headless-shell chromium >"$T/browsers" ||
		skip_all "no chromium-headless-shell"
}

# browse PAGE [SIZE]: js talks to it from now on
browse() {
	rm -f "$T/to" "$T/from"
	mkfifo "$T/to" "$T/from"
	start bash -c "exec t/view/drive '$1' ${2:-1280x800} <'$T/to' >'$T/from' 2>>'$T/drive.err'" 5>&-
	exec 8>"$T/to" 9<"$T/from"
}

# js LINE: obeyed by t/view/drive; prints what it says
js() {
	local answer

	printf '%s\n' "$1" >&8
	read -r -t 300 answer <&9 || {
		quote <"$T/drive.err" >&2
		answer="no answer to $1"
	}
	printf '%s\n' "$answer"
}

# gives LINE WANT WHAT: what js prints
gives() {
	is "$(js "$1")" "$2" "$3"
}

# key NAME...
key() {
	local name

	for name; do
		js "!key $name" >/dev/null
	done
}
