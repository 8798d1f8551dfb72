#!/bin/bash
# The privileges that every process gives up at its start, as the kernel shows
# it; run by a user who is not root, as in a container.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

user=$(id -u)
as=()
if [ "$user" -eq 0 ]; then
	user=65532
	as=(setpriv "--reuid=$user" "--regid=$user" --clear-groups)
	# This tree may be in a folder that only root may read.
	cp -r "$BIN" "$T/bin"
	install -d "$T/lib"
	cp -r lib/jq "$T/lib"
	PATH=$T/bin:$PATH
fi
chmod 755 "$T"
install -d -m 700 -o "$user" "$T/own"
cd "$T/own" || exit
ulimit -c unlimited

start "${as[@]}" kapi --kubeconfig-out kubeconfig 2>kapi.err
kapi=$!
wait_for 10 test -s kubeconfig || quote <kapi.err
export KUBECONFIG=$T/own/kubeconfig
cat >"$T/own/watches.yaml" <<'END'
- {group: "", version: v1, kind: ConfigMap, program: p.jq, namespaces: [default]}
END
echo 'def desired: [];' >p.jq
chmod a+r watches.yaml p.jq

start "${as[@]}" kpipe -f watches.yaml --leader-elect --leader-election-id=x \
	--leader-election-namespace=default --metrics-bind-address=127.0.0.1:0 \
	--report-fd=9 9>ready 2>kpipe.err
kpipe=$!
wait_for 20 test -s ready || quote <kpipe.err
wait_for 20 grep -q 'metrics at' kpipe.err # kpipe does not wait for it

children() {
	cat "/proc/$kpipe/task/$kpipe/children"
}

# pid_of NAME: of kpipe's child
pid_of() {
	local pid

	for pid in $(children); do
		[ "$(<"/proc/$pid/comm")" != "$1" ] || echo "$pid"
	done
}

# gives_up NAME PID [PRIVILEGES]
gives_up() {
	is "$(awk '/^Max core/ { print $5 }' "/proc/$2/limits")" 0 \
		"$1 leaves no core dump"
	is "$(stat -c %u "/proc/$2/fd")" 0 "... is not dumpable"
	is "$(awk '/^NoNewPrivs/ { print $2 }' "/proc/$2/status")" "${3:-1}" \
		"... new privileges"
}

# shut PID: no process of the same user can look into it
shut() {
	local file

	for file in environ mem maps fd/0; do
		! "${as[@]}" head -c 1 "/proc/$1/$file" || return
	done
}

gives_up kapi "$kapi"
gives_up kpipe "$kpipe"
for tool in kwatch ireconcile kapply kstatus kelect kpipe-http; do
	pid=$(pid_of $tool)
	gives_up $tool "$pid"
	ok "... and shut to the same user" shut "$pid"
done

# --- the metrics of processes do not need that right
address=$(sed -n 's/.*metrics at //p' kpipe.err)
curl -sf --max-time 10 "http://$address/metrics" >page
fds() {
	local pid n=0

	for pid in "$kpipe" $(children); do
		n=$((n + $(find "/proc/$pid/fd" -mindepth 1 | wc -l)))
	done
	echo $n
}
# A few descriptors more or fewer do not matter.
now=$(fds)
ok "descriptors of all tools are counted" awk -v now="$now" \
	'/^process_open_fds/ { d = $2 - now; ok = d < 8 && d > -8 } END { exit !ok }' page
is "$(grep -c '^kpipe_tool_resident_memory_bytes' page)" 7 "so is their memory"
told_to_end "$kpipe" "kpipe ends"

# --- processes that the tools start
cat >look <<'END'
#!/bin/sh
awk '/^NoNewPrivs/ { print $2 }' /proc/self/status
ulimit -c
# (kelect may only be seen from here)
awk '/^Max core/ { print $5 }' /proc/$PPID/limits
stat -c %u /proc/$PPID/fd
END
chmod a+rx look
runs 0 "kelect with a command" "${as[@]}" kelect --lease y -n default -- ./look
is "$(<"$T/out")" "0
unlimited
0
0" "... which has all that it would have alone, unlike kelect"

cat >plugin <<'END'
#!/bin/sh
awk '/^NoNewPrivs/ { print $2 }' /proc/self/status >plugin.out
ulimit -c >>plugin.out
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t"}}'
END
chmod a+rx plugin
cat >with-plugin <<'END'
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}}}]
END
start "${as[@]}" kwatch pods --kubeconfig with-plugin 2>/dev/null
wait_for 10 grep -q 0 plugin.out
is "$(<plugin.out)" "1
0" "a plugin gets no new privileges, and leaves no core"

# --- a crash leaves no core dump
start "${as[@]}" kwatch pods >events
pid=$!
wait_for 10 test -s events
kill -ABRT "$pid"
wait "$pid" 2>/dev/null
is $? 134 "one that aborts"
is "$(find . -name 'core*')" "" "... leaves no core"

done_testing
