#!/bin/bash
# ktorture: faults of lines between two stages, faults that take long, and those
# that cannot happen.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
play=(ktorture -f pipeline/memcached/watches.yaml --seed=1 --scenario=life)
at=kapply/patch/deployments.apps/default/example

# story FAULT: what is told from the first step on
story() {
	runs 0 "$1" "${play[@]}" --fault="$1"
	sed '1,/^---/d' "$T/out" >"$T/story"
	grep -qxF "*** $1" "$T/story" || flaw "it did not happen"
}
# first WORDS: the time of the first line with them
first() {
	sed -n "s/^\([0-9:]*\)\.[0-9]* $1.*/\1/p" "$T/story" | head -n 1
}

# ---- lines ----

"${play[@]}" --list | sed -n 's/^life //p' >"$T/list"
n=$(sed -n 's/^line-cut@kwatch\/line!//p' "$T/list" | sort -n | tail -n 1)
ok "--list: lines of a stage" test "${n:-0}" -gt 2
for stage in ireconcile kapply; do
	ok "... of $stage" grep -q "^line-twice@$stage/line!" "$T/list"
done
story "line-twice@ireconcile/line!1"
story "line-hold:5000@ireconcile/line!1"
is "$(first 'kapply made Deployment')" 00:00:10 "... makes the object later"
story "line-cut@ireconcile/line!1"
ok "... within the line" grep -q 'kapply: error: line 1: .*cut short' "$T/story"
ok "... and all starts again" grep -q 'kpipe: warning: starting the pipeline' \
	"$T/story"
runs 100 "a line that is not written" "${play[@]}" --fault='line-cut@kapply/line!999'
is "$(<"$T/err")" "ktorture: fatal: option --fault: line-cut@kapply/line!999 did not happen: the stage has written no such line" \
	"... is named"

# ---- longer ----

story "stop:kapply:20@$at"
is "$(first 'kstatus changed Memcached')" "" "the object is gone by then"
story "stop:kapply@$at"
is "$(first 'kstatus changed Memcached')" 00:00:08 "... and not after 3 s"
for fault in watch-hold:100000 500-while:150000 watch-end-while:40000 \
	watch-denied:40000 watch-gone:40000 watch-dead:25000; do
	ok "$fault" grep -q "^$fault@" "$T/list"
done

runs 0 "stop-at-end" "${play[@]}" \
	--fault=stop-at-end:kapply@kwatch/watch/deployments.apps
ok "... and the stage is killed at last" grep -q \
	'kpipe: warning: kapply .* did not end in' "$T/out"
story "kill:kapply:2@$at"
is "$(grep -c 'kpipe: error: kapply .* was killed by SIGKILL' "$T/story")" 2 \
	"... twice"
story "update-blind:2@$at"
is "$(first 'kwatch GET .apis.apps.v1.deployments: .*hold')" 00:00:05 \
	"... the second watch is late"

# ---- another client is there before the request ----

story "touch@$at"
runs 0 "... when the object is there" ktorture -f pipeline/memcached/watches.yaml \
	--seed=1 --scenario=change-0 --fault="touch@$at#2"
is "$(grep -A 2 '^\*\*\*' "$T/out" | sed '1d; s/^[0-9:.]* //')" \
	"client changed Deployment default/example
kapply changed Deployment default/example" "... it is changed before"

status=kstatus/patch/memcacheds.cache.example.com:status/default/example
runs 0 "the next step is earlier" ktorture -f pipeline/memcached/watches.yaml \
	--seed=1 --scenario=change-0 --fault="next@$status"
is "$(sed -n '/^\*\*\*/,$s/^[0-9:.]* \(\(client\|kstatus\) changed \)/\1/p' "$T/out" | head -n 2)" \
	"client changed Memcached default/example
kstatus changed Memcached default/example" "... and then the request"

# ---- only some ----

runs 0 "only faults of two kinds" ktorture -f pipeline/memcached/watches.yaml \
	--scenario=life --only=goaway --only=restart --list
is "$(sed 's/^[^ ]* *//; s/@.*//; s/-after$//' "$T/out" | sort -u)" \
	"goaway
restart" "... are there"
runs 100 "a kind that is not there" ktorture -f pipeline/memcached/watches.yaml \
	--only=gone --only=away
is "$(<"$T/err")" 'ktorture: fatal: option --only: no fault is called "away"' \
	"... is named"

runs 100 "a kind that cannot happen" ktorture -f pipeline/memcached/watches.yaml \
	--scenario=life --only=steal
is "$(<"$T/err")" 'ktorture: fatal: option --only: no request allows such a fault' \
	"... is an error"

# ---- what cannot happen ----

runs 100 "a request that is not sent" "${play[@]}" --fault=409@kapply/get/pods/a/b
is "$(<"$T/err")" "ktorture: fatal: option --fault: 409@kapply/get/pods/a/b did not happen: the operator sent no such request" \
	"... is named"
runs 100 "a stage that is not there" "${play[@]}" --fault="409@kfoo/${at#*/}"
is "$(<"$T/err")" "ktorture: fatal: \"409@kfoo/${at#*/}\": no stage is called \"kfoo\": write one of kwatch kapply kstatus kelect kpipe" \
	"... is named"
runs 100 "a verb that is not there" "${play[@]}" --fault=409@kapply/push/pods/a/b
ok "... is named" grep -q 'no verb is called "push": write one of get list ' "$T/err"
done_testing
