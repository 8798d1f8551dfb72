# shellcheck shell=bash
# What tests of README.md share: its examples as files, and a reader who types
# them. After t/lib.sh:
#
#	readme_blocks ""		# <!-- run -->, <!-- prints --> ...
#	readme_blocks "folder: "	# <!-- folder: run --> ...
#	for block in "$T/blocks"/???; do readme_type "$block"; done
#
# The comment before an example says its meaning:
#
#	file: NAME	the contents of a file
#	run		commands that succeed
#	start		a command that keeps running
#	prints		what the commands before it print

# readme_blocks PREFIX [FILE]: of README.md, or that one: $T/blocks/NNN, its
# meaning in NNN.what
readme_blocks() {
	mkdir -p "$T/blocks"
	awk -v dir="$T/blocks" -v prefix="$1" '
	/^<!-- .* -->$/ {
		what = $0
		gsub(/^<!-- | -->$/, "", what)
		if (index(what, prefix) != 1) { what = ""; next }
		what = substr(what, length(prefix) + 1)
		if (what !~ /^(file: .*|run|start|prints)$/) what = ""
		next
	}
	what != "" && !inside && /^```/ {
		inside = 1
		file = sprintf("%s/%03d", dir, ++n)
		print what >(file ".what")
		next
	}
	inside && /^```$/ { inside = 0; what = ""; close(file); next }
	inside { print >file }
	' "${2:-README.md}"
}

# readme_files: the blocks that are files, as $T/NAME
readme_files() {
	local block what

	for block in "$T"/blocks/???; do
		what=$(<"$block.what")
		[[ $what != file:* ]] || cp "$block" "$T/${what#file: }"
	done
}

# readme_unnamed FILE: files of its examples whose names do not stand in the
# paragraph above: a reader does not see the comments
readme_unnamed() {
	awk '
	/^<!-- file: .* -->$/ {
		name = $3
		sub(/.*\//, "", name)
		if (!index(above, "`" name "`")) print name
	}
	/^<!--/ { next }
	/^$/ { blank = 1; next }
	blank { above = ""; blank = 0 }
	{ above = above " " $0 }
	' "$1"
}

# readme_start BLOCK: in the folder where the reader is, with what is exported; it
# is ended with the test
readme_start() {
	(
		cd "$(<"$T/reader.folder")" || exit
		# shellcheck source=/dev/null
		[ ! -e "$T/reader.exports" ] || . "$T/reader.exports"
		exec bash -c "exec $(<"$1")"
	) >>"$T/started" 2>&1 &
	started+=($!)
}

# readme_type BLOCK [SECONDS]: one after the other in one shell: the folder and
# what is exported stay for the next
readme_type() {
	local block=$1 title

	title=$(head -n 1 "$block" | cut -c -60)
	[ -e "$T/reader.folder" ] || echo "$T/work" >"$T/reader.folder"
	case $(<"$block.what") in
	file:*) cp "$block" "$T/work/$(sed 's/file: //' "$block.what")" ;;
	start) readme_start "$block" ;;
	run)
		# shellcheck disable=SC2016
		runs 0 "$title" timeout "${2:-300}" bash -e -o pipefail -c '
			[ ! -e "$1/reader.exports" ] || . "$1/reader.exports"
			cd "$(<"$1/reader.folder")"
			. "$2"
			pwd >"$1/reader.folder"
			export -p >"$1/reader.exports"' - "$T" "$block" ||
			quote <"$T/out"
		;;
	prints) same "$T/out" "$block" "... prints what is said" ;;
	esac
}
