#!/bin/bash
# What a shell completes besides options: commands, and what kwhy knows of a
# recording; also for kubectl, which finds some tools as plugins.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# in_bash TOOL WORD...: what bash offers for the last word
in_bash() {
	"$1" --completion >"$T/rules"
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		"_$1" 2>/dev/null; printf "%s\n" "${COMPREPLY[@]}"' - "$T/rules" "$@"
}
is "$(in_bash kgen "" | xargs)" \
	"$(kgen --help | sed -n '/^  [a-z]/{s/^  \([a-z]*\).*/\1/p}' | xargs)" \
	"the commands of kgen are those of --help"
ok "... which has some" test "$(in_bash kgen "" | wc -l)" -ge 9
is "$(in_bash krecord "c" | xargs)" "cut cat" "commands of krecord"
is "$(in_bash krecord --log-time "st" | xargs)" stat \
	"... behind an option"
is "$(in_bash krecord cut "c" | xargs)" "" "... once"
is "$(in_bash kapply "")" "" "a tool without commands has files"
is "$(in_bash kgen new x --from-c | xargs)" "--from-cluster= --from-chart=" \
	"options behind a command"
is "$(in_bash kgen new x --from-chart = "")" "" "... and files behind theirs"
for main in cmd/*/main.c; do
	tool=${main#cmd/} tool=${tool%/main.c}
	for shell in bash zsh fish; do
		"$tool" --completion=$shell | grep -qE -e '[- ]-fd|[a-z]-fd\b' &&
			echo "$tool $shell"
	done
done >"$T/descriptors"
is "$(<"$T/descriptors")" "" "descriptors are for programs: no rules have them"

# --- kwhy
mkdir "$T/one" "$T/two" "$T/none"
cp t/cases/5600/incident.jsonl "$T/one/a.jsonl"
cp t/cases/5600/incident.jsonl "$T/two/a.jsonl"
printf '{"type":"ADDED","object":{"apiVersion":"v1","kind":"Role","metadata":{"name":"%s"}}}\n' \
	'$(touch evil)' '`touch evil`' 'a b' 'good:one' >"$T/two/b.jsonl"
mkdir "$T/dir"
zstd -q -o "$T/dir/00000001.jsonl.zst" t/cases/5600/incident.jsonl
kwhy_in() { # FOLDER WORD...
	(cd "$T/$1" && kwhy --complete -- "${@:2}" | xargs)
}
kinds="Memcached.cache.example.com Deployment.apps"
is "$(kwhy_in one "")" "$kinds" "kinds, of the only recording in the folder"
is "$(kwhy_in one D)" "Deployment.apps" "... that begin so"
is "$(kwhy_in one deploy "")" "default/example" "... and names"
is "$(kwhy_in one --spec -n default sts "")" "" "... of that kind"
is "$(kwhy_in one deploy default/example "")" "" "then files"
is "$(kwhy_in two "")" "" "of two recordings none is chosen"
is "$(kwhy_in none "")" "" "nor is there one"
is "$(kwhy_in dir "")" "$kinds" "the folder itself is one"
is "$(kwhy_in . "")" "$kinds" "... or one in it"
mkfifo "$T/one/pipe.jsonl"
is "$(kwhy_in one "D")" "Deployment.apps" "a pipe is not waited for"
is "$(cd "$T/two" && kwhy --complete a.jsonl -- "" | xargs)" "$kinds" \
	"one that stands behind the word"
is "$(cd "$T/two" && kwhy --complete b.jsonl -- role "" | xargs)" "good:one" \
	"a name that a shell would run is not offered"
is "$(cd "$T/one" && in_bash kwhy deploy "")" "default/example" "bash asks"
is "$(cd "$T/two" && in_bash kwhy role "" && ls)" \
	"$(printf '\na.jsonl\nb.jsonl')" "... and runs nothing"
is "$(cd "$T/one" && in_bash kwhy --sp | xargs)" "--spec" "... options as well"

# --- kubectl
for tool in kwhy kview kapply; do
	ok "kubectl-$tool is there" test -x "bin/kubectl-$tool"
	runs 0 "... which is $tool" "kubectl-$tool" --help
	is "$(head -n 1 "$T/out" | cut -d ' ' -f 1-3)" "Usage: kubectl $tool" \
		"... and says how it is called"
	runs 100 "... also with a bad option" "kubectl-$tool" --bad
	is "$(<"$T/err")" \
		"kubectl-$tool: fatal: unknown option --bad (see --help)" \
		"... which it names"
	is "$("kubectl_complete-$tool" --completi)" "--completion" \
		"kubectl_complete-$tool completes options"
done
is "$(cd "$T/one" && kubectl_complete-kwhy deploy "")" "default/example" \
	"... and names"
is "$(cd "$T/one" && kubectl_complete-kwhy "" | xargs)" "$kinds" "... and kinds"
is "$(kubectl_complete-kapply -f "")" "" "... and otherwise files"
runs 111 "words that cannot be written" sh -c 'kubectl_complete-kwhy --s >/dev/full'
done_testing
