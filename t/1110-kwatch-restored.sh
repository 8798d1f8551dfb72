#!/bin/bash
# kwatch, and a server that was restored from a backup and has passed the versions
# that kwatch knows when it is asked again.
# servers: kapi real: etcd is restored
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=kwatch.sh
. "${0%/*}/kwatch.sh"
cluster_start

n=0
maps=/api/v1/namespaces/default/configmaps

# version: that the server has reached
version() {
	api "$maps" | jq '.metadata.resourceVersion | tonumber'
}
map() {
	kubectl create configmap "$1" >/dev/null
}
unmap() {
	kubectl delete configmap "$1" >/dev/null
}
# told TYPE NAME: that is the last that was said of it
told() {
	[ "$(short <"$T/out" | awk -v name="$2" '$2 == name {last = $1}
		END {print last}')" = "$1" ]
}
# restored COPY: ... and written to until the version that kwatch has is passed.
# kwatch knows nothing of it before.
restored() {
	local known

	known=$(version)
	freeze "$watcher"
	server_restore "$1"
	until map "passed-$((n += 1))"; [ "$(version)" -gt $((known + 5)) ]; do
		:
	done
	kill -CONT "$watcher"
}
went_back() {
	[ "$(grep -c "kwatch: warning: the server has gone back.*configmaps.* had another version" \
		"$T/err")" = "$1" ]
}

map kept
map early
start kwatch cm -n default >"$T/out" 2>"$T/err"
watcher=$!
ok "a watch" wait_for 30 told ADDED early
server_save "$T/start"
map between
ok "... goes on after a restart without a loss" wait_for 60 told ADDED between
is "$(grep back "$T/err")" "" "... and does not say that the server went back"

# What was created is gone.
server_save "$T/before"
map lost-1
map lost-2
wait_for 60 told ADDED lost-2
restored "$T/before"
ok "what was undone is DELETED" wait_for 90 told DELETED lost-1
wait_for 60 told DELETED lost-2
ok "... as the server has passed the version" went_back 1
ok "... what was written since is there" wait_for 60 told ADDED passed-1
ok "... and what is there is told again" told MODIFIED kept

# What was deleted is back. All that comes after the deletion is elsewhere.
server_save "$T/later"
map new
unmap early
unmap kept
wait_for 60 told DELETED kept
unmap new
wait_for 60 told DELETED new
restored "$T/later"
ok "a deletion that was undone: the object is ADDED" wait_for 90 told ADDED kept
ok "... all of them" wait_for 60 told ADDED early
ok "... as the server has passed the version" went_back 2
map last
ok "... and the watch goes on" wait_for 60 told ADDED last
stop 0
done_testing
