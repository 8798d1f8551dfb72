# shellcheck shell=bash disable=SC2034
# What the tests of kapply against a scripted server (writes.sh) share.
#
#	. "${0%/*}/lib.sh"
#	. "${0%/*}/kapply.sh"
#	serve '{...}'; set_line ... >"$T/in"
#	runs 0 "..." apply -o result	# on $T/in
#	begin -o result			# in the background: lines come by >&7
#	end				# ... no more: its exit code

. "${BASH_SOURCE[0]%/*}/writes.sh"

# apply [ARGUMENT]...
apply() {
	kapply --server "$url" --timeout=60s "$@" <"$T/in"
}

# begin [ARGUMENT]...: stdout is in $T/out, stderr in $T/err, descriptor 5 in
# $T/report
begin() {
	[ -p "$T/pipe" ] || mkfifo "$T/pipe"
	start piped "$@"
	applier=$!
	exec 7>"$T/pipe"
}

# The pipe is opened last: then the files are those of this run.
piped() {
	exec kapply --server "$url" --timeout=60s "$@" \
		>"$T/out" 2>"$T/err" 5>"$T/report" <"$T/pipe"
}

end() {
	exec 7>&-
	wait "$applier"
}

# sent: the requests as a line
sent() {
	requests | paste -sd,
}

# bodies NAME: the bodies of the PATCHes of that object, in their order
bodies() {
	sed -nE "s,^PATCH [^ ]*/$1 ,,p" "$T/requests"
}

# The label of what is marked as a member of the Thing t
part=$(printf %s Thing.example.com/default/t | sha256sum | cut -c -32)
