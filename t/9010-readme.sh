#!/bin/bash
# README.md and then doc/tools.md, as a reader follows them: every example in its
# order, on a real control plane. readme.sh says what is run, but the chapter
# about a cluster, which t/7070 and t/7230 run.
# servers: real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=readme.sh
. "${0%/*}/readme.sh"
cluster_start

mkdir "$T/work"
readme_blocks "" <(cat README.md doc/tools.md)
ok "the pages have examples" test -s "$T/blocks/020"

for block in "$T/blocks"/???; do
	what=$(<"$block.what")
	title=$(head -n 1 "$block" | cut -c -60)
	case $what in
	file:*) cp "$block" "$T/work/${what#file: }" ;;
	start)
		(cd "$T/work" && exec bash -c "exec $(<"$block")") \
			>/dev/null 2>>"$T/started" &
		started+=($!)
		;;
	run)
		runs 0 "$title" timeout 300 \
			bash -e -o pipefail -c 'cd "$1"; . "$2"' - \
			"$T/work" "$block" || quote <"$T/started"
		;;
	prints) same "$T/out" "$block" "... prints what is said" ;;
	esac
done

# The kind has just been defined: kwatch may have asked too early.
is "$(besides_work "$T/started" | sed '/^kwatch: /d; s/ on http:.*//' | sort)" \
	"kapi: listening
kelect: became leader: holds the lease default/memcached.cache.example.com
kpipe-http: metrics at 127.0.0.1:18080
kpipe-http: probes at 127.0.0.1:18081
kpipe: ready
kpipe: ready" "the operator has nothing more to say"

done_testing
