#!/bin/bash
# The bugs of t/torture/bugs have their places in today's source, and their
# operators are there; what t/torture/plant says of bugs that are found, or not.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

runs 0 "each bug has its place" t/torture/plant --places
is "$(<"$T/out")" "" "... without a word"

# A tree with nothing but what is looked at. Its ktorture is a script, which
# finds what has to do with two or five.
mkdir -p "$T/t/torture/bugs" "$T/pipeline/one" "$T/pipeline/other"
cp t/torture/plant "$T/t/torture"
printf '%s\n' 'one' '	two' 'three' 'one' 'five' >"$T/a.c"
cat >"$T/t/torture/bugs/a" <<'END'
there: a.c one
It is there, and indented.
= gap
-two
-three
+four

two-places: a.c other one
It has two places.
= two: gap + kill
-five
+six
-two
+four

half: a.c one
It is not C.
= gap
-five
+six

unseen: a.c one
It harms nobody.
= none: nothing looks at it
-three
+3

twice: a.c one
It is there twice.
= gap
-one
+four

not-there: a.c one
It is not there.
= gap
-seven
+four

no-file: b.c one
Its file is not there.
= gap
-one
+four

no-operator: a.c one third
Its operator is not there.
= gap
-two
+four

no-finder: a.c one
Nobody has thought of what finds it.
-two
+four
END
plant=$T/t/torture/plant
runs 1 "some have none" "$plant" --places
is "$(tr -s ' ' <"$T/out")" "no place twice a.c
no place not-there a.c
no file no-file b.c
no third no-operator a.c
no word no-finder a.c" "... each is named"
runs 0 "one of them alone" "$plant" --places there

cat >"$T/ktorture.sh" <<'END'
#!/bin/sh
case $0 in *-without) source=good.c ;; *) source=a.c ;; esac
case $* in
"-f $2 --seed="[789]" --seconds=2 --fail-fast" | "-f $2 --schedule=gap@"*) ;;
*) exit 100 ;;
esac
grep -q two $source && exit 0
case $(dirname "$2") in
*/other) grep -q five $source || exit 0 ;;
esac
echo "... a table"
echo "12 schedules, 240 a minute"
echo "ktorture -f $2 --schedule=gap@kwatch/watch/pods#1"
exit 1
END
cp "$T/a.c" "$T/good.c"
printf 'bin/ktorture: ktorture.sh a.c\n\tmkdir -p bin\n\t%s\n' \
	"! grep -q six a.c || grep -q four a.c
	cp ktorture.sh bin/ktorture" >"$T/Makefile"
chmod +x "$T/ktorture.sh"
touch "$T/pipeline/one/watches.yaml" "$T/pipeline/other/watches.yaml"
printf 'build/\n' >"$T/.gitignore"
git init -q "$T"

runs 1 "one is not found" \
	"$plant" --seed=7 --seconds=2 there two-places half unseen twice
is "$(sed -E 's/ +[0-9]+ s / /' "$T/out" | tr -s ' ')" \
	"found there one ktorture -f pipeline/one/watches.yaml --schedule=gap@kwatch/watch/pods#1
found two-places one ktorture -f pipeline/one/watches.yaml --schedule=gap@kwatch/watch/pods#1
DOES NOT BUILD half = gap
NOT FOUND unseen one = none: nothing looks at it
NO PLACE twice = gap
DOES NOT BUILD: 1, NO PLACE: 1, NOT FOUND: 1, found: 2
2 of 5 bugs found; of the 4 that can be, 2 (50 %)" \
	"... each with its schedule, and how many of how many"
runs 0 "all that can be found are" \
	"$plant" --seed=7 --seconds=2 there unseen
is "$(cmp "$T/a.c" "$T/build/planted/a.c" && echo same)" same \
	"the copy is as it was"
sed -i s/two/2/ "$T/a.c" "$T/good.c"
runs 0 "an operator that fails without a bug" \
	"$plant" --seed=7 --seconds=2 unseen
ok "... shows none" grep -q '^FALSE ALARM  *unseen .* ktorture -f' "$T/out"
runs 1 "there is no such bug" "$plant" nothing
is "$(<"$T/err")" "plant: nothing: neither a bug nor a file of bugs" \
	"... and the message says so"
done_testing
