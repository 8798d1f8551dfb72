#!/bin/bash
# kapply: what changes an item back may be another instance of this operator,
# which has the same field manager; against a scripted server.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"

# live VALUE MANAGER [DIGEST]: the ConfigMap; the manager owns its k
live() {
	jq -cn --arg k "$1" --arg manager "$2" --arg paths "${3-one}" '{
		code: 200, body: {apiVersion: "v1", kind: "ConfigMap",
		metadata: {name: "a", namespace: "default", uid: "u2",
			resourceVersion: "7",
			annotations: {"kpipe.dev/paths": $paths},
			managedFields: [{manager: $manager, operation: "Apply",
			apiVersion: "v1", fieldsType: "FieldsV1",
			fieldsV1: {"f:data": {"f:k": {}}}}]},
		data: (if $k == "" then {} else {$k} end)}}'
}
ours=kpipe-thing.example.com
item=$(cm a 1 | jq -c '.metadata.annotations = {"kpipe.dev/paths": "one"}')
known='"known":{"ConfigMap/default/a":"u2"},"because":{"items":{"ConfigMap/default/a":{"differs":[{"path":".data.k"}],"repair":true}}}'
loops='"loops":{"ConfigMap/default/a":".data.k"}'
# repair: a line of an item that differs is done
repair() {
	begin -o status
	set_line "$item" "$known" >&7
	wait_for 60 grep -q configured "$T/err"
}
# by ANSWER LOOK: who it is, by the next line, after a repair with this answer.
# (Before a repair kapply looks, too, for the log.)
by() {
	serve "{\"PATCH $CMS/a\":[${1/:\"7\"/:\"8\"}],\"GET $CMS/a\":[$2,$2]}"
	repair
	set_line "$item" "$known,$loops,\"status\":{\"by\":\"\${manager}\"}" >&7
	end
	jq -r .status.by "$T/out" >"$T/by"
}

instance="the same field manager ($ours), perhaps another instance of this operator"
by "$(live 1 $ours)" "$(live 2 $ours)"
is "$(<"$T/by")" "$instance" "our apply was right, then it is wrong, and ours"
is "$(grep -c "is changed back again and again, last by $instance" "$T/err")" 1 \
	"... the log says so"
by "$(live 2 $ours)" "$(live 2 $ours)"
is "$(<"$T/by")" "somebody without a field manager, such as an admission webhook" \
	"the answer to our apply was wrong"
by "$(live 1 $ours)" "$(live 2 other)"
is "$(<"$T/by")" other "another manager owns it"
by "$(live 1 $ours)" "$(live 2 '')"
is "$(<"$T/by")" "somebody without a field manager, such as an admission webhook" "no manager owns it"
by "$(live 1 $ours)" "$(live '' $ours two)"
is "$(<"$T/by")" "$instance" "it is gone, and so are our paths"
by "$(live 1 $ours)" "$(live '' $ours)"
is "$(<"$T/by")" "somebody who removes it" "it is gone, and our paths are there"
by "$(live '' $ours)" "$(live '' $ours)"
is "$(<"$T/by") $(grep -c 'is changed back' "$T/err")" "somebody 0" \
	"the server drops what we apply: nobody removed it"

# --- the other manager is known when the server drops the field again
dropped=$(live '' $ours)
serve "{\"PATCH $CMS/a\":[${dropped/:\"7\"/:\"8\"}],\"GET $CMS/a\":[
	$(live 2 joe),$(live 2 joe),$dropped,$(live 2 joe)]}"
repair
names() { [ "$(jq -r .status.by "$T/out" | xargs)" = "$1" ]; }
for names in joe "joe joe" "joe joe joe"; do
	set_line "" "$loops,\"status\":{\"by\":\"\${manager}\"}" >&7
	ok "$names" wait_for 60 names "$names"
done
end
is "$(grep -c 'is changed back' "$T/err")" 1 "... is told once"
done_testing
