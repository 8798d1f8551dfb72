#!/bin/bash
# kapply: proofs show whose member an object is; a retained member is that of any
# primary of its name, and is never deleted; what is never adopted; which of two
# lines counts. Against a scripted server.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"
. "${0%/*}/proof.sh"

key=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
other_key=fedcba9876543210fedcba9876543210
echo "$key" >"$T/key"
# proven MEMBER ORIGIN [KEY]: that it is a member of the Thing t with that uid
proven() {
	proof "${3:-$key}" Thing.example.com/default/t "$2" "$1"
}
# marked OBJECT MEMBER PROOF [ANNOTATIONS]: as a member; an empty PROOF: none
marked() {
	jq -c --arg member "$2" --arg proof "$3" --arg part "$part" \
		--argjson more "${4:-{\}}" '.metadata += {
		uid: "u8", resourceVersion: "3",
		labels: {"kpipe.dev/part-of": $part}, annotations: ($more + {
		"kpipe.dev/member": "Thing.example.com/default/t \($member)"}
		+ if $proof == "" then {} else {"kpipe.dev/proof": $proof} end)}' <<<"$1"
}
answer() { # OBJECT
	printf '{"code":200,"body":%s}' "$1"
}
with_key() {
	apply --marks-key-fd=3 3<"$T/key"
}
says() { # ERROR WHAT
	is "$(<"$T/err")" "kapply: error: thing.example.com default/t: cannot $1" "$2"
}

# --- the proof of this primary, and that of an earlier primary with its name
set_line '' '"delete":[{"apiVersion":"v1","kind":"Namespace","name":"n","uid":"u8"}]' >"$T/in"
of() { # ORIGIN: a server with a Namespace that has its proof
	serve "{\"GET /api/v1/namespaces/n\":[$(answer "$(marked \
		'{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}}' \
		Namespace//n "$(proven Namespace//n "$1")")")]}"
}
of u1
runs 0 "what is proven to be this primary's" with_key
is "$(sent)" "GET n,DELETE n" "... may be deleted"
of u0
runs 1 "what is proven to be that of an earlier one" with_key
is "$(sent)" "GET n" "... may not"
says "delete Namespace n: it exists and is not part of Thing.example.com default/t; its marks are of an earlier one of this name" \
	"... and logs it"

# --- a retained member exists, of an earlier primary of that name
# retained [ORIGIN [KEY]]: ConfigMap a, with that proof
retained() {
	marked "$(cm a 1)" ConfigMap/default/a \
		"${1:+$(proven ConfigMap/default/a "$@")}" '{"kpipe.dev/retain":"true"}'
}
good=$(retained '*')
set_line "$(jq -c 'del(.metadata["uid", "resourceVersion"])' <<<"$good")" \
	'"known":{"ConfigMap/default/a":null}' >"$T/in"
# exists OBJECT: it is in the way of the first apply
exists() {
	serve "{\"PATCH $CMS/a\":[$(failure 409 Conflict there),$(answer "$1")],\"GET $CMS/a\":[$(answer "$1")]}"
}
exists "$good"
runs 0 "a retained member that exists" with_key
is "$(sent)" "PATCH a,GET a,PATCH a" "... is applied"
# foreign WHAT [ORIGIN [KEY]]
foreign() {
	exists "$(retained "${@:2}")"
	runs 1 "$1" with_key
	is "$(sent)" "PATCH a,GET a" "... is not ours"
}
foreign "one without a proof"
foreign "with the proof of another key" '*' "$other_key"
foreign "with that of a member of an earlier primary" u0

# --- it is not deleted
set_line '' '"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"a","uid":"u8"}]' \
	>"$T/in"
doomed() { # OBJECT
	serve "{\"GET $CMS/a\":[$(answer "$1")]}"
}
# owned [ORIGIN KEY]: retained, and with the Thing t for its controller
owned() {
	retained "$@" | jq -c '.metadata.ownerReferences = [{
		apiVersion: "example.com/v1", kind: "Thing", name: "t", uid: "u1",
		controller: true}]'
}
doomed "$good"
runs 1 "to delete it" with_key
is "$(sent)" "GET a" "... is refused"
says "delete ConfigMap default/a: it is retained, and never deleted" "... and logged"
doomed "$good"
runs 1 "without a key" apply
is "$(sent)" "GET a" "... the annotation counts"
doomed "$(owned)"
runs 0 "with a key that annotation alone" with_key
is "$(sent)" "GET a,DELETE a" "... keeps no member"
doomed "$(owned '*' "$other_key")"
runs 0 "nor does the proof of another key" with_key
is "$(sent)" "GET a,DELETE a" "... it is deleted"

# --- what is there and not a member, or does not look like one any more
# refused KEY METADATA WHAT REASON [ARGUMENT...]: that item, which has the
# metadata
adopt=
refused() {
	local kind ns name path item

	IFS=/ read -r kind ns name <<<"$1"
	path=/api/v1/${ns:+namespaces/$ns/}${kind,,}s/$name
	item=$(cm "$name" 1 | jq -c --arg kind "$kind" --arg ns "$ns" '.kind = $kind
		| .metadata.namespace = $ns | del(.data)
		| if $ns == "" then del(.metadata.namespace) else . end')
	serve "{\"PATCH $path\":[$(failure 409 Conflict there)],\"GET $path\":[$(answer \
		"$(jq -c ".metadata += {uid: \"u7\", $2}" <<<"$item")")]}"
	set_line "$item" "\"known\":{\"$1\":null}$adopt" >"$T/in"
	runs 1 "$3" apply "${@:5}"
	says "apply $kind ${ns:+$ns/}$name: it exists and is not part of Thing.example.com default/t; $4" \
		"... is refused, with what to do"
}
refused ConfigMap/default/a '"annotations":{"kpipe.dev/paths":"x"}' \
	"a member whose owner reference was removed" \
	"an operator made it, and its owner reference was removed: put that back, or delete the object"
refused ConfigMap/default/a '"annotations":{}' "an object of other clients" \
	'delete it, or give it a label for "adopt" in watches.yaml'
refused ConfigMap/far/a '"annotations":{"kpipe.dev/paths":"x"}' \
	"a member elsewhere whose mark was removed" \
	"an operator made it, and its annotation kpipe.dev/member was removed: put that back, or delete the object"
adopt=',"adopt":"instance"' # where the operator lives
refused Namespace//home '"labels":{"instance":"t"}' \
	"the operator's own namespace, with the label" \
	"it is the operator's own namespace, and never adopted" -n home

# --- a newer line: requests in flight of the older line end, the rest is
# dropped
serve "{\"PATCH $CMS/a\":[{\"code\":200,\"body\":{},\"wait\":\"$T/a\"}],\"PATCH $CMS/b\":[{\"code\":200,\"body\":{},\"wait\":\"$T/b\"}]}"
begin --max-in-flight=2 -o result
known='"known":{"ConfigMap/default/a":"u2","ConfigMap/default/b":"u3","ConfigMap/default/c":"u4","ConfigMap/default/d":"u5"}'
set_line "$(cm a 1),$(cm b 1),$(cm c 1)" "$known" >&7
ok "two requests of a line" wait_for 5 requested 2
set_line "$(cm d 1)" "$known" >&7
echo bad >&7 # is reported, when all lines before it were read
ok "... are under way when a newer one comes" wait_for 5 grep -q 'line 3' "$T/err"
touch "$T/b"
ok "one is answered" wait_for 5 grep -q '"name":"b"' "$T/out"
touch "$T/a"
end
is "$(requests | sort | paste -sd,)" "PATCH a,PATCH b,PATCH d" \
	"... what the older line had not begun is not done"
done_testing
