#!/bin/bash
# kpipe with filters of the operator between kwatch and ireconcile: order,
# environment, end, restarts and refusals, with stages that do nothing.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
BESIDE="kelect"
# shellcheck source=kpipe.sh
. "${0%/*}/kpipe.sh"

# The first wait without success ends the test: the next ones would take as long.

mkdir "$T/folder" "$T/bin"
echo 'def desired: []; def status: {};' >"$T/folder/program.jq"
# tag NAME FOLDER: appends the name to each line. In FOLDER it logs as a stub
# does, and does what the files there say: NAME.exit, NAME.once, NAME.deaf;
# NAME.code: at the end of its input, ends with this code.
cat >"$T/folder/tag" <<'END'
#!/bin/bash --posix
name=$1 dir=$2
pwd >"$dir/$name.pwd"
export -p >"$dir/$name.env"
for fd in {0..9}; do
	[ ! -e "/proc/$$/fd/$fd" ] || echo "$fd"
done >"$dir/$name.fds"
echo "$name $$ start" >>"$dir/log"
[ ! -f "$dir/$name.exit" ] || exit "$(<"$dir/$name.exit")"
if [ -f "$dir/$name.once" ]; then
	mv "$dir/$name.once" "$dir/$name.was"
	exit "$(<"$dir/$name.was")"
fi
echo "$name: hello" >&2
while read -r line; do
	echo "$line $name"
done
[ ! -f "$dir/$name.deaf" ] || exec sleep 1000
echo "$name $$ end" >>"$dir/log"
[ ! -f "$dir/$name.code" ] || exit "$(<"$dir/$name.code")"
END
chmod +x "$T/folder/tag"
cp "$T/folder/tag" "$T/bin/tag-of-path"
PATH=$T/bin:$PATH

# entry KIND [FILTER]...: an entry of watches.yaml, with these filters
entry() {
	printf '%s\n' "- group: example.com" "  version: v1" "  kind: $1" \
		"  program: program.jq" \
		'  operator: {image: "${THING_IMAGE}"}' "  filters:"
	shift
	[ $# -eq 0 ] || printf '  - %s\n' "$@"
}

# fresh_with FILTER...: new stages, and these filters; DIR is the stages' folder
fresh_with() {
	fresh
	entry Thing "${@//DIR/$D}" >"$T/folder/watches.yaml"
}

# begin_filters [OPTION]...: as begin
begin_filters() {
	start kpipe -f "$T/folder/watches.yaml" --report-fd=9 "$@" \
		9>"$D/ready" >"$D/stdout" 2>"$D/stderr"
	kpipe=$!
}

# starts_all N: the stages and filter a
starts_all() {
	starts "$1" && starts_of a "$1"
}

### From start to end

fresh
{
	entry Thing "[./tag, a, '$D']" "[tag-of-path, b, '$D', \"\${THING_IMAGE}\"]"
	entry Other "['$T/bin/tag-of-path', c, '$D']"
} >"$T/folder/watches.yaml"
export THING_IMAGE=example.com/thing KUBECONFIG=/secret AWS_SECRET=x
begin_filters --kubeconfig=/k --leader-elect --log-level=info
ok "with kelect and three filters: starts" wait_for 30 starts_all 1 || done_testing
is "$(<"$D/ready")" "" "... and a standby waits for kelect alone"
stops

fresh
sed -i "s,$T/d\.[^']*,$D,g" "$T/folder/watches.yaml"
begin_filters --kubeconfig=/k --kapply-token-file=/t
ok "ready" wait_for 30 ready || done_testing
ok "a line flows through all" wait_for 30 test -s "$D/received" || done_testing
is "$(<"$D/received")" '{"hello":"world"} a b c' \
	"... through filters in the order of the file, of both entries"
is "$(cat "$D/a.pwd" "$D/b.pwd" "$D/c.pwd" | sort -u)" \
	"$(realpath "$T/folder")" "they run in the folder of watches.yaml"
for name in a b c; do
	is "$(variables 'THING_IMAGE|KUBECONFIG|AWS_SECRET|KPIPE_[A-Z]*' \
		"$name")" "THING_IMAGE=example.com/thing" \
		"filter $name sees only the variables that watches.yaml names"
	is "$(fds "$name")" "0 1 2" "... has the descriptors 0, 1 and 2"
done
unset THING_IMAGE KUBECONFIG AWS_SECRET
is "$(grep ': hello' "$D/stderr" | sort)" "a: hello
b: hello
c: hello" "what they write to standard error is in the log"
is "$(sed -n 's/.* runs .* for \(.*\)/\1/p' "$D/stderr")" \
	"Thing.example.com in all namespaces; filters ./tag, tag-of-path
Other.example.com in all namespaces; filters $T/bin/tag-of-path" \
	"the log names them at the start"
stops "SIGTERM: 0"
is "$(sed -n 's/ [0-9]* end//p' "$D/log" | tr '\n' ' ')" \
	"a b c ireconcile kapply kstatus " "the end flows through them all"
ok "nothing is left" none_left

fresh_with
begin_filters
ok "an empty list: ready" wait_for 30 ready || done_testing
stops

### An end that comes too soon, or does not come

fresh_with "[./tag, a, DIR]"
begin_filters
wait_for 30 ready || done_testing
wait_for 30 starts_all 1 || done_testing
old=$(pid_of kwatch)
kill -9 "$(pid_of a)"
ok "kill -9 of a filter: all start again" wait_for 30 starts_all 2 || done_testing
ok "... the old ones are gone" gone "$old"
wait_for 30 readies 2 || done_testing
stops
is "$(said | grep -v ': hello')" "kpipe: ready
kpipe: error: filter-1 (pid N) was killed by SIGKILL
kpipe: warning: starting the pipeline again
kpipe: ready
kpipe: told to end: draining" "... it says who died, and of what"
ok "... nothing is left" none_left

for code in 0 3 111; do
	fresh_with "[./tag, a, DIR]"
	echo $code >"$D/a.once"
	begin_filters
	ok "a filter that ends with $code: all start again" \
		wait_for 30 starts_of a 2 || done_testing
	wait_for 30 ready || done_testing
	stops
	case $code in
	0) want="filter-1 ended with exit code 0 without being told to" ;;
	*) want="filter-1 (pid N) ended with exit code $code" ;;
	esac
	is "$(said | grep error | grep -v SIGPIPE)" "kpipe: error: $want" \
		"... it says why"
done

fresh_with "[./tag, a, DIR]"
echo 100 >"$D/a.exit"
begin_filters
ends 100 "a filter says that another run would not help: 100"
is "$(said | grep error)" \
	"kpipe: error: filter-1 (pid N) ended with exit code 100" \
	"... and it is named"

fresh_with "[sh, -c, 'cat; exit 141']"
echo 111 >"$D/ireconcile.once"
begin_filters
ok "a stage behind it ends, the filter meets the closed pipe" \
	wait_for 30 starts_of ireconcile 2 || done_testing
wait_for 30 ready || done_testing
is "$(said | grep error)" \
	"kpipe: error: ireconcile (pid N) ended with exit code 111" \
	"... the stage is named"
stops

fresh_with "[./tag, a, DIR]"
touch "$D/a.deaf"
begin_filters
wait_for 30 ready || done_testing
stops "SIGTERM with a filter that does not end: 0"
is "$(said | grep -v ': hello' | sed -n '/did not end/p' | head -n 1)" \
	"kpipe: warning: filter-1 (pid N) did not end in 10 s: killed" \
	"... after 10 s; it says so"
ok "... nothing is left" none_left

### A dry run

for code in 0:0 1:1 3:111 100:100; do
	fresh_with "[./tag, a, DIR]"
	echo "${code%:*}" >"$D/a.code"
	runs "${code#*:}" "a dry run with a filter that ends with ${code%:*}" \
		kpipe -f "$T/folder/watches.yaml" --dry-run
done

### Metrics

fresh_with "[./tag, a, DIR]"
cp "$BIN/kpipe-http" "$D/kpipe-http"
begin_filters --metrics-bind-address=127.0.0.1:0
wait_for 30 ready || done_testing
has_address() {
	address=$(sed -n 's/.*metrics at //p' "$D/stderr")
	[ -n "$address" ]
}
wait_for 30 has_address || done_testing
# counted: the page as it is by now has the filter
counted() {
	curl -sS -m 20 "http://$address/metrics" | grep filter >"$T/samples" &&
		grep -q 'ready.* 1' "$T/samples"
}
ok "a filter has the metrics of a stage" wait_for 30 counted || done_testing
is "$(<"$T/samples")" 'kpipe_stage_running{stage="filter-1"} 1
kpipe_stage_ready{stage="filter-1"} 1
kpipe_stage_starts_total{stage="filter-1"} 1
kpipe_stage_oom_kills_total{stage="filter-1"} 0' "... all of them"
stops

### Refusals

# bad MESSAGE WHAT FILTER...
bad() {
	local message=$1 what=$2

	shift 2
	fresh_with "$@"
	refuses "$T/folder/watches.yaml:$message" \
		kpipe -f "$T/folder/watches.yaml"
	is "$(<"$D/log")" "" "... before anything was started: $what"
}

bad "8: filter ./none: No such file or directory" "no such file" \
	"[./tag, a, DIR]" "[./none]"
bad "7: filter ./program.jq: Permission denied" "a file that does not run" \
	"[./program.jq]"
bad "7: filter no-such-tool: not in PATH" "no such program in PATH" \
	"[no-such-tool]"
bad "15: more than 8 filters" "nine filters" \
	"[cat]" "[cat]" "[cat]" "[cat]" "[cat]" "[cat]" "[cat]" "[cat]" "[cat]"
bad "7: a filter must be a list: the program and its arguments" \
	"a command in one string" "./tag a"
# Only kpipe runs them.
entry Thing "[./none]" >"$T/folder/watches.yaml"
runs 0 "ireconcile does not look for them" \
	ireconcile -f "$T/folder/watches.yaml" </dev/null

done_testing
