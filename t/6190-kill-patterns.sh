#!/bin/bash
# kill -9 of kpipe, and of each of its stages, at seeded writes of an operator
# that holds fields of others, gives them back, retains members, and deletes what
# is not its own: the end is that of a life without it, each field is given back
# once, nothing is left behind, and nothing is deleted but what the program chose.
#
# LIVES lives (8) of three kills each; SEED=N repeats them.
# servers: kapi real
# check-all: long faults
TEST_SECONDS=3600
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=operator.sh
. "${0%/*}/operator.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
RANDOM=${SEED:=$$}
note "SEED=$SEED"

folder=$T/kill
mkdir "$folder"
things_watches 'finalizer: example.com/kill' 'dependents:' \
	'- {apiVersion: v1, kind: Secret, manage: true}' \
	'- {apiVersion: v1, kind: PersistentVolumeClaim, manage: true, retain: true}' 'related:' \
	'- {apiVersion: v1, kind: ConfigMap, patch: true, delete: true, map: {field: "spec.maps[]"}}'
cat >"$folder/reconcile.jq" <<'END'
include "operator";
def name: .primary.metadata.name;
def desired: name as $n | .primary.spec as $s
  | [$s.hold[] | patch_only({apiVersion: "v1", kind: "ConfigMap",
      metadata: {name: "\($n)-h\(.)", labels: {team: $s.team},
        annotations: {"example.com/by": $n}}, data: {held: $s.team}})]
    + [range($s.claims) | retain({apiVersion: "v1", kind: "PersistentVolumeClaim"}
        + claim("\($n)-c\(.)"; "1Gi"))]
    + [range($s.secrets) | {apiVersion: "v1", kind: "Secret",
        metadata: {name: "\($n)-s\(.)"}, stringData: {k: "v"}}]
    + [.related.ConfigMap[] | select(.metadata.labels.old == "yes") | delete_foreign(.)];
def status: {error: .error, left: (.outstanding | length)};
END
folder_rights

# ---- witnesses ----

# Every version of every ConfigMap
curl -sN --cacert "$CLUSTER/certificates/apiserver.crt" \
	-H "@$CLUSTER/admin.header" \
	"$CLUSTER_SERVER/api/v1/namespaces/default/configmaps?watch=1" \
	>"$T/versions" &
started+=($!)
# The writes of the operator as they are done, on fd 6; those of the test that
# have "mark-" in their name, too.
mkfifo "$T/writes"
exec 6<>"$T/writes"
start bash -c 'tail -n +1 -f "$0" | jq --unbuffered -rR '\''fromjson?
	| (.user.username? // .user) as $u
	| select(.verb | . != "get" and . != "list" and . != "watch")
	| (.objectRef.name // .name // "") as $name
	| (.objectRef.resource // .resource // "") as $resource
	| select($resource != "events" and ($u == "user1" or ($name | startswith("mark-"))))
	| "\($u) \(.verb) \($resource) \($name)"'\' "$CLUSTER/audit.log" >"$T/writes"

# mark N: reads all writes before now
mark() {
	local line

	kubectl create secret generic "mark-$1" >/dev/null
	while read -r -t 60 line <&6; do
		[ "${line##* }" != "mark-$1" ] || return 0
	done
	flaw "the log has no mark $1"
}
# after_writes N: when the operator has written so often
after_writes() {
	local line n=0

	while [ "$n" -lt "$1" ] && read -r -t 60 line <&6; do
		n=$((n + 1))
	done
	[ "$n" -eq "$1" ] || flaw "only $n of $1 writes came"
}

# strike MARK KILL WRITES COMMAND...: kills what KILL says, so long after that of
# the operator's writes which COMMAND causes; it is told in $struck.
strike() {
	local target write delay pid command

	mark "$1"
	read -r target write delay <<<"$("$2" "$3")"
	RANDOM=$((RANDOM + write + delay))
	kills=$((kills + 1))
	struck="... $target is killed $delay ms after write $write"
	[ "$target" != none ] || struck="..."
	pid=$operator
	case $target in none|kpipe) ;; *)
		wait_for 20 has_stage "$target"
		pid=$(stage "$target")
		;;
	esac
	start "${@:4}" >/dev/null
	command=$!
	if [ "$target" != none ]; then
		after_writes "$write"
		sleep "0.0$(printf %02d "$delay")"
		kill -9 "$pid"
	fi
	wait "$command"
	[ "$target" = kpipe ] || return 0
	wait "$operator" 2>/dev/null
	operator --health-probe-bind-address 127.0.0.1:0
}

# ---- a life ----

# make_maps NAME FIRST LAST [LABELS]
make_maps() {
	local i

	for ((i = $2; i <= $3; i++)); do
		echo "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"$1$i\",\"namespace\":\"default\",\"labels\":{\"app\":\"x\"${4:-}}},\"data\":{\"own\":\"$i\"}}"
	done | kubectl create -f - >/dev/null
}
spec() { # HOLD SECRETS
	echo "{\"team\":\"a\",\"hold\":[$1],\"secrets\":$2,\"claims\":3,\"maps\":[$maps]}"
}
settled() {
	api "/apis/example.com/v1/namespaces/default/things/$1" | jq -e --argjson spec "$2" \
		'.spec == $spec and .status == {left: 0}'
}
# marks NAME: how many of its ConfigMaps are held
marks() {
	api "/api/v1/namespaces/default/configmaps" | jq --arg n "$1-" '[.items[]
		| select(.metadata.name | startswith($n)) | .metadata.annotations // {}
		| keys[] | select(startswith("kpipe.dev/"))] | length'
}
holds() {
	[ "$(marks "$1")" -eq "$2" ] && settled "$1" "$3"
}
# without NAME: its primary is gone, and nothing is held
without() {
	api_gone "/apis/example.com/v1/namespaces/default/things/$1" &&
		[ "$(marks "$1")" -eq 0 ]
}
# objects NAME: all that has to do with it, without what differs from life to life
objects() {
	local path

	for path in api/v1/namespaces/default/configmaps \
		api/v1/namespaces/default/secrets \
		api/v1/namespaces/default/persistentvolumeclaims \
		apis/example.com/v1/namespaces/default/things; do
		api "/$path" | jq -cS --arg n "$1-" '.items[]
			| select(.metadata.name | startswith($n))
			| select(.metadata.name | startswith($n + "f") | not)
			| [(.kind // "-"), (.metadata | .name[($n | length):], .labels,
				(.annotations // {} | keys), (.ownerReferences // [] | length),
				.deletionTimestamp,
				([.managedFields[]?.manager | sub("-[0-9a-f]{16}$"; "")] | sort)),
				.data]' |
			sed -E "s/$1/NAME/g; s/[0-9a-f]{32}/DIGEST/g"
	done
}
# gone_wrong NAME: objects that were deleted and not chosen, or chosen and are there
gone_wrong() {
	grep -F "\"name\":\"$1-f" "$T/versions" |
		jq -cR 'fromjson? | select(.type == "DELETED")
			| select(.object.metadata.labels.old != "yes") | .object.metadata'
	api /api/v1/namespaces/default/configmaps | jq -c --arg n "$1-f" '.items[].metadata
		| select((.name | startswith($n)) and .labels.old == "yes")'
}
# none_old NAME: all that is to be deleted is
none_old() {
	[ "$(api /api/v1/namespaces/default/configmaps | jq --arg n "$1-f" '[.items[].metadata
		| select((.name | startswith($n)) and .labels.old == "yes")] | length')" = 0 ]
}
# course NAME: "OBJECT: FIELDS, FIELDS, ..." as they changed, one line each
course() {
	jq -rcR --arg n "$1-h" 'fromjson? | .object | select(.metadata.name | startswith($n))
		| [.metadata.name[($n | length):], (.metadata | .labels.team,
			.annotations["example.com/by"]), .data.held]
		| "\(.[0]) \(.[1:] | map(if . == null then "-" else "+" end) | add)"' "$T/versions" |
		awk '$2 != last[$1] { all[$1] = all[$1] " " $2; last[$1] = $2 }
			END { for (k in all) print k ":" all[k] }' | sort
}

# label NAME VALUE: of a ConfigMap, which may be gone
label() {
	curl -s -m 20 -o /dev/null --cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "@$CLUSTER/admin.header" -X PATCH \
		-H "Content-Type: application/merge-patch+json" \
		-d "{\"metadata\":{\"labels\":{\"old\":\"$2\"}}}" \
		"$CLUSTER_SERVER/api/v1/namespaces/default/configmaps/$1"
}
# age NAME: its ten old ones; every second is spared at once, if it is still there
age() {
	local i

	for i in 0 1 2 3 4 5 6 7 8 9; do
		label "$1-f$i" yes
		[ $((i % 2)) -eq 0 ] || label "$1-f$i" no
	done
}
no_secrets() {
	! objects "$1" | grep -q '"s[0-9]"'
}

# none N: no kill; seeded N: a target, a write below N, and a delay in ms
none() {
	echo none 0 0
}
targets=(kpipe kapply kpipe ireconcile kpipe kwatch kpipe kstatus)
kills=0
seeded() {
	echo "${targets[kills % 8]} $((RANDOM % $1)) $((RANDOM % 30))"
}

# life NAME KILL: KILL (none, seeded) says what is killed, and when
life() {
	local name=$1 kill=$2 i before after what

	maps=$(printf '"%s",' "$name"-{h,f}{0..9})
	maps=${maps%,}
	make_maps "$name-h" 0 8
	make_maps "$name-h" 9 9 ',"team":"a"'
	make_maps "$name-f" 0 9
	before=$(spec 0,1,2,3,4,9 5) after=$(spec 4,5,6,7 2)
	thing "$name" "$before" >/dev/null
	ok "$name: fields are held" wait_for 60 holds "$name" 6 "$before"

	strike "$name-1" "$kill" 11 kubectl patch thing "$name" --type=merge \
		-p "{\"spec\":$after}"
	ok "$struck: others are, and those are given back" \
		wait_for 60 holds "$name" 4 "$after"
	objects "$name" >"$T/$name.changed"

	strike "$name-2" "$kill" 5 age "$name"
	ok "$struck: what is old is deleted" wait_for 60 none_old "$name"
	is "$(gone_wrong "$name")" "" "... nothing else"

	strike "$name-3" "$kill" 5 kubectl delete thing "$name" --wait=false
	ok "$struck: the primary goes, and nothing is held" wait_for 60 without "$name"
	ok "... its Secrets go" wait_for 60 no_secrets "$name"
	objects "$name" >"$T/$name.deleted"
	mark "$name-4"
	course "$name" >"$T/$name.course"
}

operator --health-probe-bind-address 127.0.0.1:0
life none none
is "$(grep -c . "$T/none.changed") $(grep -c . "$T/none.deleted")" "15 13" \
	"a life without a kill: objects are looked at"
is "$(<"$T/none.course")" "0: --- +++ ---
1: --- +++ ---
2: --- +++ ---
3: --- +++ ---
4: --- +++ ---
5: --- +++ ---
6: --- +++ ---
7: --- +++ ---
8: ---
9: +-- +++ +--" "... fields are taken once and given back once"
for ((n = 1; n <= ${LIVES:-8}; n++)); do
	life "life$n" seeded
	for what in changed deleted course; do
		same "$T/life$n.$what" "$T/none.$what" "... $what: as without a kill"
	done
done
is "$(audit_created user1 | grep -v '^1 ')" "" "nothing was created twice"
is "$(grep -c -e panic -e forbidden -e ' bug' "$T/operator.log")" 0 "no tool failed"
ok "the operator ends with 0" operator_stop
done_testing
