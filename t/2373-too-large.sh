#!/bin/bash
# ireconcile: objects that are too large to be read, of which a line has only the
# identity: their primaries fail by name, and nothing is taken for absent.
. "${0%/*}/lib.sh"
. t/ireconcile.sh
write_program

# large OBJECT: a line of which that is the identity
large() {
	printf '{"type":"MODIFIED","tooLarge":17000000,"object":%s}\n' "$1"
}
# with_large LARGE OBJECT...: all that there is, of which that is so
with_large() {
	local o

	begin_all
	large "$1"
	for o in "${@:2}"; do event ADDED "$o"; done
	end_all
}
error_of() {
	printf '%s is longer than 16 MiB as JSON, so it cannot be read: make it smaller, or delete it' "$1"
}
one=$(spec 1 v)
# failed OBJECT: the status then
failed() {
	printf '"status":{"busy":false,"error":"%s","pods":[%s]}' \
		"$(error_of "$1")" "${2:-}"
}
# member: what is left of a ConfigMap
member() {
	observed a-0 a v "$1" | sed 's/,"data":.*/}/'
}

# A member: not made again, not repaired, and others go on.
with_large "$(member 7)" "$(thing a 1 "" "$one")" "$(thing b 1 "" "$one")" \
	>"$T/in"
want line "" a 1 "$(failed ConfigMap/ns/a-0)"
also creates b 1
replay 1 "a member"
says "ireconcile: error: thing.example.com ns/a: $(error_of ConfigMap/ns/a-0)" \
	"... its primary is named"

# With the status it has in the end; then smaller again, and another value.
with_large "$(member 7)" "$(thing a 2 "" "$one,$(failed ConfigMap/ns/a-0)")" \
	>"$T/in"
silent 1 "... its status stays"
event MODIFIED "$(observed a-0 a other 8)" >>"$T/in"
line "$(configmap a-0 a v)" a 2 \
	"$(known a-0 uid-a-0),$(status true),$(on_error),$(because a-0 8)" >"$T/want"
replay 1 "smaller again, it is repaired"
given with_large "$(member 7)" "$(thing a 2 "" "$one,$(failed ConfigMap/ns/a-0)")"
and event DELETED "$(member 7)"
creates a 2 >"$T/want"
replay 1 "deleted, it is made again"

# It is not desired any more: it stays until it can be read.
with_large "$(member 7)" \
	"$(thing a 2 "" "$(spec 0 v),$(failed ConfigMap/ns/a-0)")" >"$T/in"
silent 1 "it is not pruned"

# A primary; its status is part of what is known.
with_large "$(thing a 2 "" "$(failed Thing.example.com/ns/a)")" \
	"$(observed a-0 a v 7)" >"$T/in"
silent 1 "a primary: what it has stays"
says "ireconcile: error: thing.example.com ns/a: $(error_of Thing.example.com/ns/a)" \
	"... it is named"

# With `when` it may be another operator's.
sed -i '/program:/a \  when: .spec.n > 0' "$T/watches.yaml"
large "$(thing a 2)" >"$T/in"
silent 1 "a primary of which it is not known whether it is ours: no status"
write_program

# What the program sees by a label, and what it does not.
with_large "$(object Pod p 1 '"labels":{"thing":"a"}')" \
	"$(thing a 1 "" "$(spec 0 v)")" "$(thing b 1 "" "$(spec 0 v)")" >"$T/in"
want line "" a 1 "$(failed Pod/ns/p '"p"')"
also line "" b 1 "$(status false)"
replay 1 "a related object, by its label"

# By an expression it is not known whose it is.
sed -i 's/map: {label: thing}/map: {jq: ".spec.things[]?"}/' "$T/watches.yaml"
want line "" a 1 "$(failed Pod/ns/p)"
also line "" b 1 "$(failed Pod/ns/p)"
replay 1 "... by an expression: of all"

# Deletion needs the identity alone, unless the program has a say.
watches 'finalizer: example.com/cleaner' dependents: \
	'- {apiVersion: v1, kind: ConfigMap, manage: true}' \
	'- {apiVersion: v1, kind: Pod, map: {label: thing}}'
with_large "$(member 7)" \
	"$(thing a 2 '"finalizers":["example.com/cleaner"],"deletionTimestamp":"2026-01-01T00:00:00Z"' "$one")" \
	>"$T/in"
decided 0 "a primary that is deleted"
is "$(jq -c .reconcile.delete "$T/out")" \
	'[{"apiVersion":"v1","kind":"ConfigMap","namespace":"ns","name":"a-0","uid":"uid-a-0"}]' \
	"... takes it along"
echo 'def finalize: {items: [], delete: .owned.ConfigMap, done: false};' \
	>>"$T/program.jq"
decided 1 "... with a program that finalizes"
is "$(jq -c '.reconcile | [.delete, .status.error]' "$T/out")" \
	"$(jq -cn --arg e "$(error_of ConfigMap/ns/a-0)" '[null, $e]')" \
	"... it waits"

# A mark is a member of the line: an annotation is not.
write_program
initially "$(thing a 1 "" "$one")" \
	"$(observed a-0 a other 7 | sed 's/"annotations":{/&"tooLarge":"17","kpipe.dev\/too-large":"true",/')" >"$T/in"
decided 0 "an annotation"
is "$(jq '.items | length' "$T/out")" 1 "... is not the mark"
done_testing
