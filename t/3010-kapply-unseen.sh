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

# No answer: the object may have been created.
gone=$(printf '{"end":"close"},%.0s' {1..50})
serve "{\"GET $THINGS/t\":[$thing],\"PATCH /api/v1/namespaces/n\":[${gone%,}]}"
begin --timeout=3s
set_line "$ns" '"known":{"Namespace//n":null}' >&7
wait_for 5 requested 2
removes
is "$? $(requests | sort -u)" "1 PATCH n" "... and stays if there was no answer"
done_testing
