#!/bin/bash
# kwatch: namespaceSelector. The namespaces come and go by their labels; each
# has a watch for every kind; and the line of a Namespace comes when all that is
# in it was printed.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=rooms.sh
. "${0%/*}/rooms.sh"

rooms_up
namespace a a
namespace b
namespace c b
put a x
put b x
put c x
runs 0 "--once" kwatch --kubeconfig "$T/kubeconfig" -f "$T/watches.yaml" --once
is "$(short "$T/out" | sort)" "ADDED ConfigMap a/x
ADDED Namespace a
ADDED Thing a/x
begin ConfigMap
begin Namespace
begin Thing
end ConfigMap
end Namespace
end Thing" "... what is in selected namespaces, and these"
is "$(short "$T/out" | grep -n 'Namespace' | sort -t: -k1n | sed 's/.*://' | xargs)" \
	"begin Namespace ADDED Namespace a end Namespace" "... in order"
watching
ok "it is complete" wait_for 20 seen 1 "end Namespace"
before "ADDED Thing a/x" "ADDED Namespace a"
before "ADDED ConfigMap a/x" "ADDED Namespace a"

team b '"a"'
ok "a namespace gets the label" wait_for 20 seen 1 "ADDED Namespace b"
what="what is in it comes before it"
before "ADDED Thing b/x" "ADDED Namespace b"
before "ADDED ConfigMap b/x" "ADDED Namespace b"
ok "... it is logged" grep -qx "kwatch: namespace b is selected now" "$T/err"
put b y
ok "... and is watched" wait_for 20 seen 1 "ADDED Thing b/y"

team b null
ok "it loses the label" wait_for 20 seen 1 "DELETED Thing b/y"
what="what was in it goes after it"
before "DELETED Namespace b" "DELETED Thing b/x"
before "DELETED Namespace b" "DELETED ConfigMap b/x"
ok "... it is logged" grep -qx "kwatch: namespace b is not selected any more" "$T/err"
is "$(jq -r 'select(.type == "DELETED" and .object.kind == "Thing") | .object.metadata.annotations["kpipe.dev/synthetic"]' "$T/out" | sort -u)" \
	"true" "... and made up: the objects are still there"
put b z
put a y
ok "another one is watched all the time" wait_for 20 seen 1 "ADDED Thing a/y"
ok "... and that one is not" eval '! seen 1 "ADDED Thing b/z"'
team b '"a"'
ok "it comes again" wait_for 20 seen 2 "ADDED Namespace b"
what="with all that is there"
before "ADDED Thing b/z" "ADDED Namespace b"

ask DELETE /api/v1/namespaces/b >/dev/null
ok "it is deleted" wait_for 20 seen 2 "DELETED Namespace b"
namespace d a
put d x
ok "a new one" wait_for 20 seen 1 "ADDED Thing d/x"
is "$(jq -r 'select(.type == "BOOKMARK" | not) | .object | "\(.kind)/\(.metadata.namespace)"' "$T/out" |
	grep -c /c)" 0 "nothing of a namespace with another label was read"
kill "$kwatch"
wait "$kwatch"
is "$?" 0 "it ends"

# Two selectors: all Namespaces are read, and their labels are judged here.
cat >>"$T/watches.yaml" <<'END'
  related:
  - {apiVersion: v1, kind: Secret, namespaceSelector: team=b}
END
secret() {
	ask POST "/api/v1/namespaces/$1/secrets" "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"}}" >/dev/null
}
namespace e b
secret a
secret e
put e x
watching
ok "two selectors" wait_for 20 seen 1 "end Namespace"
ok "... all are complete" wait_for 20 seen 1 "end Secret"
ok "... each kind where it is selected" seen 1 "ADDED Secret e/s"
is "$(short "$T/out" | grep -E '(Secret a|Thing e)/')" "" "... and only there"
team e '"a"'
ok "a namespace changes from one to the other" wait_for 20 \
	seen 1 "DELETED Secret e/s"
what="the objects of one come before it, and those of the other go after it"
before "ADDED Thing e/x" "MODIFIED Namespace e" "DELETED Secret e/s"
is "$(short "$T/out" | grep -c 'ADDED Namespace e')" 1 "... it was known before"
team e null
ok "... and to none" wait_for 20 seen 1 "DELETED Thing e/x"
what="it is still known, and what was in it goes after it"
before "MODIFIED Namespace e" "DELETED Thing e/x"
kill "$kwatch"
wait "$kwatch"
sed -i '/related:/,$d' "$T/watches.yaml"

# Nothing is selected.
sed -i 's/team: a/team: none/' "$T/watches.yaml"
watching
ok "no namespace has the labels: complete" wait_for 20 seen 1 "end ConfigMap"
ok "... all kinds" wait_for 20 seen 1 "end Namespace"
is "$(short "$T/out" | grep -c ADDED)" 0 "... and empty"
kill "$kwatch"
wait "$kwatch"

kapi_down
done_testing
