#!/bin/bash
# lib.sh itself: a test passes only if everything that it claims was checked.
. "${0%/*}/lib.sh"

# script: a test of the lines on standard input; it runs as prove runs one.
script() {
	{
		echo ". '$ROOT/t/lib.sh'"
		cat
	} >"$T/script.sh"
	TMPDIR=$T t/exec "$T/script.sh" >"$T/out" 2>"$T/err"
	code=$?
}

# passes WHAT, fails WHAT LINE: the test on standard input passes; it fails, and
# prints that line.
passes() {
	script
	is "$code $(grep -c '^not ok\|^Bail' "$T/out")" "0 0" "$1"
}

fails() {
	script
	[ "$code" -ne 0 ] && grep -qxF -- "$2" "$T/out"
	tap $? "$1" || quote <"$T/out"
}

passes "one that succeeds" <<'END'
ok "it is so" true
is a a "the same"
runs 3 "with that code" bash -c 'exit 3'
done_testing
END

fails "one that fails" "not ok 1 - it is so" <<'END'
ok "it is so" false
done_testing
END

# One that is left holds the output, and prove waits for its end for ever.
passes "one that starts a function" <<END
f() { sleep 1000 & echo \$! >$T/child; wait; }
start f
ok "it runs" wait_for 20 test -s $T/child
done_testing
END
gone() {
	[ -s "$T/child" ] && ! kill -0 "$(<"$T/child")" 2>/dev/null
}
ok "... its child is gone, too" wait_for 20 gone

fails "nothing is tested" "Bail out! script.sh has tested nothing" <<'END'
done_testing
END

fails "the end is not reached" "not ok 2 - script.sh ended early" <<'END'
ok "it is so" true
exit 0
END

fails "a wait that fails, as a command of its own" \
	"not ok 2 - line 2 of script.sh: waited 0 s, without success, for: false" <<'END'
wait_for 0 false
ok "it is so" true
done_testing
END

fails "... with something to do then" \
	"not ok 2 - line 3 of script.sh: waited 0 s, without success, for: false" <<'END'
ok "it is so" true
wait_for 0 false || done_testing
done_testing
END

fails "... in a function that goes on" \
	"not ok 2 - line 2 of script.sh: waited 0 s, without success, for: false" <<'END'
f() { wait_for 0 false; true; }
ok "it is so" f
done_testing
END

fails "... in a subshell" \
	"not ok 2 - line 2 of script.sh: waited 0 s, without success, for: false" <<'END'
said=$(wait_for 0 false; echo yes)
is "$said" yes "it is so"
done_testing
END

fails "... as what is tested: once" "1..1" <<'END'
ok "it comes" wait_for 0 false
done_testing
END

passes "what may come, and need not" <<'END'
if comes 0 false; then echo yes; fi
comes 0 false || ok "it need not" true
ok "it came" comes 0 true
done_testing
END

fails "a command that is not there" \
	"not ok 2 - no command no-such-command (t/install-packages)" <<'END'
is "$(no-such-command 2>"$T/err")" "" "it says nothing"
done_testing
END

fails "a test whose result is lost" \
	"not ok 2 - tested in a subshell: it was so" <<'END'
ok "it is so" true
echo x | ok "it was so" true
done_testing
END

TEST_SECONDS=1 fails "a test that takes too long" \
	"# too slow: ended after 1 s" <<'END'
ok "it is so" true
start sleep 60
wait
done_testing
END

is "$(find "$T" -path "$T/*" -name 'kpipe-test.*')" "" \
	"their directories are gone"

# The keeper of a control plane reads with a timeout of a second: on a slow
# machine it expires in the middle of an order.
mkdir "$T/bin" "$T/plane"
for server in etcd kube-controller-manager; do
	printf '#!/bin/sh\nexec sleep 60\n' >"$T/bin/$server"
	chmod +x "$T/bin/$server"
done
mkfifo "$T/plane/control"
keeper=$PWD/t/cluster/keeper
keep() {
	cd "$T/plane" && exec "$keeper" "$T/bin" $$ 127.0.0.1:1 ""
}
start keep
kept=$!
exec 5<>"$T/plane/control"
wait_for 20 test -s "$T/plane/etcd.pid"
printf start-man >&5
sleep 1.5
echo ager >&5
ok "an order may arrive in two parts" wait_for 20 test -s "$T/plane/manager.pid"
echo down >&5
wait "$kept"
is "$(ls -d "$T/plane" 2>&1)" "ls: cannot access '$T/plane': No such file or directory" \
	"the keeper has cleaned up"

done_testing
