#!/bin/bash
# The example of `random` in doc/program.md as an operator. A password stays the
# same when its Secret is lost and the operator is another process, for kpipe
# keeps the key; that is rotated, lost or spoilt while operators come and go:
# passwords that are in use stay, new ones differ, and what is wrong is named.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
things_watches 'random: true' \
	'dependents: [{apiVersion: v1, kind: Secret, manage: true}]'
things_example random
key=kpipe-marks-thing.example.com
# secret_of THING: the name of its only Secret; password THING: what is in it
secret_of() {
	kubectl get secrets -o json | jq -r --arg n "$1-" '.items[].metadata.name
		| select(startswith($n))'
}
password() {
	kubectl get secrets -o json | jq -er --arg n "$1-" '[.items[]
		| select(.metadata.name | startswith($n))][0].data.password // empty'
}
lose() { # THING: its Secret
	kubectl delete secret "$(secret_of "$1")" >/dev/null
}
keys() { # TEXT: the Secret has them from now on
	kubectl patch secret "$key" --type=merge \
		-p "{\"data\":{\"keys\":\"$(printf '%s' "$1" | base64 -w 0)\"}}" >/dev/null
}
thing a '{"version":1}' >/dev/null
things_run
ok "a password" wait_for 60 password a
a=$(password a)
is "$(base64 -d <<<"$a" | wc -c)" 22 "... of 22 characters"
first=$(kubectl get secret "$key" -o jsonpath='{.data.keys}' | base64 -d)
things_stop
lose a
is "$(password a)" "" "the Secret is deleted while no operator runs"
things_run
ok "another process makes one" wait_for 60 password a
is "$(password a)" "$a" "... with the same password"
things_stop

# ---- another first key ----

keys "fedcba9876543210fedcba9876543210
$first"
things_run
thing b '{"version":1}' >/dev/null
ok "a key is put in front: a new password" wait_for 60 password b
is "$(password a)" "$a" "... the one in use stays"
lose a
ok "... and is another one if it is lost" wait_for 60 password a
ok "... indeed" test "$(password a)" != "$a"
a=$(password a) b=$(password b)
things_stop

# ---- lost ----

kubectl delete secret "$key" >/dev/null
things_run
thing c '{"version":1}' >/dev/null
ok "the key is deleted: another one is made" wait_for 60 password c
ok "... which is there" kubectl get secret "$key"
is "$(password a) $(password b)" "$a $b" "... passwords in use stay"
is "$(grep -c "made Secret default/$key" "$T/err")" 1 "... it is logged"
kubectl delete secret "$key" >/dev/null
lose c
ok "while it runs the operator has it still" wait_for 60 password c
is "$(grep -c error: "$T/err")" 0 "... without an error"
things_stop

# ---- spoilt ----

things_run
thing d '{"version":1}' >/dev/null
ok "a key is made again" wait_for 60 password d
things_stop
d=$(password d)
ended() {
	! kill -0 "$operator" 2>/dev/null
}
# spoilt TEXT WHAT MESSAGE
spoilt() {
	keys "$1"
	things_run
	ok "$2: kpipe ends" wait_for 60 ended
	wait "$operator"
	is "$?" 100 "... for good"
	is "$(grep -c "Secret default/$key, keys.*$3" "$T/err")" 1 "... and says why" ||
		quote <"$T/err"
	is "$(password d)" "$d" "... nothing has changed"
}
spoilt short "a short key" "32"
spoilt "" "no key" ""
done_testing
