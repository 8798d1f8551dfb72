#!/bin/bash
# Before the first answer: discovery that never comes or is too large, and an
# exec plugin that hangs. Tools say what they wait for, and go on.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

thing='{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"b"},"status":{}}'

# A server that is silent, or sends 65 MiB.
cat >"$T/server.pl" <<'END'
use IO::Socket::INET;
my $s = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1") or die;
$| = 1;
print $s->sockport, "\n";
my @open;
$SIG{PIPE} = "IGNORE";
while (my $c = $s->accept) {
	push @open, $c;
	next if $ARGV[0] eq "silent";
	<$c>;
	print $c "HTTP/1.1 200 OK\r\nContent-Length: 68157440\r\n\r\n";
	print $c " " x 1048576 for 1 .. 65;
	close $c;
}
END

# server HOW: its address is in $url
server() {
	: >"$T/port"
	start perl "$T/server.pl" "$1" >"$T/port"
	wait_for 10 test -s "$T/port"
	url=http://127.0.0.1:$(<"$T/port")
}

# alone COMMAND...: with no descriptor of the test
alone() {
	local fd

	for fd in "/proc/$BASHPID/fd"/*; do
		fd=${fd##*/}
		[ "$fd" -le 2 ] || eval "exec $fd>&-"
	done
	exec "$@" <"$T/$1.in" 2>"$T/$1.in.err" >/dev/null
}

# begin TOOL ARGUMENT...: its messages are in $T/TOOL.err
begin() {
	mkfifo "$T/$1.in" 2>/dev/null
	start alone "$@"
	pid=$!
	exec 8>"$T/$1.in"
	echo "$thing" >&8
}

# log REGEX: a whole line of the messages of $name
log() {
	[[ $'\n'$(<"$T/$name.in.err")$'\n' =~ $'\n'($1)$'\n' ]]
}

for tool in "kwatch configmaps" kapply kstatus; do
	name=${tool%% *}
	server silent
	# shellcheck disable=SC2086
	begin $tool --server "$url"
	ok "$name names the server that does not say what it serves" \
		wait_for 10 log "$name: warning: waiting for $url to say what it serves \(/api\)"
	kill "$pid"

	server large
	# shellcheck disable=SC2086
	begin $tool --server "$url"
	ok "$name: an answer that is too large is named with its path" \
		wait_for 10 log ".*$url/apis?: the answer is larger than 64 MiB.*"
	ok "... and is no reason to end" kill -0 "$pid"
	kill "$pid"
done

# An exec plugin
cat >"$T/plugin" <<END
#!/bin/sh
ls -l /proc/self/fd >"$T/fds"
exec cat "$T/never"
END
chmod +x "$T/plugin"
mkfifo "$T/never"
cat >"$T/config" <<END
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1,
  interactiveMode: Never, command: $T/plugin}}}]
END
for tool in "kwatch configmaps" kapply kstatus; do
	name=${tool%% *}
	# shellcheck disable=SC2086
	begin $tool --kubeconfig "$T/config"
	ok "$name says that it waits for its plugin" wait_for 10 log \
		"$name: warning: waiting for the exec plugin $T/plugin, for at most 60 s"
	is "$(grep -o ' [0-9]* -> .*' "$T/fds" | awk '$1 > 2' | grep -v /proc/)" \
		"" "... which has none of its descriptors"
	kill "$pid"
done
done_testing
