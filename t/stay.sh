# shellcheck shell=bash
# Programs in Python that a test runs again and again: in one process (t/stay),
# for Python and what they import take longer to begin than they run.
#
#	. "${0%/*}/stay.sh"
#	stay PROGRAM ARGUMENT...	# its output and exit code
#
# They read no input, and one runs at a time.

mkfifo "$T/.stay"
exec 9< <(exec python3 t/stay "$T/.stay.out" "$T/.stay.err" <"$T/.stay")
exec 8>"$T/.stay"

stay() {
	local code='' text

	printf '%s\0' "$#" "$@" >&8
	read -r code <&9
	IFS= read -r -d '' text <"$T/.stay.out"
	printf %s "$text"
	IFS= read -r -d '' text <"$T/.stay.err"
	printf %s "$text" >&2
	return "${code:-1}"
}
