#!/bin/bash
# kpipe tells the service manager (systemd) how it is: sd_notify(3).
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
BESIDE=kelect
# shellcheck source=kpipe.sh
. "${0%/*}/kpipe.sh"

cat >"$T/manager.py" <<'EOF2'
# A service manager: prints what comes to the socket, by one line each.
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("\0" + sys.argv[1][1:] if sys.argv[1][0] == "@" else sys.argv[1])
print("bound", flush=True)
while True:
    print(s.recv(4096).decode(), flush=True)
EOF2

# manage ADDRESS: a manager there; what it is told is in $D/told.
manage() {
	export NOTIFY_SOCKET=$1
	start python3 "$T/manager.py" "$1" >"$D/told"
	wait_for 30 test -s "$D/told"
}

# was_told WHAT
was_told() {
	wait_for 30 grep -qx "$1" "$D/told"
}

# told: what it was told; 0 of the watchdog.
told() {
	grep -vxE 'bound|WATCHDOG=1' "$D/told"
}

fresh
manage "$T/socket"
touch "$D/kapply.lazy"
begin
wait_for 30 starts 1
wait_for 30 grep -qx STATUS=starting "$D/told"
is "$(told | grep -v '^STATUS')" "" "a stage is not ready, so kpipe is not"
stops "SIGTERM"
was_told STOPPING=1
is "$(told | grep -v '^STATUS')" STOPPING=1 "... is told"

fresh
manage "@kpipe-test-$$"
begin
ok "an abstract address: ready" wait_for 30 grep -qx READY=1 "$D/told"
wait_for 30 grep -qx STATUS=ready "$D/told"
kill -KILL "$(pid_of kapply)"
wait_for 30 starts 2
ok "a restart shows in the status" \
	wait_for 30 sh -c "[ \"\$(grep -cx STATUS=ready $D/told)\" = 2 ]"
# It drains as long as its stages stand still.
standing=()
for stage in $STAGES; do
	standing+=("$(pid_of "$stage")")
done
freeze "${standing[@]}"
kill -TERM "$kpipe"
was_told STATUS=draining
kill -CONT "${standing[@]}"
ends 0 "SIGTERM"
is "$(told | uniq -d)" "" "nothing is told twice"
is "$(told | sed 's/STATUS=waiting/STATUS=stopping/' | uniq)" "STATUS=stopping
STATUS=starting
READY=1
STATUS=ready
STATUS=stopping
STATUS=starting
STATUS=ready
STOPPING=1
STATUS=draining" "all that it was told"
is "$(grep -lE '^export (NOTIFY|WATCHDOG)' "$D"/*.env)" "" "no stage has the address"
is "$(told | grep -c WATCHDOG)" 0 "no watchdog without one"

fresh
manage "$T/socket2"
touch "$D/kelect.lead"
begin --leader-elect
ok "the leader" wait_for 30 grep -qx "STATUS=ready, leader" "$D/told"
stops

### The watchdog

fresh
manage "$T/socket3"
WATCHDOG_USEC=100000 begin
ok "it is fed, again and again" \
	wait_for 30 sh -c "[ \"\$(grep -cx WATCHDOG=1 $D/told)\" -ge 5 ]"
freeze "$kpipe"
# What it has sent before is read first.
fed=-1
all_read() {
	local last=$fed

	fed=$(grep -cx WATCHDOG=1 "$D/told")
	[ "$fed" = "$last" ]
}
POLL=1 wait_for 30 all_read
ok "... and not by a process that hangs" \
	sh -c "sleep 0.5; [ \"\$(grep -cx WATCHDOG=1 $D/told)\" -le $((fed + 1)) ]"
kill -CONT "$kpipe"
stops
is "$(grep -lE '^export (NOTIFY|WATCHDOG)' "$D"/*.env)" "" "no stage is asked to feed it"

fresh
manage "$T/socket4"
WATCHDOG_USEC=100000 WATCHDOG_PID=1 begin
wait_for 30 grep -qx READY=1 "$D/told"
stops "that of another process"
is "$(grep -c WATCHDOG "$D/told")" 0 "... is not fed"

### No manager

fresh
export NOTIFY_SOCKET=$T/nobody
begin
ok "nobody listens: it runs" wait_for 30 ready
stops
ok "... and says so" grep -q \
	'warning: cannot tell the service manager READY=1: ' "$D/stderr"

for address in vsock:2:1234 / "@$(printf '%0120d' 0)"; do
	fresh
	export NOTIFY_SOCKET=$address
	begin
	ok "${address:0:20}: it runs" wait_for 30 ready
	stops
	is "$(said | head -n 1)" \
		"kpipe: warning: NOTIFY_SOCKET=$address: not a path and not @name" \
		"... and says what is wrong"
done
done_testing
