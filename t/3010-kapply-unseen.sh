#!/bin/bash
# A finalizer is not removed before ireconcile has observed what kapply created.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"

ns='{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}}'
thing='{"code":200,"body":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","uid":"u1","resourceVersion":"5","finalizers":["e/f"]}}}'
ours='{"code":200,"body":{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","uid":"u8","labels":{"kpipe.dev/part-of":"'$part'"},"annotations":{"kpipe.dev/member":"Thing.example.com/default/t Namespace//n"}}}}'
remove='"finalizers":{"remove":["e/f"]}'

# removes: the finalizer, by the last line
removes() {
	set_line '' "$remove" >&7
	end
}
# created [LINE]: the line (of the Namespace n) is done
created() {
	begin -o result --timeout="${timeout:-60s}"
	echo "${1:-$(set_line "$ns" '"known":{"Namespace//n":null}')}" >&7
	wait_for 5 test -s "$T/out"
}

serve "{\"GET $THINGS/t\":[$thing],\"GET /api/v1/namespaces/n\":[$ours]}"
created
set_line '' "$remove" >&7
set_line "$(cm b 1)" '"known":{"ConfigMap/default/b":"u3"}' other >&7
wait_for 5 requested 2
is "$(sent)" "PATCH n,PATCH b" "created and not seen: the finalizer stays"
set_line '' '"delete":[{"apiVersion":"v1","kind":"Namespace","name":"n","uid":"u8"}]' >&7
wait_for 5 requested 4
removes
is "$? $(requests | tail -n 4 | paste -sd,)" "0 GET n,DELETE n,GET t,PATCH t" \
	"... until a line knew of it"

serve "{\"GET $THINGS/t\":[$thing]}"
timeout=1s created
removes
is "$? $(requests)$(<"$T/err")" "1 PATCH nkapply: error: thing.example.com default/t: cannot remove finalizers from Thing.example.com default/t: what was created just now was not observed yet" \
	"it stays until the end, which is said"

serve "{\"GET $THINGS/t\":[$thing]}"
created "$(set_line "$ns" '"known":{"Namespace//n":"u8"}')"
removes
is "$? $(sent)" "0 PATCH n,GET t,PATCH t" "it goes at once where all was seen before"

serve "{\"GET $THINGS/t\":[$thing]}"
owned='{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","ownerReferences":[{"controller":true,"uid":"u1"}]}}'
created "$(set_line "$owned" '"known":{"Namespace//n":null}')"
removes
is "$? $(sent)" "0 PATCH n,GET t,PATCH t" "... and where the garbage collector follows"

# It has finalizers of its own, which nobody would drop.
held=$(jq -c '.metadata.finalizers = ["e/g"]' <<<"$owned")
serve "{\"GET $THINGS/t\":[$thing]}"
timeout=1s created "$(set_line "$held" '"known":{"Namespace//n":null}')"
removes
is "$? $(sent)" "1 PATCH n" "... but not where that is held up by a finalizer"

# No answer: the object may have been created.
gone=$(printf '{"end":"close"},%.0s' {1..50})
serve "{\"GET $THINGS/t\":[$thing],\"PATCH /api/v1/namespaces/n\":[${gone%,}]}"
begin --timeout=3s
set_line "$ns" '"known":{"Namespace//n":null}' >&7
wait_for 5 requested 3
removes
is "$? $(requests | sort -u)" "1 GET t
PATCH n" "... and stays if there was no answer"

# Later than ten seconds each of them is looked at.
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin
created_line=$(set_line "$ns" '"known":{"Namespace//n":null}')
# late ANSWERS [LINE [REMOVE]]: what was created is not observed in time
late() {
	serve "{\"GET $THINGS/t\":[$thing],\"GET /api/v1/namespaces/n\":[$1]}"
	begin -o result --timeout=30s
	echo "${2:-$created_line}" >&7
	wait_for 5 test -s "$T/out"
	set_line '' "${3:-$remove}" >&7
}
missing=$(failure 404 NotFound 'namespaces \"n\" not found')
late "$ours,$ours,$missing"
wait_for 60 requested 6
end
is "$? $(sent)" "0 PATCH n,GET n,GET n,GET n,GET t,PATCH t" \
	"what was created is not observed for long: it stays until that is gone"
ever=$(printf "$ours,%.0s" {1..50})
late "${ever%,}"
wait_for 60 requested 4
end
is "$? $(requests | sort -u)" "1 GET n
PATCH n" "... and as long as it is there"
ok "... which is said" grep -qxF "kapply: error: thing.example.com default/t: cannot remove finalizers from Thing.example.com default/t: Namespace n was created and was not observed yet" \
	"$T/err"
# goes ANSWER WHAT [LINE [REMOVE]]
goes() {
	late "$1" "${@:3}"
	wait_for 60 requested 4
	end
	is "$? $(sent)" "0 PATCH n,GET n,GET t,PATCH t" "... $2"
}
goes "$(sed 's/"kpipe.dev.part-of":"[^"]*"/"a":"b"/' <<<"$ours")" \
	"it is not a member any more"
goes "$(jq -c '.body.metadata.annotations["kpipe.dev/retain"] = "true"' \
	<<<"$ours")" "it is retained"
goes "$ours" "it was observed, and is left" "$created_line" \
	'"finalizers":{"remove":["e/f"],"seen":["u8"]}'
controlled='{"code":200,"body":{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","namespace":"default","uid":"u8","ownerReferences":[{"apiVersion":"example.com/v1","kind":"Thing","name":"t","controller":true,"uid":"u1"}]}}}'
goes "$controlled" "its own finalizer has gone" \
	"$(set_line "$held" '"known":{"Namespace//n":null}')"
held_still=$(jq -c '.body.metadata.finalizers = ["e/g"]' <<<"$controlled")
late "$held_still,$missing" "$(set_line "$held" '"known":{"Namespace//n":null}')"
wait_for 60 requested 5
end
is "$? $(sent)" "0 PATCH n,GET n,GET n,GET t,PATCH t" "... or it has, later"
done_testing
