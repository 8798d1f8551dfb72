#!/bin/bash
# Stages that kpipe forks and does not execute: each has what it would have if
# it were executed (KPIPE_LIBEXEC), as the kernel shows it, and knows nothing
# that is kpipe's.
# check-all: needs root
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

[ "$(id -u)" -eq 0 ] || skip_all "needs root"
kapi_up
export KUBECONFIG=$T/kubeconfig
mkdir "$T/op"
cat >"$T/op/watches.yaml" <<'END2'
- {group: "", version: v1, kind: ConfigMap, program: p.jq, marks: false,
   namespaces: ["${THINGS:-default}"]}
END2
echo 'def desired: [];' >"$T/op/p.jq"

# up [VARIABLE=VALUE]...: an operator, all its stages ready; its pid in $kpipe
more=()
up() {
	rm -f "$T/ready"
	start env "$@" SECRET=c0nfidential kpipe \
		-f "$T/op/watches.yaml" --leader-elect --leader-election-id=x \
		--leader-election-namespace=default --report-fd=9 \
		--metrics-bind-address=127.0.0.1:0 "${more[@]}" \
		9>"$T/ready" 2>"$T/kpipe.err"
	kpipe=$!
	wait_for 30 test -s "$T/ready" || quote <"$T/kpipe.err"
	wait_for 30 grep -q 'became leader' "$T/kpipe.err" ||
		quote <"$T/kpipe.err"
	# kpipe does not wait for kpipe-http, which ends its start with the
	# filter that ireconcile has already.
	wait_for 30 grep -q 'metrics at' "$T/kpipe.err" ||
		quote <"$T/kpipe.err"
	wait_for 30 eval '[ "$(filter kpipe-http)" = "$(filter ireconcile)" ]'
}
filter() {
	awk '/^Seccomp:/ { print $2 }' "/proc/$(pid_of "$1")/status"
}
down() {
	told_to_end "$kpipe" "${1:-kpipe ends}"
}

tools="kwatch ireconcile kapply kstatus kelect kpipe-http"
pid_of() {
	pgrep -P "$kpipe" -x "$1"
}

# program NAME: the file that it runs
program() {
	basename "$(readlink "/proc/$(pid_of "$1")/exe")"
}

# look PID: what the kernel says about it; what differs from run to run left out
look() {
	local fd link

	cat "/proc/$1/comm"
	tr '\0' '\n' <"/proc/$1/cmdline"
	tr '\0' '\n' <"/proc/$1/environ" | grep -v '^KPIPE_LIBEXEC='
	readlink "/proc/$1/cwd"
	cat "/proc/$1/limits" "/proc/$1/oom_score_adj"
	grep -E '^(Name|Umask|Groups|Shd|Sig|Cap|NoNew|Seccomp:|Uid|Gid)' \
		"/proc/$1/status" | grep -v '^SigQ'
	stat -c '%u %g' "/proc/$1/fd"
	# does it lead its process group; its terminal
	awk '{ print $5 == $1, $7 }' "/proc/$1/stat"
	# The timer of a wait that is long (lib/process/clockwait.c) and sockets
	# are opened and closed while it runs.
	for fd in 0 1 2 3 4 5 6; do
		link=$(readlink "/proc/$1/fd/$fd")
		[[ $link != *timerfd* ]] || link=
		echo "$fd: ${link%%[*}" \
			"${link:+$(awk '/^flags/' "/proc/$1/fdinfo/$fd" 2>/dev/null)}"
	done
	for fd in "/proc/$1/fd"/*; do
		readlink "$fd" | sed 's/:\[[0-9]*\]//'
	done | grep -v -e '^socket' -e timerfd | sort
}

# The process that evaluates takes less memory then.
has_evaluated() {
	! grep -q '^Max address space *unlimited' \
		"/proc/$(pgrep -P "$(pgrep -P "$(pid_of ireconcile)")")/limits"
}

# look_all FOLDER: a file for each tool, ireconcile-1 of its helper
look_all() {
	local tool pid

	mkdir "$T/$1"
	wait_for 30 has_evaluated
	for tool in $tools; do
		look "$(pid_of "$tool")" >"$T/$1/$tool"
	done
	pid=$(pgrep -P "$(pid_of ireconcile)")
	look "$pid" >"$T/$1/ireconcile-1"
	# It may have so much more than it begins with.
	look "$(pgrep -P "$pid")" |
		sed -E 's/^(Max address space *)[0-9]+.*/\1/' >"$T/$1/ireconcile-2"
}

# knows NAME TEXT: whether TEXT is in the memory of the process
cat >"$T/find" <<'END2'
import re, sys
found = False
with open("/proc/%s/mem" % sys.argv[1], "rb", 0) as mem:
    for line in open("/proc/%s/maps" % sys.argv[1]):
        m = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
        if m and "[v" not in line:
            try:
                mem.seek(int(m[1], 16))
                text = mem.read(int(m[2], 16) - int(m[1], 16))
            except OSError:
                continue
            found = found or sys.argv[2].encode() in text
sys.exit(not found)
END2
who_knows() {
	local tool

	for tool in kpipe $tools; do
		python3 "$T/find" "$([ "$tool" = kpipe ] && echo "$kpipe" ||
			pid_of "$tool")" "$1" && echo "$tool"
	done | xargs
}

# --- executed
up "KPIPE_LIBEXEC=$BIN"
is "$(for tool in $tools; do program "$tool"; done | xargs)" "$tools" \
	"with KPIPE_LIBEXEC each stage is a program of its own"
look_all executed
down

# --- forked
up A=b
is "$(for tool in $tools; do program "$tool"; done | sort -u)" kpipe \
	"without it each is forked"
sed -i '/^A=b$/d' "$T"/executed/*
look_all forked
sed -i '/^A=b$/d' "$T"/forked/*
for file in "$T"/executed/*; do
	same "$T/forked/${file##*/}" "$file" \
		"${file##*/}: the same arguments, variables, descriptors, limits, privileges"
done
is "$(who_knows c0nfidential)" "kpipe kwatch kapply kstatus kelect" \
	"a variable is only in the memory of those that get it"
# A stage that ends is forked again.
old=$(pid_of kapply)
kill -SEGV "$old"
again() {
	pid_of kapply | grep -qvx "$old" && [ "$(program kapply)" = kpipe ]
}
ok "one that crashed is forked again" wait_for 30 again
is "$(tr '\0' '\n' <"/proc/$(pid_of kapply)/cmdline")" \
	"$(sed -n '2,/^[^-]*=/p' "$T/executed/kapply" | sed '$d')" \
	"... with the same arguments"
down "... and kpipe ends"

# --- watches.yaml with the value of a variable
up A=b THINGS=s3cret-namespace
is "$(for tool in $tools; do program "$tool"; done | xargs)" \
	"kpipe kpipe kpipe kpipe kpipe kpipe-http" \
	"if a variable is used in watches.yaml, kpipe-http is executed"
is "$(who_knows s3cret-namespace)" "kpipe kwatch ireconcile kapply kstatus kelect" \
	"... and does not know its value"
down

# --- the key of marks that kpipe makes up
key() {
	python3 - "$kpipe" <<'END2'
import os, sys
folder = "/proc/%s/fd" % sys.argv[1]
for fd in os.listdir(folder):
    if "kpipe-marks" in os.readlink(folder + "/" + fd):
        f = os.open(folder + "/" + fd, os.O_RDONLY)
        print(os.pread(f, 32, 8).decode())
END2
}
up A=b
text=$(key)
is "${#text}" 32 "kpipe has a key of marks in a file"
is "$(who_knows "$text")" "ireconcile kapply" \
	"... which only those have in memory that read it"

down
# --- options of kpipe that are not for all
for tool in kwatch kapply kstatus kelect; do
	more+=("--$tool-kubeconfig=$KUBECONFIG")
done
more+=(--context=nowhere)
up A=b
is "$(grep -c nowhere "$T/kpipe.err")" 0 \
	"a stage with a kubeconfig of its own has forgotten kpipe's --context"
more=()
# --- kpipe is killed
pids=$(for tool in $tools; do pid_of "$tool"; done)
kill_now "$kpipe"
gone() {
	[ -z "$(ps -o pid= -p "${pids//$'\n'/,}")" ]
}
ok "stages end with a kpipe that is killed" wait_for 20 gone

# --- another program in the place of one
mkdir "$T/bin"
cp "$BIN"/{kpipe,kwatch,ireconcile,kapply,kstatus,kelect,kpipe-http} "$T/bin"
mkdir -p "$T/lib"
cp -r lib/jq "$T/lib"
printf '#!/bin/sh\nexec %s/kstatus "$@"\n' "$BIN" >"$T/bin/kstatus"
strip -R .comment "$T/bin/kapply"
objcopy --remove-section .note.gnu.build-id "$T/bin/kwatch"
PATH=$T/bin:$PATH up A=b
is "$(for tool in $tools; do
	echo "$tool: $(readlink "/proc/$(pid_of "$tool")/exe")"
done)" "kwatch: $T/bin/kwatch
ireconcile: $T/bin/kpipe
kapply: $T/bin/kpipe
kstatus: $BIN/kstatus
kelect: $T/bin/kpipe
kpipe-http: $T/bin/kpipe" "a program that is not the one that kpipe was built with is executed"
down

# --- links to kpipe, as in an image
for tool in $tools; do
	ln -sf kpipe "$T/bin/$tool"
	is "$("$T/bin/$tool" --version | head -n 2)" \
		"$("$BIN/$tool" --version | head -n 2)" \
		"a link with the name $tool is that tool"
done
PATH=$T/bin:$PATH up A=b
is "$(for tool in $tools; do readlink "/proc/$(pid_of "$tool")/exe"; done | sort -u)" \
	"$T/bin/kpipe" "links to kpipe are forked"
look_all links
down
PATH=$T/bin:$PATH up "KPIPE_LIBEXEC=$T/bin"
look_all called
down
# Their $PATH is another one.
for file in "$T"/executed/*; do
	sed -i '/^PATH=/d' "$file"
	for as in links called; do
		sed -i "/^A=b$/d; /^PATH=/d; s,$T/bin/,$BIN/," \
			"$T/$as/${file##*/}"
		same "$T/$as/${file##*/}" "$file" "$as: ${file##*/} has the same"
	done
done

done_testing
