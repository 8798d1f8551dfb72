#!/bin/bash
# kwhy: the story of one object.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
recording=t/cases/5600/incident.jsonl

# story WHAT KIND NAME [OPTION]...: the sentences are those on standard input
story() {
	cat >"$T/want"
	runs 0 "$1" kwhy "$2" "$3" "$recording" "${@:4}"
	same "$T/out" "$T/want" "... its story"
	is "$(<"$T/err")" "" "... and nothing else"
}
story "a dependent" Deployment default/example <<'END'
2026-11-27
15:00:00.100  (from here on: kpipe 0.1.0 (0123456789ab), Memcached.cache.example.com by reconcile.jq 1111111111111111)
15:00:00.100  (the operator became the leader)
15:00:01.010  Memcached default/example wants it to be made, because Memcached default/example was added by kubectl-create
15:00:01.020  kapply: created: after ADDED Memcached.cache.example.com default/example by kubectl-create
15:00:01.030  It was seen (by kpipe-memcached)
15:10:00.000  It was seen to change (by kubectl-scale): .spec.replicas 3 -> 7
15:10:00.010  Memcached default/example wants it to be repaired: .spec.replicas is 7, wanted is 3, because Deployment default/example was changed by kubectl-scale
15:10:00.020  kapply: configured: .spec.replicas 7, wanted 3; set by kubectl-scale
15:11:00.000  (lines were lost here)
15:12:00.000  It was seen to be gone
END
story "a primary" memcacheds.cache.example.com default/example <<'END'
2026-11-27
15:00:00.100  (from here on: kpipe 0.1.0 (0123456789ab), Memcached.cache.example.com by reconcile.jq 1111111111111111)
15:00:00.100  (the operator became the leader)
15:00:01.000  It was seen (by kubectl-create)
15:00:01.010  It was decided: Deployment default/example to be made; status nodes [], because Memcached default/example was added by kubectl-create
15:00:01.020  kapply: Deployment default/example created: after ADDED Memcached.cache.example.com default/example by kubectl-create
15:10:00.010  It was decided: Deployment default/example to be repaired: .spec.replicas is 7, wanted is 3, because Deployment default/example was changed by kubectl-scale
15:10:00.020  kapply: Deployment default/example configured: .spec.replicas 7, wanted 3; set by kubectl-scale
15:11:00.000  (lines were lost here)
END
story "the long form" memcached default/example --long <<'END'
2026-11-27T15:00:00.100000Z  2  (from here on: kpipe 0.1.0 (0123456789ab), Memcached.cache.example.com by reconcile.jq 1111111111111111)
2026-11-27T15:00:00.100000Z  2  (the operator became the leader)
2026-11-27T15:00:01.000000Z  3  It was seen (version 5, by kubectl-create).
2026-11-27T15:00:01.010000Z  4  It was decided: Deployment.apps default/example to be made; status nodes [], because Memcached.cache.example.com default/example was added by kubectl-create, version 5, line 3.
2026-11-27T15:00:01.020000Z  5  kapply: Deployment.apps default/example created: after ADDED Memcached.cache.example.com default/example by kubectl-create.
2026-11-27T15:00:01.021000Z  6  A status was sent: as before.
2026-11-27T15:10:00.010000Z  9  It was decided: Deployment.apps default/example to be repaired: .spec.replicas is 7, wanted is 3, because Deployment.apps default/example was changed by kubectl-scale, version 9, line 8.
2026-11-27T15:10:00.020000Z  10  kapply: Deployment.apps default/example configured: .spec.replicas 7, wanted 3; set by kubectl-scale.
2026-11-27T15:11:00.000000Z  11  (lines were lost here)
END
kwhy -v memcached default/example "$recording" >"$T/out" 2>"$T/err"
same "$T/out" "$T/want" "-v is the long form"
story "only changes" deploy default/example --changes <<'END'
2026-11-27
15:00:00.100  (from here on: kpipe 0.1.0 (0123456789ab), Memcached.cache.example.com by reconcile.jq 1111111111111111)
15:00:00.100  (the operator became the leader)
15:00:01.030  It was seen (by kpipe-memcached)
15:10:00.000  It was seen to change (by kubectl-scale): .spec.replicas 3 -> 7
15:11:00.000  (lines were lost here)
15:12:00.000  It was seen to be gone
END

# --- how an object is spelled
for kind in deployment DEPLOYMENTS Deployment.apps deployments.apps deploy \
	DEPLOY deploy.apps; do
	runs 0 "$kind" kwhy "$kind" default/example "$recording"
done
for kind in deploymen deployment.batch deploy.batch deploys Pod; do
	runs 1 "$kind is another kind" kwhy "$kind" default/example "$recording"
done
is "$(<"$T/err")$(<"$T/out")" "kwhy: error: nothing of Pod default/example is in the recording: its kinds are Memcached.cache.example.com, Deployment.apps" \
	"... which is said, with the kinds that there are"
runs 1 "another namespace" kwhy deployment other/example "$recording"
is "$(<"$T/err")" "kwhy: error: nothing of deployment other/example is in the recording: it has default/example" \
	"... which is said, with the objects that there are"
runs 1 "another name" kwhy deployment default/exampel "$recording"
ok "... with the nearest" grep -q "(did you mean default/example?)" "$T/err"
runs 1 "no namespace" kwhy deployment example "$recording"
is "$(<"$T/err")" "kwhy: error: nothing of deployment example is in the recording: say its namespace: default/example" \
	"... the one that it has is said"
for name in "deploy/default/example" "deploy/example -n default" \
	"deploy example --namespace=default" "deploy default/example -n default"; do
	# shellcheck disable=SC2086
	runs 0 "$name" kwhy $name "$recording"
done
runs 100 "two namespaces" kwhy deploy/default/example -n other "$recording"
is "$(<"$T/err")" "kwhy: fatal: option --namespace: other and the namespace of default/example differ" \
	"... are refused"
# As they are in what a real API server serves
awk -F'\t' '!/^#/ && $8 != "-" { n = split($8, s, ",")
	for (i = 1; i <= n; i++) print s[i], $5 }' \
	cmd/kapi/type/resources.txt >"$T/short-names"
while read -r short kind; do
	printf '{"type":"ADDED","object":{"apiVersion":"x/v1","kind":"%s","metadata":{"name":"n"}}}\n' \
		"$kind" | kwhy "$short" n >"$T/out" 2>"$T/err" ||
		echo "$short"
done <"$T/short-names" >"$T/missing"
is "$(<"$T/missing")" "" "kubectl's short names are known"
ok "... many" test "$(wc -l <"$T/short-names")" -gt 20
policy() {
	printf '{"type":"%s","object":{"apiVersion":"example.com/v1","kind":"Policy","metadata":{"name":"p","resourceVersion":"%s"}%s}}\n' "$@"
}
policy ADDED 1 '' | kwhy -l policies p >"$T/out"
is "$(<"$T/out")" "-  1  It was seen (version 1)." \
	"a plural in -ies, an object of the cluster, a line without a time"
{
	policy ADDED 1 '' | sed 's/"1"/1/'
	printf '{"record":"set","line":{"items":[],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Policy","name":"p"},"because":{"events":[{"type":"ADDED","apiVersion":"example.com/v1","kind":"Policy","name":"p","resourceVersion":1}]}}}}\n'
} | kwhy -l policies p >"$T/out"
is "$(<"$T/out")" "-  1  It was seen (version 1).
-  2  It was decided that nothing is left to do, because Policy.example.com p was added, version 1, line 1." \
	"a version that is a number"
policy ADDED 1 '' | sed 's/Policy/Polic\\u0079/; s/"name"/"n\\u0061me"/' |
	kwhy -l policies p >"$T/out"
is "$(<"$T/out")" "-  1  It was seen (version 1)." \
	"a kind and a key with escapes that they do not need"

# --- decisions
set() { # MEMBERS ITEMS
	printf '{"record":"set","line":{"items":[%s],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"t"}%s}}}\n' \
		"$2" "${1:+,$1}"
}
pod() {
	printf '{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"%s"}}' "$1"
}
decided() { # WHAT WANT: of the line on standard input
	kwhy -l thing ns/t >"$T/out"
	is "$(<"$T/out")" "-  1  It was decided$2." "$1"
}
start=", by what was there at the start"
decided "nothing" " that nothing is left to do$start" < <(set "" "")
decided "all at once" ": Pod ns/y to be made; to be deleted: Pod ns/x; finalizers {\"add\":[\"f\"]}$start" \
	< <(set '"delete":[{"apiVersion":"v1","kind":"Pod","namespace":"ns","name":"x"}],"finalizers":{"add":["f"]}' "$(pod y)")
decided "made again" ": Pod ns/y to be made again, for it was gone (who deleted it, only the API server's audit log says), because its time had come (requeue); and 2 more events" \
	< <(set '"because":{"items":{"Pod/ns/y":{"gone":true}},"events":[{"timer":"requeue"}],"moreEvents":2}' "$(pod y)")
decided "fields" ": Pod ns/y to be changed: .a differs; .b is 1, wanted is 2; and 1 more$start" \
	< <(set '"because":{"items":{"Pod/ns/y":{"differs":[{"path":".a"},{"path":".b","observed":"1","wanted":"2"}],"moreDiffers":1,"version":"7"}}}' "$(pod y)")
set "" "$(pod 1),$(pod 2),$(pod 3),$(pod 4),$(pod 5),$(pod 6),$(pod 7),$(pod 8)" |
	kwhy -l thing ns/t >"$T/out"
ok "many objects: six are named" grep -q 'Pod ns/6 to be made and 2 more, by' "$T/out"
set '"delete":[{"apiVersion":"v1","kind":"Pod","namespace":"ns","name":"x"}]' "" |
	kwhy -l pod ns/x >"$T/out"
is "$(<"$T/out")" "-  1  Thing.example.com ns/t wants it to be deleted$start." \
	"what is to be deleted"

# --- what others wrote
secret() {
	printf '{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"S\\u0065cret","metadata":{"namespace":"ns","name":"s","resourceVersion":"%s"},"d\\u0061ta":{"p":"%s"}}}\n' "$@"
}
{ secret 1 aHVudGVyMg==; secret 2 ZXZpbDc=; } | kwhy -l secret ns/s >"$T/out"
is "$(<"$T/out")" "-  1  It was seen (version 1).
-  2  It was seen to change (version 2): .data.p." "values of Secrets are not told"
printf '{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"p","resourceVersion":"1"}},"manager":"x\\u001b[31m\\nkwhy"}\n' |
	kwhy -l pod ns/p >"$T/out"
is "$(<"$T/out")" '-  1  It was seen (version 1, by x\x1b[31m\nkwhy).' \
	"invisible characters are made visible"
bad=$(printf '\302\233')
{
	printf '{"record":"segment","version":1,"tool":"x","programs":{"A%s":"b"}}\n' "$bad"
	set '"because":{"events":[{"type":"ADDED","kind":"Pod","name":"n","resourceVersion":"1'"$bad"'"}]}' ""
	printf '{"record":"result","tool":"k%s","line":{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"namespace":"ns","name":"t"},"result":"created"}}\n' "$bad"
} >"$T/a$bad"
kwhy -l thing ns/t "$T/a$bad" "$T/a$bad" >"$T/out" 2>&1
is "$(grep -ac "$bad" "$T/out")" 0 "... everywhere"
is "$(grep -aoF '\u009b' "$T/out" | wc -l)" 10 "... and still told"
{
	set '"because":{"items":{"Secret/ns/s":{"differs":[{"path":".data.p","observed":"aHVudGVyMg==","wanted":"eA=="}]}}}' \
		'{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"ns","name":"s"}}'
} | kwhy -l secret ns/s >"$T/out"
is "$(<"$T/out")" "-  1  Thing.example.com ns/t wants it to be changed: .data.p differs$start." \
	"values of Secrets are not told if a set has them"

# --- files
zstd -q -o "$T/a.jsonl.zst" "$recording"
runs 0 "a compressed one" kwhy -l deployment default/example "$T/a.jsonl.zst"
cp "$T/out" "$T/whole"
kwhy -l deployment default/example <"$recording" >"$T/out"
same "$T/out" "$T/whole" "standard input, and -"
mkdir "$T/dir"
head -n 6 "$recording" | zstd -q -o "$T/dir/00000001.jsonl.zst"
{ head -n 1 "$recording"; tail -n +7 "$recording"; } |
	zstd -q -o "$T/dir/00000002.jsonl.zst"
runs 0 "segments" kwhy -l deployment default/example "$T/dir"
is "$(awk '{print $2}' "$T/out" | xargs)" \
	"00000001:2 00000001:2 00000001:4 00000001:5 00000002:2 00000002:3 00000002:4 00000002:5 00000002:6 00000002:7" \
	"... are named"
ok "... also in a sentence" grep -q 'version 9, line 00000002:3\.' "$T/out"
head -c -9 "$recording" >"$T/cut"
runs 0 "a recording that was cut" kwhy -l deployment default/example "$T/cut"
ok "... which is said" grep -q "^kwhy: warning: .*cut" "$T/err"
is "$(wc -l <"$T/out")" 9 "... all before it is told"
cat "$T/dir/00000001.jsonl.zst" <(head -c 5 "$T/dir/00000002.jsonl.zst") \
	>"$T/open.zst"
runs 0 "... behind a line" kwhy deployment default/example "$T/open.zst"
is "$(<"$T/err")" "kwhy: warning: $T/open.zst: the end is missing behind line 6: it is being written, or its writer was killed" \
	"... may still be written"
{ echo 'bad {'; cat "$recording"; } >"$T/bad"
runs 1 "a bad line" kwhy -l deployment default/example "$T/bad"
is "$(wc -l <"$T/out")" 10 "... the rest is told"
ok "... it is named" grep -q "bad:1: " "$T/err"
sed 's/"version":1,/"version":99,/' "$recording" >"$T/new"
runs 100 "an unknown version" kwhy -l deployment default/example "$T/new"
ok "... file and version are named" grep -q "new.*99" "$T/err"

# --- an object of which a line has only the identity
runs 0 "one that was too large" kwhy -l deployment n/d t/cases/5600/large.jsonl
is "$(cut -d ' ' -f 5- "$T/out")" "It was seen (version 1).
It was seen, too large to be read (version 2).
It was seen to change (version 3): .spec.replicas 1 -> 2." \
	"... nothing is said to be gone from it"

# --- operands
refuses "operands are missing: KIND NAMESPACE/NAME [RECORDING]..." kwhy
refuses "$T/dir is there, so it is taken for a recording; name the object before it: kwhy KIND NAMESPACE/NAME $T/dir" \
	kwhy "$T/dir"
runs 100 "not a name" kwhy pod a/b/c
is "$(<"$T/err")" "kwhy: fatal: operand \"a/b/c\" is not NAMESPACE/NAME, or NAME of an object without a namespace" "... is said"
runs 100 "not a kind" kwhy "" a
runs 100 "no such file" kwhy pod a/b "$T/nowhere"
ok "... is named" grep -q "$T/nowhere" "$T/err"
runs 111 "a full disk" sh -c 'kwhy -l deployment default/example t/cases/5600/incident.jsonl >/dev/full'
done_testing
