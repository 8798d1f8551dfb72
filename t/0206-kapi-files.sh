#!/bin/bash
# kapi: files that it writes are for their owner, also if they were there before.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

mode() {
	stat -L -c %a "$1"
}
cd "$T" || exit 1
umask 0
files=(journal state)

# life WHAT: kapi, from its start to its end, with the files
life() {
	kapi_up --journal journal --save state
	ask POST /api/v1/namespaces/default/configmaps "$(config_map c)" >/dev/null
	kapi_down "$1"
	is "$(grep -c '"create"' journal)" "$2" "... it has written the journal"
	is "$(grep -c '"name":"c"' state)" 1 "... and the state"
	is "$(mode journal) $(mode state) $(mode kubeconfig)" "600 600 600" \
		"... for its owner"
}

life "new files" 1
chmod 666 "${files[@]}" kubeconfig
life "files that everybody could read" 2
for file in "${files[@]}"; do
	mv "$file" "$file.real"
	ln -s "$file.real" "$file"
done
chmod 644 ./*.real
life "links to such files" 3
is "$(find . -type l | sort | tr '\n' ' ')" "./journal ./state " \
	"... links stay"
yes | head -n 9999 >old
chmod 666 old
ln -s old link
start kapi --kubeconfig-out link 2>kapi.err
wait_for 10 grep -q current-context old
is "$(mode old) $(grep -c '^y$' old)" "600 0" "a kubeconfig through a link"

# A file that is in the way, where another user could have put it.
rm state journal
echo mine >elsewhere
chmod 666 elsewhere
ln -s elsewhere state.tmp
life "a link where the new state is written" 1
is "$(<elsewhere)" mine "... is not followed"

# A pipe is as it is.
mkfifo -m 666 pipe
cat pipe >piped &
kapi_up --journal pipe
ask GET /version >/dev/null
kapi_down "a pipe"
wait_for 10 test -s piped
is "$(mode pipe)" 666 "... keeps its mode"
done_testing
