#!/bin/bash
# ireconcile: what it prints for a state does not depend on the way to it.
# Random histories, replayed from any prefix, doubled, and with one List at the
# end.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program

# What may happen: events about a Thing @N, its ConfigMap @K with the value @V and
# Pods.
change=$(event MODIFIED "$(thing t@N @I "" "$(spec @K v@V)")")
item=$(event ADDED "$(observed t@N-@K t@N v@V @I)")
events=("$change" "$change" "$change" "$item" "$item"
	"$(event DELETED "$(observed t@N-@K t@N v0 @I)")"
	"$(event ADDED "$(object Pod p@K @I '"labels":{"thing":"t@N"}')")"
	"$(event DELETED "$(object Pod p@K @I)")"
	"$(event DELETED "$(thing t@N @I)")")

# history SEED: 80 of these
history() {
	local i event

	RANDOM=$1
	for ((i = 1; i <= 80; i++)); do
		event=${events[RANDOM % 9]//@N/$((RANDOM % 4))}
		event=${event//@K/$((RANDOM % 3))}
		event=${event//@V/$((RANDOM % 2))}
		echo "${event//@I/$i}"
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
	# The fresh start.
	ireconcile -f "$T/watches.yaml" <"$T/events" >"$T/fresh"
	ok "... event by event no outstanding item is forgotten" \
		jq -e -n --slurpfile fresh "$T/fresh" --slurpfile live "$T/run1" '
		def last($lines): reduce ($lines[]
			| select(.reconcile.primary.name)) as $l ({};
			.[$l.reconcile.primary.name] =
				[$l.items[] | [.metadata.name, .data.k]]);
		last($live) as $said | last($fresh) | to_entries
		| all(.[]; .value - ($said[.key] // []) == [])'
done

done_testing
