#!/bin/bash
# ireconcile: what is created at most once is asked for again, at once, when
# the line that asked for it has become stale; and timers are precise.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=ireconcile.sh
. t/ireconcile.sh

write_program
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [once({apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "\(.primary.metadata.name)-0"},
	data: {k: .primary.spec.k}})];
def status: {busy: (.outstanding != [])}
	+ if .error then {error: .error} else {} end;
END
begin_things() { # all but the Things are complete
	begin_all
	end v1 ConfigMap
	end v1 Pod
}
busy() { printf '"status":{"busy":%s}' "$1"; }
# asks RV [STATUS]: the line that asks for it
asks() {
	# shellcheck disable=SC2016
	line "$(configmap a-0 a v)" a "$1" \
		"$(known a-0 null),\"once\":[\"ConfigMap/ns/a-0\"],${2:-$(busy true)},\"onError\":{\"busy\":true,\"error\":\"\${error}\"}"
}

# Our finalizer, somebody's annotation: the primary that the line names is no
# more.
{
	begin_things
	event ADDED "$(thing a 1 "" "$(spec 1 v)")" 2026-01-01T00:00:00Z
	end example.com/v1 Thing
	event MODIFIED "$(thing a 2 '"annotations":{"x":"1"}' "$(spec 1 v)")"
} >"$T/in"
{
	asks 1
	asks 2
} >"$T/want"
replay 0 "the primary changed: asked for again at once"
event ADDED "$(object Pod p 3)" >>"$T/in"
replay 0 "... and not twice for one change"

# Five at once, then one a second.
for i in 3 4 5 6 7 8 9; do
	event MODIFIED "$(thing a $i "" "$(spec 1 v)")" \
		"2026-01-01T00:00:00.$i""00Z"
done >>"$T/in"
for i in 3 4 5 6; do asks $i; done >>"$T/want"
replay 0 "a primary that changes all the time: five at once"
tick 00:01 >>"$T/in"
asks 9 >>"$T/want"
replay 0 "... then one a second"
tick 00:09 >>"$T/in"
replay 0 "... and only while there was a change"
event ADDED "$(observed a-0 a v 20)" >>"$T/in"
event MODIFIED "$(thing a 21 "" "$(spec 1 v),$(busy false)")" >>"$T/in"
line "" a 9 "$(busy false)" >>"$T/want"
replay 0 "... and not when it is there"

# The status of the line arrived: kapply created it, though we do not see it
# yet. Asking again would be one time too many.
{
	begin_things
	event ADDED "$(thing a 1 "" "$(spec 1 v)")" 2026-01-01T00:00:00Z
	end example.com/v1 Thing
	event MODIFIED "$(thing a 2 "" "$(spec 1 v),$(busy true)")"
	event MODIFIED "$(thing a 3 '"annotations":{"x":"1"}' \
		"$(spec 1 v),$(busy true)")"
} >"$T/in"
asks 1 >"$T/want"
replay 0 "created and not yet seen: not asked for again"

# It failed: onError arrived, and that is another resourceVersion.
{
	begin_things
	event ADDED "$(thing a 1 "" "$(spec 1 v)")" 2026-01-01T00:00:00Z
	end example.com/v1 Thing
	event MODIFIED "$(thing a 2 "" "$(spec 1 v),\"status\":{\"busy\":true,\"error\":\"no room\"}")"
} >"$T/in"
{
	asks 1
	line "$(configmap a-0 a v)" a 2 \
		"$(known a-0 null),\"once\":[\"ConfigMap/ns/a-0\"],\"onError\":{\"busy\":true,\"error\":\"\${error}\"}"
} >"$T/want"
replay 0 "it could not be created: asked for again"

# ---- precise timers ----

# Each waits for its own time; the status says when it was evaluated.
cat >"$T/program.jq" <<'END'
def desired: [];
def status: if .now >= .primary.spec.at then {at: .now} else null end;
def requeue: .primary.spec.at | floor as $s
	| ($s | todate | rtrimstr("Z")) + "." + ((. - $s) * 1000 + 1000 | round
	| tostring | ltrimstr("1")) + "Z";
END
now=$(date +%s.%N)
{
	begin_things
	for ((i = 0; i < 1000; i++)); do
		event ADDED "$(thing "wait-$i" 1 "" '"spec":{"at":9999999999}')"
	done
	for i in 1 2 3 4 5; do
		event ADDED "$(thing "a-$i" 1 "" \
			"\"spec\":{\"at\":$(awk "BEGIN {printf \"%.3f\", $now + 3 + $i * 0.1037}")}")"
	done
	end example.com/v1 Thing
} >"$T/in"
mkfifo "$T/pipe"
start bash -c "exec ireconcile -f '$T/watches.yaml' <'$T/pipe' >'$T/out'"
exec 9>"$T/pipe"
cat "$T/in" >&9
fired() { [ "$(wc -l <"$T/out")" -eq 5 ]; }
wait_for 20 fired
late() { # the least and the most that one was late, and early, in milliseconds
	sed 's/.*"name":"\(a-[0-9]\)".*"at":\([0-9.]*\).*/\1 \2/' "$T/out" |
		awk -v now="$now" '{
			split($1, n, "-")
			d = ($2 - sprintf("%.3f", now + 3 + n[2] * 0.1037)) * 1000
			if (d < 0) early = 1
			if (d > most) most = d
			if (NR == 1 || d < least) least = d
		} END { printf "%d %d %s\n", least, most, early ? "early" : "not early" }'
}
is "$(late | cut -d' ' -f3-)" "not early" "requeue at a time is never early"
# All less than 2 ms, on a machine that is not busy with other tests.
ok "... nor late (ms: $(late))" [ "$(late | cut -d' ' -f1)" -lt 10 ]
exec 9>&-

# A time that passes while the program is asked is not lost: here that takes
# half a second of CPU time.
cp "$T/program.jq" "$T/quick.jq"
sed -i 's/^def requeue: /&(reduce range(2000000) as $i (0; . + 1)) as $x | /' \
	"$T/program.jq"
start bash -c "exec ireconcile -f '$T/watches.yaml' <'$T/pipe' >'$T/out'"
exec 9>"$T/pipe"
{
	begin_things
	end example.com/v1 Thing
} >&9
for i in 1 2; do
	now=$(date +%s.%N)
	at=$(awk "BEGIN {printf \"%.3f\", $now + 0.2}")
	event ADDED "$(thing "a-$i" 1 "" "\"spec\":{\"at\":$at}")" >&9
	ok "no time is lost" wait_for 10 grep -q "\"name\":\"a-$i\"" "$T/out"
done
exec 9>&-
cp "$T/quick.jq" "$T/program.jq"

# Somebody sets the clock: what waits for a time of day notices.
cat >"$T/clock.c" <<'END'
/* The wall clock is ahead by the seconds that the file $CLOCK_AHEAD says. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *ahead = "0";

/* A page: in the sandbox no file can be read. */
__attribute__((constructor)) static void
start(void)
{
	ahead = mmap(NULL, 16, PROT_READ, MAP_SHARED,
	    open(getenv("CLOCK_AHEAD"), O_RDONLY), 0);
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	int rc = (int)syscall(SYS_clock_gettime, id, ts);

	if (id == CLOCK_REALTIME)
		ts->tv_sec += atoll(ahead);
	return rc;
}
END
if [[ $BIN == *sanitize* ]]; then
	tap 0 "the clock is set # SKIP ASan wants to be loaded first"
else
	${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o "$T/clock.so" "$T/clock.c"
	ahead() { printf '%015d\0' "$1" | dd of="$T/ahead" conv=notrunc status=none; }
	ahead 0
	now=$(date +%s)
	{
		begin_things
		event ADDED "$(thing a 1 "" "\"spec\":{\"at\":$((now + 3600))}")"
		event ADDED "$(thing b 1 "" "\"spec\":{\"at\":$((now + 9000))}")"
		event ADDED "$(thing c 1 "" "\"spec\":{\"at\":$((now + 1))}")"
		end example.com/v1 Thing
	} >"$T/in"
	start env LD_PRELOAD="$T/clock.so" CLOCK_AHEAD="$T/ahead" \
		bash -c "exec ireconcile -f '$T/watches.yaml' <'$T/pipe' >'$T/out'"
	exec 9>"$T/pipe"
	cat "$T/in" >&9
	ok "one whose time has come" wait_for 10 test -s "$T/out"
	ahead 3700
	of_a() { grep -q '"name":"a"' "$T/out"; }
	ok "the clock is set: what its time has come for by that" \
		wait_for 15 of_a
	is "$(jq -r .reconcile.primary.name "$T/out" | sort -u | xargs)" "a c" \
		"... and nothing else"
	exec 9>&-
fi

done_testing
