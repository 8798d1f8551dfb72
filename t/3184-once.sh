#!/bin/bash
# What doc/program.md says of once: an object that is deleted is created again,
# unless the program notes in the status that it was made. And of .error.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"

cluster_start
things_start
things_watches
things_example once
ok "the page has a program" test -s "$T/reconcile.jq"
thing t >/dev/null
# uid_is_new: of the ConfigMap a, and not $old
old=
uid_is_new() {
	new=$(uid cm a 2>/dev/null) && [ -n "$new" ] && [ "$new" != "$old" ]
}
made() {
	[ "$(kubectl get thing t -o jsonpath='{.status.made}')" = true ]
}
begin() {
	kpipe -f "$T/watches.yaml" 2>>"$T/log" &
	kpipe=$!
	started+=("$kpipe")
}
end() {
	kill "$kpipe"
	wait "$kpipe"
}

begin
ok "once, with a note in the status: created" wait_for 60 uid_is_new
ok "... noted" wait_for 60 made
kubectl delete cm a >/dev/null
kubectl annotate thing t touched=1 >/dev/null
end
# A later start begins with what is there: it would create what is outstanding.
runs 0 "a dry run after it was deleted" \
	kpipe -f "$T/watches.yaml" --dry-run
is "$(jq -r .kind "$T/out")" "" "... would not create it again"

kubectl delete thing t >/dev/null
cat >"$T/reconcile.jq" <<'END'
include "operator";
def desired: [once(config_map("a"; {}; {k: "v"}))];
def status: {error: .error, length: (.error | length),
    reason: (if .error == null then "Waiting"
      elif .error | test("not part of") then "Foreign" else "Other" end)};
END
thing t >/dev/null
begin
ok "once, without a note: created" wait_for 60 uid_is_new
old=$new
kubectl delete cm a >/dev/null
ok "... and again when it was deleted" wait_for 60 uid_is_new
end

# .error of what could not be applied is a placeholder in the program until the
# message is in the status; the program sees it there.
kubectl delete thing t >/dev/null
gone() {
	! kubectl get cm a >/dev/null 2>&1
}
wait_for 60 gone
kubectl create cm a >/dev/null # not ours
thing t >/dev/null
begin
status() {
	kubectl get thing t -o json | jq -c .status
}
told() {
	[ "$(status | jq -r .reason)" = Foreign ]
}
ok ".error of an item that fails is the message" wait_for 60 told
is "$(status | jq '.length == (.error | length)')" true \
	"... the whole of it"
end
failures=$(grep -c 'cannot apply' "$T/log")
fails_again() {
	[ "$(grep -c 'cannot apply' "$T/log")" -gt "$failures" ]
}
begin
ok "another process fails as well" wait_for 60 fails_again
ok "... it comes to rest" rests 2 status
ok "... with the same status" told
end
kubectl delete cm a >/dev/null
begin
ok "... until it can be applied" wait_for 60 uid_is_new
waiting() {
	[ "$(status | jq -r .reason)" = Waiting ]
}
ok "... then there is none" wait_for 60 waiting
end
done_testing
