#!/bin/bash
# The bugs of t/mutants have their places in today's source, and their tests are
# there; t/mutants/run --places says which has not.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

runs 0 "each bug has its place" t/mutants/run --places
is "$(<"$T/out")" "" "... without a word"

# A tree with nothing but what is looked at.
mkdir -p "$T/t/unit/a"
cp -r t/mutants "$T/t"
find "$T/t/mutants" -type f ! -name run -delete
touch "$T/t/a.sh" "$T/t/unit/a/test-a.c"
printf '%s\n' 'one' '	two' 'three' 'one' >"$T/a.c"
cat >"$T/t/mutants/a" <<'END'
a.c: a.sh test-a manifests
It is there, and indented.
-two
-three
+four

a.c: a.sh
It is there twice.
-one
+four

# a comment
a.c: a.sh
It is not there.
-five
+four

b.c: a.sh
Its file is not there.
-one
+four

a.c: a.sh b.sh
Its shell test is not there.
-two
+four

a.c: test-b
Its unit test is not there.
-two
+four
END
runs 1 "some have none" "$T/t/mutants/run" --places
is "$(tr -s ' ' <"$T/out")" "no place a:7 a.c: It is there twice.
no place a:13 a.c: It is not there.
no file a:18 b.c: Its file is not there.
no b.sh a:23 a.c: Its shell test is not there.
no test-b a:28 a.c: Its unit test is not there." \
	"... each is named, with its line"
runs 0 "one of them alone" "$T/t/mutants/run" --places a:1
done_testing
