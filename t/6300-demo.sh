#!/bin/bash
# The demo: without a terminal it ends after the last step, and leaves nothing
# behind.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
server=${SERVER:-kapi}
if [ "$server" = real ]; then
	code=0
	t/cluster/build >"$T/build.out" 2>&1 || code=$?
	[ "$code" -ne 100 ] || skip_all "$(tail -n 1 "$T/build.out")"
fi
export TMPDIR=$T

# A kubectl is somewhere.
mkdir "$T/somewhere"
ln -s "$(command -v true)" "$T/somewhere/kubectl"
runs 0 "it ends with 0" env PATH="$PATH:$T/somewhere" t/demo "$server" </dev/null
is "$(<"$T/err")" "" "... without a complaint"
# It is Processing at first, which nobody sees on a machine that is too slow.
is "$(sed -E '/^ +[0-9]+\.[0-9] s  Processing$/d
	s/^ +[0-9]+\.[0-9] s/N s/; s/[0-9.]+s\.$/N s./
	s,127.0.0.1:[0-9]+,127.0.0.1:N,
	s,^  .*(kubectl|kwatch|KUBECONFIG=),  \1,
	s,^(  KUBECONFIG=).*,\1,' "$T/out")" \
	"Starting an API server ($server) ...
Starting the playground and the IoTService operator ...
Watch it at http://127.0.0.1:N/
Creating pipeline/iotservice/example.yaml in namespace demo:
N s  Available
Namespace demo-example: 5 deployments, 10 pods, 2 statefulsets.
From nothing to Available: N s.

Try, in another terminal:

  KUBECONFIG=
  kubectl get iotservices -n demo
  kubectl get all -n demo-example
  kubectl delete service cockpit-example -n demo-example   # comes back
  kubectl edit iotservice example -n demo
  kwatch -A pods,deployments | jq -c '[.type, .object.metadata.name]'" \
	"a few lines that a person can follow"
config=$(sed -n 's/^  export KUBECONFIG=//p' "$T/out")
ok "the folder of its API server is gone" test ! -e "${config%/*}"
is "$(pgrep -f "${config%/*}")" "" "... and its processes"

# On a terminal, on a machine without kubectl: what it says to try works while it
# runs, until Ctrl-C.
mkdir "$T/second"
if [ -e /usr/bin/kubectl ]; then
	mkdir "$T/path"
	ln -s /usr/bin/* "$T/path"
	rm "$T/path/kubectl"
else
	ln -s /usr/bin "$T/path"
fi
mkfifo "$T/keys"
exec 9<>"$T/keys"
TMPDIR=$T/second PATH=$BIN:$T/path start from 9 env --default-signal=INT \
	script -qefc "t/demo $server" "$T/second.out" >/dev/null 2>"$T/err"
demo=$!
ok "another one, on a terminal" wait_for 60 grep -q '^Ctrl-C' "$T/second.out" ||
	note "$(cat "$T/err" "$T/second.out")"
ok "... has a folder" test -n "$(ls "$T/second")"
sed -n 's/\r$//; s/ *# comes back$//; s/^  //p' "$T/second.out" >"$T/hints"
config=$(sed -n 's/^export KUBECONFIG=//p' "$T/hints")
# try PATTERN: the hint with that in it; a stream ends
try() {
	KUBECONFIG=$config PATH=$T/path bash -c "$(grep -e "$1" "$T/hints" |
		sed 's/kwatch -A/kwatch --once -A/')" 2>"$T/err" </dev/null
}
if [ "$server" = kapi ]; then
	is "$(grep -c kubectl "$T/hints")" 0 "no kubectl, so none is called"
	is "$(try 'jq .object.status' | jq -r '.phase // empty')" Available \
		"the instance is Available"
	ok "its pods have names" grep -q '^cockpit-example-' \
		<(try 'jq -r .object.metadata.name')
	is "$(try DELETE | jq -r '.details.name // .metadata.name')" \
		cockpit-example \
		"a Service can be deleted"
	comes_back() {
		KUBECONFIG=$config kwatch --once services -n demo-example |
			grep -q '"name":"cockpit-example"'
	}
	ok "... and comes back" wait_for 30 comes_back
fi
ok "the hint with kwatch shows objects" grep -q '^\["ADDED","' <(try 'kwatch -A')
printf '\003' >&9
wait "$demo"
is "$?" 130 "interrupted: exit code 130"
is "$(ls "$T/second")" "" "the folder of its API server is gone"
is "$(pgrep -f "$T/second/")" "" "... and its processes"

mkdir "$T/no-go"
for tool in bash dirname; do
	ln -s "$(command -v "$tool")" "$T/no-go"
done
runs 100 "the real one without Go" env PATH="$T/no-go" t/demo real
is "$(<"$T/err")" "t/cluster/build: the control plane needs Go >= 1.26 to \
build; no go in PATH" "... it says what is missing"

runs 100 "another API server" t/demo mine
is "$(<"$T/out")$(<"$T/err")" "usage: t/demo [real]" "... is refused"
done_testing
