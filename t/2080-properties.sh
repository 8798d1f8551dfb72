#!/bin/bash
# ireconcile: what it prints for a state does not depend on the way to it.
# Random histories, replayed from any prefix, doubled, and with one List at the
# end.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program

# history SEED: 80 events about 4 Things, their ConfigMaps and Pods.
history() {
	local i n what

	RANDOM=$1
	for ((i = 1; i <= 80; i++)); do
		n=$((RANDOM % 4)) what=$((RANDOM % 9))
		case $what in
		0 | 1 | 2)
			event MODIFIED "$(thing "t$n" $i "" "$(spec $((RANDOM % 3)) v$((RANDOM % 2)))")"
			;;
		3 | 4)
			event ADDED "$(observed "t$n-$((RANDOM % 3))" "t$n" v$((RANDOM % 2)) $i)"
			;;
		5)
			event DELETED "$(observed "t$n-$((RANDOM % 3))" "t$n" v0 $i)"
			;;
		6)
			event ADDED "$(object Pod "p$((RANDOM % 3))" $i "\"labels\":{\"thing\":\"t$n\"}")"
			;;
		7)
			event DELETED "$(object Pod "p$((RANDOM % 3))" $i)"
			;;
		8)
			event DELETED "$(thing "t$n" $i)"
			;;
		esac
	done
}

# sets: everything that ireconcile prints for the last state of the input
sets() {
	ireconcile -f "$T/watches.yaml" --all
}

for seed in 1 2 3 4 5 6; do
	history "$seed" >"$T/events"
	sets <"$T/events" >"$T/want"
	ok "seed $seed: something is said" test -s "$T/want"
	awk '{print; print}' "$T/events" | sets >"$T/got"
	same "$T/got" "$T/want" "... each event twice"
	for n in 17 40 63; do
		{
			head -n "$n" "$T/events"
			cat "$T/events"
		} | sets >"$T/got"
		same "$T/got" "$T/want" "... $n events, then all from the start"
	done
	# A relist: begin, all events again, end.
	{
		cat "$T/events"
		begin_all
		cat "$T/events"
		end_all
	} | sets >"$T/got"
	same "$T/got" "$T/want" "... a second recording behind the first"

	# Event by event, the last line of each primary must have every item
	# that a fresh start on the same state finds outstanding.
	{
		initially
		cat "$T/events"
	} >"$T/live"
	for run in 1 2; do
		ireconcile -f "$T/watches.yaml" --clock=input <"$T/live" >"$T/run$run"
	done
	same "$T/run2" "$T/run1" "... --clock=input: the same bytes twice"
	last() {
		jq -c 'select(.reconcile.primary.name) | [.reconcile.primary.name,
			([.items[] | [.metadata.name, .data.k]])]' "$1" |
			awk -F'"' '{line[$2] = $0} END {for (n in line) print line[n]}' |
			sort
	}
	# The fresh start.
	ireconcile -f "$T/watches.yaml" <"$T/events" >"$T/fresh"
	last "$T/fresh" >"$T/fresh.last"
	last "$T/run1" >"$T/live.last"
	ok "... event by event no outstanding item is forgotten" \
		jq -e -n --slurpfile fresh "$T/fresh.last" \
		--slurpfile live "$T/live.last" '
		all($fresh[]; . as [$name, $items]
			| ($live | map(select(.[0] == $name)) | .[0][1] // []) as $said
			| all($items[]; . as $i | $said | index([$i]) != null))'
done

done_testing
