#!/bin/bash
# The demo: on no terminal it ends by itself, with nothing left.
. "${0%/*}/lib.sh"
. "${0%/*}/cluster/lib.sh"
code=0
t/cluster/build >"$T/build.out" 2>&1 || code=$?
[ "$code" -ne 100 ] || skip_all "$(tail -n 1 "$T/build.out")"

runs 0 "it ends with 0" t/demo </dev/null
is "$(cat "$T/err")" "" "... without a complaint"
config=$(sed -n 's/^  export KUBECONFIG=//p' "$T/out")
is "$(sed -E 's/^ +[0-9]+\.[0-9] s/N s/; s,^  .*(kubectl|kwatch|KUBECONFIG=),  \1,
	s,^(KUBECONFIG=).*,\1,' "$T/out" | sed 's,  KUBECONFIG=.*,  KUBECONFIG=,')" \
	"Starting a control plane ...
Starting the playground and the IoTService operator ...
Creating pipeline/iotservice/example.yaml in namespace demo:
N s  Processing
N s  Available
Namespace demo-example: 5 deployments, 10 pods, 2 statefulsets.

Try, in another terminal:

  KUBECONFIG=
  kubectl get iotservices -n demo
  kubectl get all -n demo-example
  kubectl delete service cockpit-example -n demo-example   # comes back
  kubectl edit iotservice example -n demo
  kwatch -A pods,deployments | jq -c '[.type, .object.metadata.name]'" \
	"a few lines that a person can follow"
ok "the folder of its control plane is gone" test ! -e "${config%/*}"
is "$(pgrep -f "${config%/*}")" "" "... and its processes"

# Ended in the middle, as by Ctrl-C (which the shell ignores in background).
setsid env --default-signal=INT t/demo </dev/null >"$T/out" 2>"$T/err" &
demo=$!
started+=("$demo")
# The keeper of its control plane works in the folder of that.
keeper() {
	pgrep -f "^[^ ]*bash [^ ]*/keeper [^ ]* $demo "
}
under_way() {
	grep -q '^Creating' "$T/out"
}
ok "another one is under way" wait_for 60 under_way || note "$(cat "$T/err")"
config=$(readlink "/proc/$(keeper)/cwd")
ok "... and its control plane is known" test -f "$config/admin.kubeconfig"
kill -INT -- "-$demo"
wait "$demo"
is "$?" 130 "interrupted: exit code 130"
ok "the folder of its control plane is gone" test ! -e "$config"
is "$(pgrep -f "${config:-.}")" "" "... and its processes"

mkdir "$T/no-go"
for tool in bash dirname; do
	ln -s "$(command -v "$tool")" "$T/no-go"
done
runs 100 "without Go" env PATH="$T/no-go" t/demo
is "$(cat "$T/err")" "t/cluster/build: the control plane needs Go >= 1.26 to \
build; no go in PATH" "... it says what is missing"
done_testing
