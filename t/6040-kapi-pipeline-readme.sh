#!/bin/bash
# pipeline/README as a reader follows it, on kapi: a block after a line "NAME:"
# is the content of that file; $ begins a command, > its next line, and the
# lines behind are what it prints. All commands run in one shell.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
own_kubectl # what is done here prints the same

# The tutorial begins in a folder with bin and pipeline, as this one
mkdir "$T/root" "$T/c"
ln -s "$BIN" "$T/root/bin"
ln -s "$ROOT/pipeline" "$T/root/pipeline"

# script: the commands; each has its output in $T/c/N.out, its text in N.text
# and the expected output in N.want. A file is written by the first command
# behind it, as its folder does not exist before.
awk -v dir="$T/c" '
function finish() {
	if (command == "") return
	name = sprintf("%s/%03d", dir, ++n)
	printf "%s", command >(name ".text")
	printf "%s", want >(name ".want")
	close(name ".text"); close(name ".want")
	printf "{\n%s} >%s.out 2>&1\necho $? >%s.code\n", command, name, name
	command = want = ""
}
function block_ends() {
	finish()
	if (file != "" && content != "") {
		printf "cat >%s <<\"END OF FILE\"\n%sEND OF FILE\n", file, content
		file = content = ""
	}
}
/^[a-z.]+:$/ { block_ends(); file = substr($0, 1, length($0) - 1); next }
/^    / {
	line = substr($0, 5)
	if (file != "") content = content line "\n"
	else if (line ~ /^\$ /) { finish(); command = substr(line, 3) "\n" }
	else if (line ~ /^> /) command = command substr(line, 3) "\n"
	else want = want line "\n"
	next
}
/^$/ { next }
{ block_ends() }
END { block_ends(); print "kill $(jobs -p) 2>/dev/null\nwait" }' pipeline/README >"$T/script"

(cd "$T/root" && timeout 600 bash "$T/script") >"$T/shell.out" 2>&1
is "$(<"$T/shell.out")" "" "the shell has nothing to say"
ok "there are commands" test -e "$T/c/025.code"
for text in "$T/c"/*.text; do
	name=${text%.text}
	same "$name.out" "$name.want" "$(head -n 1 "$text" | cut -c -60)" ||
		note "exit code $(<"$name.code")"
done
for log in "$T/root/mine"/*.log; do
	[ "$failed" -gt 0 ] && [ -s "$log" ] && note "${log##*/}: $(tail -n 3 "$log")"
done
done_testing
