#!/bin/bash
# ireconcile: delete_foreign(OBJECT): what is not a member is deleted as it was
# seen; only what the program sees in .related, and of kinds that say so.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches dependents: '- {apiVersion: v1, kind: ConfigMap, manage: true}' \
	related: \
	'- {apiVersion: v1, kind: Pod, delete: true, map: {field: "spec.pods[]"}}' \
	'- {apiVersion: v1, kind: Secret, delete: true, namespaces: [ns]}' \
	'- {apiVersion: v1, kind: Service}'
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [.related.Pod[], .related.Secret[] | select(.spec.old) | delete_foreign(.)]
	+ [.primary.spec.more[]? | delete_foreign({apiVersion: "v1", kind: .[0],
		metadata: {name: .[1], namespace: "ns"}})];
def status: {error: .error, left: [.outstanding[].metadata.name]};
END
old='"spec":{"old":true}'
# primary MORE [RV]
primary() {
	thing a "${2:-1}" "" "\"spec\":{\"pods\":[\"x\",\"y\",\"z\"],\"more\":$1}"
}
# lines: what they delete, and the status
lines() {
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>"$T/err" |
		jq -c '[(.reconcile.delete // [] | .[] |
			[.kind, .name, .uid, .resourceVersion, .foreign]),
			.reconcile.status.error // empty]'
}

initially "$(primary '[]')" "$(object Pod x 2 "" "$old")" \
	"$(object Pod y 3 "" '"spec":{}')" \
	"$(object Pod z 4 '"deletionTimestamp":"2026-01-01T00:00:00Z"' "$old")" \
	"$(object Secret s 5 "" "$old")" >"$T/in"
is "$(lines)" '[["Pod","x","uid-x","2",true],["Secret","s","uid-s","5",true]]' \
	"by uid and version, unless it is on its way out"
is "$(ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" |
	jq -c .reconcile.status.left)" '["x","z","s"]' \
	"... all are outstanding until they are gone"
cp "$T/in" "$T/first"

event MODIFIED "$(object Pod x 6 "" "$old")" >>"$T/in"
is "$(lines | tail -n 1)" \
	'[["Pod","x","uid-x","6",true],["Secret","s","uid-s","5",true]]' \
	"another version is another request"
event MODIFIED "$(object Pod x 7 "" '"spec":{}')" >>"$T/in"
is "$(lines | tail -n 1)" '[["Secret","s","uid-s","5",true]]' \
	"what the program spares then is not requested any more"
given cat "$T/first"
and event DELETED "$(object Pod x 8 "" "$old")"
and event DELETED "$(object Secret s 9 "" "$old")"
and event DELETED "$(object Pod z 9 "" "$old")"
is "$(lines | tail -n 1)" '[]' "what is gone is no longer requested"
is "$(ireconcile -f "$T/watches.yaml" --clock=input --all <"$T/in" |
	tail -n 1 | jq -c .reconcile.status.left)" '[]' "... nor outstanding"

status='"status":{"error":null,"left":[]}'
# more ITEMS [OBJECT]...
more() {
	local items=$1 o

	shift
	{
		begin_all
		event ADDED "$(primary "$items" | sed "s/}$/,$status}/")"
		for o; do
			event ADDED "$o"
		done
		end_all
	} >"$T/in"
}
more '[["Pod","w"]]' "$(object Pod w 2)"
is "$(lines)" '' "one that the program does not see stays"
more '[["Pod","nothing"]]'
is "$(lines)" '' "one that does not exist is gone"
while IFS='|' read -r kind hint; do
	more "[[\"$kind\",\"v\"]]" "$(object "$kind" v 2)"
	is "$(lines | jq -r '.[]')" \
		"$kind of v1 is not a related kind with delete: true; write $hint" \
		"a $kind may not be deleted here"
done <<END
Service|"delete: true" at $T/watches.yaml:10
ConfigMap|"- {apiVersion: v1, kind: ConfigMap, delete: true}" into related of the entry at $T/watches.yaml:1
END
more '[["Pod","x"]]' "$(object Pod x 2 | sed 's/"uid":"uid-x",*//')"
is "$(lines)" '["cannot delete Pod/ns/x: it has no uid or no resourceVersion, so it is not an object of the API server"]' \
	"one without a uid, as a filter may make up, cannot be deleted"
more '[["Pod","x"],["Pod","x"]]' "$(object Pod x 2)"
is "$(lines)" '["program.jq:2: desired gives Pod/ns/x twice"]' "twice is an error"

# A member of that name is no reason to spare it: it is pruned.
sed -i 's/^  - .*kind: Service.*/&\n  - {apiVersion: v1, kind: ConfigMap, delete: true, map: {field: "spec.maps[]"}}/' \
	"$T/watches.yaml"
initially \
	"$(thing a 1 "" '"spec":{"maps":["m","n"],"more":[["ConfigMap","m"],["ConfigMap","n"]]}')" \
	"$(object ConfigMap m 2 "$(owner a)")" "$(object ConfigMap n 3)" >"$T/in"
is "$(lines)" '[["ConfigMap","n","uid-n","3",true],["ConfigMap","m","uid-m",null,null]]' \
	"a member is pruned all the same, another one is deleted as it was seen"
sed -i '/spec.maps/d' "$T/watches.yaml"

# Not that of the primary, nor is the error that of another primary.
sed -i 's/namespace: "ns"/namespace: (.[2] \/\/ "ns")/' "$T/program.jq"
initially "$(primary '[["Pod","x",5]]')" \
	"$(thing b 1 "" '"spec":{"pods":["y"]}')" "$(object Pod x 2)" \
	"$(object Pod y 3 "" "$old")" >"$T/in"
is "$(lines)" '["program.jq:2: desired: item 1 has a number as its metadata.namespace, which has to be a text: tostring makes one"]
[["Pod","y","uid-y","3",true]]' "a number is not a namespace"

# refused ITEM MESSAGE
refused() {
	cat >"$T/program.jq" <<END
include "operator";
def cm: config_map("c"; {}; {});
def desired: [$1];
def status: {error: .error};
END
	more '[]'
	is "$(lines)" "[\"$2\"]" "$1 is refused"
}
for f in keep once if_exists exactly retain; do
	refused "delete_foreign($f(cm))" \
		"program.jq:3: desired: item 0 (ConfigMap c) is $([ $f = keep ] && echo keep || echo delete_foreign) and something else, too"
done
for f in keep once if_exists exactly retain patch_only delete_foreign; do
	refused "cm, $f(cm | .metadata.namespace = 5)" \
		"program.jq:3: desired: item 1 has a number as its metadata.namespace, which has to be a text: tostring makes one"
done
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [];
def finalize: {items: [delete_foreign(config_map("c"; {}; {}))], done: true};
END
sed -i 's/^  program/  finalizer: a\/b\n&/' "$T/watches.yaml"
thing a 1 '"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["a/b"]' >"$T/in"
ireconcile -f "$T/watches.yaml" <"$T/in" >"$T/out" 2>"$T/err"
says "ireconcile: error: thing.example.com ns/a: program.jq:3: finalize: item 0 (ConfigMap c) is delete_foreign, which is for desired" \
	"finalize has none"
sed -i 's/items:.*/delete: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c", namespace: 5}}], done: true};/' \
	"$T/program.jq"
ireconcile -f "$T/watches.yaml" <"$T/in" >"$T/out" 2>"$T/err"
says "ireconcile: error: thing.example.com ns/a: program.jq:3: finalize: object 0 to delete has a number as its metadata.namespace, which has to be a text: tostring makes one" \
	"... nor deletes in a namespace that is a number"

# Not a reason for a finalizer.
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [.related.Secret[] | delete_foreign(.)];
def finalize: {done: true};
END
more '[]' "$(object Secret s 2)"
decide
is "$(jq -c '.reconcile | [(.delete | length), .finalizers]' "$T/out")" \
	'[1,null]' "a primary with nothing else needs no finalizer"
done_testing
