#!/bin/bash
# zsh and fish complete each option of each tool, with the text of --help.
# check-all: packages
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

for shell in zsh fish; do
	command -v $shell >/dev/null || skip_all "there is no $shell"
done

# complete.zsh FOLDER LINE...: what a zsh in a terminal of its own offers behind
# each line, as lines "## LINE" and the words, which it gives to compadd.
cat >"$T/complete.zsh" <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
begin=('fpath=('$1' $fpath); autoload -U compinit; compinit -D -u'
	'compadd() {
		local -a hits
		if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
			builtin compadd -O hits "$@"
			[[ -z $hits ]] || { print; print -rl -- "<"${^hits}; }
		fi
		builtin compadd "$@"
	}'
	'offer() {
		zle complete-word
		print; print "<"END
		BUFFER=; zle accept-line
	}'
	'zle -N offer; bindkey -e; bindkey "^I" offer; print "BEG"IN')
for line in $begin; do
	zpty -w shell $line
done
zpty -r shell out '*BEGIN*'
shift
for line; do
	zpty -w -n shell $line$'\t'
	zpty -r shell out '*<END*'
	print -r -- "## $line"
	print -r -- $out | tr -d '\r' | sed -n '/^<END/d; s/^<//p'
done
zpty -d shell
END
in_zsh() {
	timeout 180 zsh -f "$T/complete.zsh" "$T/zsh" "$@"
}
in_fish() {
	HOME=$T fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$T/fish/$1.fish" "$2"
}
# "--NAME<tab>TEXT" of --help, which wraps the text.
options_of_help() {
	"$1" --help | sed -n '1,/^Options:/d; s/^  \(-.,\|   \) --/--/; p' | awk '
	/^--/ { name = $1; sub(/\[?=.*/, "", name); row[++n] = name "\t"; $1 = "" }
	{ for (i = 1; i <= NF; i++) if ($i != "")
		row[n] = row[n] (row[n] ~ /\t$/ ? "" : " ") $i }
	END { for (i = 1; i <= n; i++) print row[i] }' | sort
}

mkdir "$T/zsh" "$T/fish" "$T/one"
cp t/cases/5600/incident.jsonl "$T/one"
tools=()
for main in cmd/*/main.c; do
	tool=${main#cmd/}
	tools+=("${tool%/main.c}")
done
for tool in "${tools[@]}"; do
	"$tool" --completion=zsh >"$T/zsh/_$tool"
	"$tool" --completion=fish >"$T/fish/$tool.fish"
done
in_zsh "${tools[@]/%/ --}" "kapply --log-level=" "kgen --completion=" \
	"kwatch --filename=$T/zs" "kwatch --once --o" "kapply -f x --fi" \
	"kapply -o " "kgen " "kgen new --from-chart=$T/zs" >"$T/zsh.out"
zsh_words() {
	sed -n '\,^## '"$1"'$,,/^## /{/^## /!p}' "$T/zsh.out"
}

for tool in "${tools[@]}"; do
	# Descriptors are for programs.
	options_of_help "$tool" | sed '/^[^	]*-fd	/d' >"$T/help"
	ok "$tool has options" test -s "$T/help"
	cut -f 1 "$T/help" >"$T/names"
	zsh_words "$tool --" | sort -u >"$T/words"
	same "$T/words" "$T/names" "... zsh completes them"
	in_fish "$tool" "$tool --" | grep -v '^[^	]*=' | sort >"$T/words"
	same "$T/words" "$T/help" "... and fish, with their text"
	# _describe pads the texts, so they are taken from the rules.
	zsh -fc '_arguments() {
			local spec
			for spec; do
				[[ $spec != (#b)*--([a-z-]#)(|=|=-)"["([^\]]#)"]"* ]] ||
					print -r -- "--$match[1]	${match[3]//\\/}"
			done
		}
		setopt extendedglob; compdef() { }
		. "$1"; "_$2"' - "$T/zsh/_$tool" "$tool" >"$T/words"
	sort -u "$T/words" >"$T/texts"
	same "$T/texts" "$T/help" "... and so has zsh"
done

is "$(zsh_words "kapply --log-level=" | xargs)" "debug info warning error" \
	"zsh: a choice"
is "$(zsh_words "kapply -o " | xargs)" "status result none" \
	"... of a short option"
is "$(zsh_words "kgen --completion=" | xargs)" "bash zsh fish" \
	"... that may be left out"
is "$(zsh_words "kwatch --filename=$T/zs" | xargs)" "zsh zsh.out" "... files"
is "$(zsh_words "kwatch --once --o" | xargs)" "--objects" \
	"... an option is offered once"
is "$(zsh_words "kapply -f x --fi" | xargs)" "--filename --field-manager" \
	"... or more often, where that means something"
is "$(in_fish kapply "kapply --log-level=" | cut -f 1 | xargs)" \
	"--log-level=debug --log-level=error --log-level=info --log-level=warning" \
	"fish: a choice"
is "$(in_fish kgen "kgen --completion=" | cut -f 1 | xargs)" \
	"--completion=bash --completion=fish --completion=zsh" \
	"... that may be left out"
is "$(in_fish kwatch "kwatch --filename=$T/zs" | LC_ALL=C sort | xargs)" \
	"--filename=$T/zsh.out --filename=$T/zsh/" "... files"
is "$(in_fish kgen "kgen --folder=$T/zs" | cut -f 1)" "--folder=$T/zsh/" \
	"... folders"
is "$(in_fish kgen "kgen new --from-chart=$T/zs" | cut -f 1)" \
	"--from-chart=$T/zsh/" "... also behind a command"
is "$(zsh_words "kgen new --from-chart=$T/zs" | sort -u | xargs)" zsh "zsh: folders"

# --- operands
kgen --help | sed -n '/^  [a-z]/s/^  \([a-z]*\).*/\1/p' | sort >"$T/commands"
zsh_words "kgen " | sort >"$T/words"
same "$T/words" "$T/commands" "zsh: commands"
in_fish kgen "kgen " | sort >"$T/words"
same "$T/words" "$T/commands" "fish: commands"
is "$(cd "$T/one" && in_fish kwhy "kwhy deploy d" | xargs)" "default/example" \
	"... and names of objects"
is "$(cd "$T/one" && in_zsh "kwhy deploy d" | grep default)" "default/example" \
	"zsh: names of objects"

# eval is what a user without the installed files writes.
runs 0 "zsh evaluates the rules" zsh -fc \
	'autoload -U compinit; compinit -D -u
	eval "$(kwatch --completion=zsh)"; print $_comps[kwatch]'
is "$(<"$T/out")" _kwatch "... which are for kwatch"
done_testing
