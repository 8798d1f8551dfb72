#!/bin/bash
# ireconcile: finalizers, deletion, members in other namespaces.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches 'finalizer: example.com/cleaner' dependents: \
	'- {apiVersion: v1, kind: Namespace, manage: true}' \
	'- {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}'
cat >"$T/program.jq" <<'END'
def desired: [
	{apiVersion: "v1", kind: "Namespace", metadata: {name: "of-a"}},
	{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c", namespace: "of-a"}}];
END
finalizer='"finalizers":["example.com/cleaner"]'
part_of=$(part_of)
# marked KEY: the metadata of a member in another namespace
marked() { marks "$1" "" '"kpipe.dev/paths":"PATHS"'; }
ns_item=$(printf '{"apiVersion":"v1","kind":"Namespace","metadata":{%s,"name":"of-a"}}' \
	"$(marked Namespace//of-a)")
cm_item=$(printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{%s,"name":"c","namespace":"of-a"}}' \
	"$(marked ConfigMap/of-a/c)")

# The finalizer is set before anything is created; marks are used where an owner
# reference is not possible.
thing a 1 >"$T/in"
line "$ns_item,$cm_item" a 1 \
	'"known":{"Namespace//of-a":null,"ConfigMap/of-a/c":null},"finalizers":{"add":["example.com/cleaner"]}' \
	>"$T/want"
replay 0 "a new primary: finalizer and marks"
paths() { # NAME: the digest of the item with this name
	sed "s/.*\"kpipe.dev\/paths\":\"\([^\"]*\)\"},\"labels\":{[^}]*},\"name\":\"$1\".*/\1/" "$T/out"
}
p_ns=$(paths of-a) p_cm=$(paths c)
namespace() { # RV [METADATA]
	printf '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"of-a","uid":"uid-n","resourceVersion":"%s",%s%s}}' \
		"$1" "$(marked Namespace//of-a | sed "s/PATHS/$p_ns/")" "${2:+,$2}"
}
config() { # RV [METADATA]
	printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"of-a","uid":"uid-c","resourceVersion":"%s",%s%s}}' \
		"$1" "$(marked ConfigMap/of-a/c | sed "s/PATHS/$p_cm/")" "${2:+,$2}"
}

there "$(thing a 1 "$finalizer")" "$(namespace 2)" "$(config 3)" >"$T/in"
silent 0 "converged is silent"

# A copied label does not make an object ours, nor does the annotation alone.
for how in 's/ConfigMap\/of-a\/c/ConfigMap\/of-a\/d/' \
	"s/$part_of/$(printf x | sha256sum | cut -c 1-32)/" \
	"s/$part_of/copied/" \
	's/"labels"/"x"/' \
	's/ns\/a /ns\/b /'; do
	there "$(thing a 1 "$finalizer")" "$(namespace 2)" \
		"$(config 3 | sed "$how")" >"$T/in"
	line "$cm_item" a 1 '"known":{"ConfigMap/of-a/c":null}' >"$T/want"
	replay 0 "no member: $how"
done

# Nor does an owner reference that Kubernetes would not follow, or one that is
# not a controller's.
ref='{"apiVersion":"example.com/v1","controller":true,"kind":"Thing","name":"a","uid":"uid-a"}'
# owned NAMESPACE REF
owned() {
	printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"%s","uid":"uid-x","resourceVersion":"3","ownerReferences":[%s]}}' \
		"$1" "$2"
}
gone_x='{"apiVersion":"v1","kind":"ConfigMap","namespace":"ns","name":"x","uid":"uid-x"}'
# refers WHAT NAMESPACE REF [LINE]
refers() {
	there "$(thing a 1 "$finalizer")" "$(namespace 2)" "$(config 3)" \
		"$(owned "$2" "$3")" >"$T/in"
	echo "${4:-}" | sed '/^$/d' >"$T/want"
	replay 0 "$1"
}
refers "a controller reference: a member" ns "$ref" \
	"$(line "" a 1 "\"delete\":[$gone_x]")"
refers "... of another version, too" ns "${ref/v1/v2}" \
	"$(line "" a 1 "\"delete\":[$gone_x]")"
refers "no member: an owner that does not control" ns \
	"${ref/\"controller\":true,/}"
refers "no member: another group" ns "${ref/example.com/example.org}"
refers "no member: another kind" ns "${ref/Thing/Other}"
refers "no member: another name" ns "${ref/\"name\":\"a\"/\"name\":\"b\"}"
refers "no member: another uid" ns "${ref/uid-a/uid-b}"
refers "no member: from another namespace" elsewhere "$ref"

# Deletion by default: all members, then the finalizer.
given initially "$(thing a 1 "$finalizer")" "$(namespace 2)" "$(config 3)"
and event MODIFIED "$(thing a 4 "$finalizer,$dying")"
and event MODIFIED "$(namespace 5 "$dying")"
and event DELETED "$(config 6)"
and event DELETED "$(namespace 7 "$dying")"
and event MODIFIED "$(thing a 8 "$dying")"
and event DELETED "$(thing a 9 "$dying")"
gone_ns='{"apiVersion":"v1","kind":"Namespace","name":"of-a","uid":"uid-n"}'
gone_cm='{"apiVersion":"v1","kind":"ConfigMap","namespace":"of-a","name":"c","uid":"uid-c"}'
# deleted RV [REST]: a line of the primary that is being deleted
deleted() {
	line "" a "$1" "${2:+$2,}\"deleting\":true"
}
want deleted 4 "\"delete\":[$gone_ns,$gone_cm]"
also deleted 4 '"finalizers":{"remove":["example.com/cleaner"]}'
replay 0 "deletion without finalize: members, then the finalizer"
# In two steps: what is printed before the last member is gone.
sed -n '/"DELETED".*"Namespace"/q;p' "$T/in" >"$T/before"
cp "$T/in" "$T/whole"
cp "$T/before" "$T/in"
deleted 4 "\"delete\":[$gone_ns,$gone_cm]" >"$T/want"
replay 0 "... which stays while a member is terminating"
cp "$T/whole" "$T/in"

# finalize says what goes, and when it is done.
cat >>"$T/program.jq" <<'END'
def finalize: {delete: [{apiVersion: "v1", kind: "Namespace", metadata: {name: "of-a"}}],
	done: (.owned.Namespace == [])};
def status: {left: (.outstanding | length)};
END
{
	line "" a 1 '"status":{"left":0}'
	deleted 4 "\"delete\":[$gone_ns],\"status\":{\"left\":1},\"onError\":{\"left\":1}"
	deleted 4 '"finalizers":{"remove":["example.com/cleaner"]},"status":{"left":0},"onError":{"left":0}'
	# The finalizer is removed: nothing more is printed, no status is
	# desired.
	deleted 8
} >"$T/want"
replay 0 "deletion with finalize"

# finalize cannot delete an object that is not ours.
given event ADDED "$(thing a 4 "$finalizer,$dying")"
and event ADDED '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"of-a","uid":"x"}}'
deleted 4 '"status":{"left":0}' >"$T/want"
replay 1 "a foreign namespace is not deleted"
says "ireconcile: error: thing.example.com ns/a: cannot delete Namespace of-a: it is not a member of a" \
	"... and says so"

# Without our finalizer a terminating primary is left alone.
there "$(thing a 4 "$dying")" "$(namespace 2)" >"$T/in"
silent 0 "a terminating primary without our finalizer"

# A terminating item is waited for; it is applied only to remove a finalizer.
sed -i '/^def finalize/,$d' "$T/program.jq"
there "$(thing a 1 "$finalizer")" "$(namespace 2)" \
	"$(config 3 "$dying" | sed "s/$p_cm/other/")" >"$T/in"
silent 0 "a terminating item is waited for"
{
	event ADDED "$(thing a 1 "$finalizer")"
	event ADDED "$(namespace 2)"
	event ADDED "$(config 3 "$dying,\"finalizers\":[\"example.com/x\"]" |
		sed "s/$p_cm/other/")"
} >"$T/in"
line "$cm_item" a 1 '"known":{"ConfigMap/of-a/c":"uid-c"}' >"$T/want"
replay 0 "... but for a finalizer that is no longer desired"

# A member that is no longer desired is deleted once; desired again before it
# is gone, the delete is cancelled.
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "Namespace", metadata: {name: "of-a"}}]
	+ if .primary.spec.more then
		[{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c", namespace: "of-a"}}]
	  else [] end;
END
more() { thing a "$1" "$finalizer" "\"spec\":{\"more\":$2}"; }
given begin v1 ConfigMap
and event ADDED "$(namespace 2)"
and event ADDED "$(config 3)"
and event ADDED "$(more 1 true)"
and end_all
and event MODIFIED "$(more 2 false)"
and event MODIFIED "$(more 3 false)"
and event MODIFIED "$(more 4 true)"
want line "" a 2 "\"delete\":[$gone_cm]"
also line "" a 4
replay 0 "a delete that is no longer wanted"
given namespace 2
and config 3 "$dying"
and more 2 false
silent 0 "what is terminating is not deleted again"


# A terminating object is outstanding even if it agrees; finalizers of others
# are no reason to apply it.
write_program
held='"finalizers":["example.org/other"]'
for value in v other; do
	given event ADDED "$(thing a 1 "" "$(spec 1 v)")"
	and event ADDED "$(observed a-0 a $value 7 "$held,$dying")"
	and begin v1 Pod
	and end v1 Pod
	line "" a 1 "$(status true)" >"$T/want"
	replay 0 "waits for a terminating object (k: $value)"
done

# An object of another operator has an item's name: kapply may adopt it.
sed -i 's/  program:/  adopt: {label: "${ADOPT:-}"}\n&/' "$T/watches.yaml"
given event ADDED "$(thing a 1 "" "$(spec 2 v),$(status true)")"
and event ADDED "$(observed a-0 a other 7)"
and begin v1 Pod
and end v1 Pod
adopting() { # [REST]
	line "$(configmap a-0 a v),$(configmap a-1 a v)" a 1 \
		"$(known a-0 uid-a-0 a-1 null),$(on_error)${1:+,$1},$(because a-0 7)"
}
adopting >"$T/want"
replay 0 "adopt: off while the label is empty"
export ADOPT=example.com/instance
adopting '"adopt":"example.com/instance"' >"$T/want"
replay 0 "adopt: in a line with an item that was not seen"
given event ADDED "$(thing a 1 "" "$(spec 1 v),$(status true)")"
and event ADDED "$(observed a-0 a other 7)"
and begin v1 Pod
and end v1 Pod
line "$(configmap a-0 a v)" a 1 \
	"$(known a-0 uid-a-0),$(on_error),$(because a-0 7)" >"$T/want"
replay 0 "... and in no other"
unset ADOPT

done_testing
