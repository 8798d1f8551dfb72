/* The words of the oracle about records: each is a recorded one in which something is
 * wrong, or nearly so. */
#include "oracle/oracle.h"

#include "edited.h"
#include "tap.h"

TEST(clean)
{
	is(said("memcached", "."), "", "a clean record is clean");
	is(said("at", "."), "", "... of another operator");
}

TEST(end)
{
	is(said("memcached",
	       "(.[-1].state[] | select(.kind == \"Deployment\")"
	       "| .spec.replicas) = 7"),
	    "end: Deployment default/example: .spec.replicas is 7, should be 1",
	    "a field at the end");
	is(said("memcached",
	       ".[-1].state |= map(select(.kind != \"Deployment\"))"),
	    "end: Deployment default/example: it is not there at the end; "
	    "end: Pod default/example-0: .metadata.ownerReferences names an "
	    "object example that is gone",
	    "an object that is missing, and what it owned");
	is(said("memcached",
	       ".[-1].state += [.[-1].state[0] | .metadata.name = \"x\"]"),
	    "end: Pod default/x: it is there at the end, and should not be",
	    "one that is left");
	is(said("memcached",
	       "(.[-1].state[].metadata | .resourceVersion,"
	       ".creationTimestamp) |= (if test(\"T\") then"
	       "\"2020-01-01T00:00:00Z\" else \"7\" end)"),
	    "", "times and versions differ");
	is(said("memcached",
	       "(.[-1].state[] | select(.kind == \"Memcached\")) |="
	       "(.metadata.generation += 3"
	       "| .status.observedGeneration += 3"
	       "| .status.conditions[].observedGeneration += 3)"),
	    "", "more generations, all observed");
	is(said("memcached",
	       "(.[-1].state[] | select(.kind == \"Memcached\")) |="
	       "(.metadata.generation += 3"
	       "| .status.conditions[].observedGeneration += 3)"),
	    "end: Memcached default/example: .status.observedGeneration is 3 "
	    "behind the generation, should be 0",
	    "one that is not observed");
	is(said("memcached",
	       "(.[-1].state[] | select(.kind == \"Deployment\")"
	       "| .metadata.annotations) |= (.[\"kpipe.dev/accepted\"] = \"x\""
	       "| .[\"kpipe.dev/proof\"] = \"v1 x\")"),
	    "", "kpipe's marks that depend on a key");
	is(said("memcached",
	       "(.[-1].state[] | select(.kind == \"Pod\") | .metadata)"
	       "|= (.deletionTimestamp = \"2026-01-01T00:00:00Z\")"),
	    "finalizer: Pod default/example-0: it is still being deleted at "
	    "the "
	    "end",
	    "what is still being deleted");
	is(said("memcached",
	       "(.[-1].state[] | select(.kind == \"Deployment\")"
	       "| .spec.replicas) = 7 | ahead(.end; [{request: {verb:"
	       "\"create\", resource: \"memcacheds\", namespace: \"default\","
	       "name: \"example\", code: 409, by: \"client\"}}])"),
	    "", "a client could not do its step: the end is another one");
}

TEST(learned)
{
	struct oracle *o = oracle_of_edited("memcached", ".",
	    "(.[-1].state[] | select(.kind == \"Deployment\")"
	    "| .spec.replicas) = 6",
	    NULL);

	is(said_with(o, "memcached",
	       "(.[-1].state[] | select(.kind == \"Deployment\")"
	       "| .spec.replicas) = 7"),
	    "", "the clean records differ there, too");
	oracle_free(o);
}

/* Pods of a Job that is named by a time. */
#define OF_JOB(time)                                          \
	"(.[-1].state[] | select(.kind == \"Pod\")"           \
	"| .metadata.ownerReferences[0]) |= (.kind = \"Job\"" \
	"| .name = \"a-" time "\")"

TEST(owner)
{
	struct oracle *o = oracle_of_edited(
	    "memcached", OF_JOB("1775001720"), OF_JOB("1775005440"), NULL);

	is(said_with(o, "memcached", OF_JOB("1775009040")), "",
	    "an owner that is named by a time");
	ok(strstr(said_with(o, "memcached", OF_JOB("b-1775009040")),
	       "end: Pod default/example-0: .metadata.ownerReferences[\"a-#\"]"
	       " is absent, should be ") != NULL,
	    "... another owner");
	oracle_free(o);
}

TEST(varies)
{
	struct oracle *o = oracle_of("memcached",
	    "[{\"varies\":\".spec.replicas\",\"kind\":\"Deployment\"}]");

	is(said_with(o, "memcached",
	       "(.[-1].state[] | select(.kind == \"Deployment\")"
	       "| .spec.replicas) = 7"),
	    "", "a rule: this may differ");
	is(said_with(o, "memcached",
	       "(.[-1].state[] | select(.kind == \"Memcached\")"
	       "| .spec.size) = 7"),
	    "end: Memcached default/example: .spec.size is 7, should be 1",
	    "... and nothing else");
	oracle_free(o);
	o = oracle_of("memcached", "[{\"varies\":\".\",\"kind\":\"Pod\"}]");
	is(said_with(
	       o, "memcached", ".[-1].state |= map(select(.kind != \"Pod\"))"),
	    "", "a rule: such objects may be there or not");
	oracle_free(o);
	o = oracle_of(
	    "memcached", "[{\"varies\":\".status.conditions.*.reason\"}]");
	is(said_with(o, "memcached",
	       "(.[-1].state[] | .status.conditions[]?.reason) = \"x\""),
	    "", "any step of a path, of any kind");
	oracle_free(o);
}

/* The last object of a kind goes, by somebody, and the operator makes it
 * again. */
#define REMADE(kind, who)                                                  \
	"last_of(\"" kind "\") as $d | at_end([$d | .change = \"DELETED\"" \
	"| .by = \"" who "\"] + [$d | .change = \"ADDED\""                 \
	"| .by = \"kapply\" | .object.metadata.uid = \"new\"])"

TEST(twice)
{
	static const char once[] =
	    "twice: Deployment default/example: the operator deleted it and "
	    "the "
	    "operator made it again, although no other client asked for that: "
	    "it was deleted at 65.000 s, made at 65.000 s";

	is(said("memcached", REMADE("Deployment", "kapply")), once,
	    "deleted by the operator, and made again");
	is(said("memcached", REMADE("Deployment", "client")), "",
	    "... by a client");
	is(said("memcached", REMADE("Deployment", "cluster")), "",
	    "... by the cluster");
	is(said("memcached",
	       REMADE("Deployment",
		   "kapply") "| last_of(\"Memcached\") as $m | ahead(.change "
			     "== \"DELETED\""
			     "and .by == \"kapply\"; [$m | .by = \"client\""
			     "| .object.spec.size = 2 | "
			     ".object.metadata.generation = 2])"),
	    "twice: Deployment default/example: the operator made it 4 times, "
	    "should be 3",
	    "after a change of its primary, but more often than in a clean "
	    "record");
	is(said("memcached",
	       ". as $r | last_of(\"Deployment\") as $d"
	       "| [$r[] | select(of(\"Memcached\"))][0].object.metadata.uid"
	       " as $dead | at_end([range(3) | tostring as $n | $d"
	       "| .object.metadata.name = \"example\" | .by = \"kapply\""
	       "| .object.metadata.ownerReferences[0].uid = $dead"
	       "| .object.metadata.uid = $n | .change = (\"ADDED\","
	       "\"DELETED\") | if .change == \"DELETED\" then .by = \"kapi\""
	       " else . end])"),
	    "", "three times for an owner that is gone: collected each time");
	is(said("memcached",
	       ". as $r | last_of(\"Deployment\") as $d"
	       "| [$r[] | select(of(\"Memcached\"))][0].object.metadata.uid"
	       " as $dead | at_end([range(33) | tostring as $n | $d"
	       "| .object.metadata.name = \"example\" | .by = \"kapply\""
	       "| .object.metadata.ownerReferences[0].uid = $dead"
	       "| .object.metadata.uid = $n | .change = (\"ADDED\","
	       "\"DELETED\") | if .change == \"DELETED\" then .by = \"kapi\""
	       " else . end])"),
	    "twice: Deployment default/example: the operator made it 33 times "
	    "for an owner that was gone",
	    "... 33 times");
}

/* So many objects, of the owner of the Deployment, whose name the server
 * completes. */
#define GENERATED(n)                                                         \
	"last_of(\"Deployment\") as $d | at_end([range(" n ") | tostring"    \
	" as $n | $d | .change = \"ADDED\" | .by = \"kapply\""               \
	"| .time += 5000000 | .object.kind = \"Job\" | .object.metadata |= " \
	"(.uid = $n"                                                         \
	"| .name = \"x-\" + $n | .generateName = \"x-\")])"

TEST(made_up_names)
{
	struct oracle *o =
	    oracle_of_edited("memcached", GENERATED("2"), GENERATED("2"), NULL);

	is(said_with(o, "memcached", GENERATED("2")), "",
	    "as many as in a clean record");
	is(said_with(o, "memcached", GENERATED("3")),
	    "twice: Job default/x-0: the operator made 3 such objects, should "
	    "be 2",
	    "one more");
	oracle_free(o);
}

TEST(restored)
{
	is(said("memcached",
	       REMADE("Deployment",
		   "kapply") "| last_of(\"Deployment\") as $d | ahead(.change "
			     "== \"ADDED\""
			     "and .object.metadata.uid == \"new\"; [[.[] | "
			     "select("
			     "of(\"Deployment\") and .change == "
			     "\"DELETED\")][-1]"
			     "| .change = \"MODIFIED\" | .by = \"kapi\"])"),
	    "", "the server had it again meanwhile");
	is(said("memcached",
	       "last_of(\"Deployment\") as $d | at_end([$d"
	       "| .change = \"ADDED\" | .by = \"kapply\""
	       "| .object.metadata.uid = \"new\"])"),
	    "",
	    "made while the one before is not gone: the server forgot that");
}

/* The clock is set behind the third step: all times after it. */
#define SET(seconds)                                                        \
	"places(.step == 2)[0] as $i | to_entries | map(.key as $k"         \
	"| .value | if $k <= $i then . elif .time != null and .change != "  \
	"null then .time += " seconds " * 1000000"                          \
	" elif .request.time != null then .request.time |= (.[:19] + \"Z\"" \
	"| fromdate + " seconds " | todate) else . end)"                    \
	"| .[:$i + 1] + [{fault: \"jump:" seconds "@kapply/get/x\"}]"       \
	"+ .[$i + 1:]"

TEST(clock_set)
{
	is(said("memcached", SET("-7200")), "", "two hours back in the middle");
	is(said("memcached", SET("7200")), "", "... and forward");
	is(said("memcached",
	       "def get($s): {request: {verb: \"get\", time:"
	       "(1775002500 + $s | todate), by: \"kwatch\"}};"
	       "ahead(.end; [get(range(80))] + [{fault:"
	       "\"jump:-3600@kapply/get/x\"}] + [get(range(-3520; -3440))])"),
	    "", "an hour back between requests: not a hot loop");
	is(said("memcached",
	       "ahead(.end; [{fault: \"jump:3600@kapply/get/x\"},"
	       "(.[] | select(.request) | .request.time |= (.[:19] + \"Z\""
	       "| fromdate | todate))])"),
	    "", "requests that began before");
	is(said("memcached",
	       "places(of(\"Deployment\"))[-1] as $i | .[:$i]"
	       "+ [{fault: \"jump:-3600@kapply/get/x\"}, .[$i]]"
	       "+ (.[$i + 1:] | map(if .change then .time -= 3600000000"
	       "else . end))"),
	    "", "a change that was made in the moment before");
}

TEST(again)
{
	struct oracle *o =
	    oracle_of("memcached", "[{\"again\":\"Deployment\"}]");

	is(said_with(o, "memcached", REMADE("Deployment", "kapply")), "",
	    "a rule: it may be made again");
	oracle_free(o);
}

TEST(foreign)
{
	is(said("memcached",
	       "last_of(\"Pod\") as $d | at_end([$d | .by = \"kapply\""
	       "| .change = \"MODIFIED\" | .object.metadata.labels.x = "
	       "\"y\"])"),
	    "foreign: Pod default/example-0: the operator changed "
	    ".metadata.labels.x from absent to \"y\", and has not made the "
	    "object",
	    "an object of others is changed");
	is(said("memcached",
	       "last_of(\"Pod\") as $d | at_end([$d | .by = \"kapply\""
	       "| .change = \"DELETED\"])"),
	    "foreign: Pod default/example-0: the operator deleted it, and has "
	    "not made it",
	    "... is deleted");
	is(said("memcached",
	       "last_of(\"Memcached\") as $d | at_end([$d | .by = \"kapply\""
	       "| .change = \"MODIFIED\""
	       "| .object.metadata.finalizers = [\"x\"]"
	       "| .object.metadata.annotations[\"kpipe.dev/origin\"] = "
	       "\"x\"])"),
	    "", "finalizers and marks of the primary are the operator's");
	is(said("memcached",
	       "last_of(\"Memcached\") as $d | at_end([$d | .by = \"kapply\""
	       "| .change = \"MODIFIED\" | .object.spec.size = 8])"),
	    "foreign: Memcached default/example: the operator changed "
	    ".spec.size from 1 to 8, and has not made the object",
	    "... its spec is not");
	is(said("memcached",
	       "last_of(\"Memcached\") as $m | last_of(\"Deployment\") as $d"
	       "| at_end([$m | .change = \"ADDED\" | .by = \"client\""
	       "| .object.metadata |= (.name = \"b\" | .uid = \"b\")]"
	       "+ [$d | .by = \"kapply\" | .change = \"MODIFIED\""
	       "| .object.metadata.ownerReferences[0].uid = \"b\"])"),
	    "foreign: Deployment default/example: the operator gave it to "
	    "another owner, while the one that had it lived",
	    "an object of another primary is taken");
}

TEST(silence)
{
	is(said("memcached",
	       "last_of(\"Deployment\") as $d | ahead(.end; [$d | .by = "
	       "\"kapply\""
	       "| .change = \"MODIFIED\" | .time = 1775002200000000"
	       "| .object.spec.x = 1])"),
	    "silence: Deployment default/example: the operator still changes "
	    "it "
	    "when it should be silent: 1 changes, should be 0",
	    "a change long after the last step");
	is(said("memcached",
	       "last_of(\"Deployment\") as $d | at_end([$d | .by = \"kapply\""
	       "| .change = \"MODIFIED\" | .time += 9000000"
	       "| .object.spec.x = 1])"),
	    "", "... soon after it");
	is(said("memcached",
	       "ahead(.end; [range(30) | {request: {verb: \"get\", resource:"
	       "\"pods\", time: \"2026-04-01T00:10:00Z\", by: \"kwatch\"}}])"),
	    "silence: 30 requests when the operator should be silent, should "
	    "be 0",
	    "many reads");
	is(said("memcached",
	       "ahead(.end; [{fault: \"429@kwatch/watch/pods#2\","
	       "time: 1775002199000000, dueMs: 2000}] + [range(30) | {request:"
	       "{verb: \"get\", resource: \"pods\","
	       "time: \"2026-04-01T00:10:00Z\", by: \"kwatch\"}}])"),
	    "", "... because of a fault that came as late");
	is(said("memcached",
	       "ahead(.end; [range(30) | {request: {verb: \"watch\", resource:"
	       "\"pods\", time: \"2026-04-01T00:10:00Z\", by: \"kwatch\"}}])"),
	    "", "watches end and begin");
	is(said("memcached", ".[-1].silent = false"),
	    "silence: the operator is not silent at the end", "by the clock");
}

/* So many requests, one in so many seconds from the creation on. */
#define MANY(n, seconds, members)                                            \
	"ahead(of(\"Deployment\"); [range(" n ") | {request: {" members ", " \
	"time: (1775001665 + . * " seconds " | floor | todate),"             \
	"by: \"kapply\"}}])"

TEST(requests)
{
	is(said("memcached", MANY("100", "0.5", "verb: \"patch\", code: 500")),
	    "requests: 113 requests that write, should be about 16",
	    "too many writes");
	is(said("memcached", MANY("40", "0.5", "verb: \"patch\", code: 500")),
	    "", "retries of a fault");
	is(said("memcached", MANY("100", "0.5", "verb: \"patch\", code: 0")),
	    "", "... without an answer for long");
	is(said("memcached",
	       "last_of(\"Deployment\") as $d | at_end([range(60) | $d"
	       "| .change = \"MODIFIED\" | .by = \"kapply\"])"),
	    "requests: 73 changes of objects, should be about 16",
	    "too many changes, whatever the requests say");
	is(said("memcached", MANY("250", "0.5", "verb: \"get\"")),
	    "requests: 269 requests, should be about 22", "too many reads");
	is(said("memcached", MANY("180", "0.01", "verb: \"get\"")),
	    "requests: a hot loop: 183 requests in three seconds, at 5.000 s; "
	    "in a clean run 5",
	    "a hot loop");
	is(said("memcached", MANY("180", "0.2", "verb: \"get\"")), "",
	    "as many, slowly");
	is(said("memcached",
	       "at_end([{stage: \"ireconcile\", log: \"warning: x: .spec.a "
	       "changes again and again (1, then 2): it is held back\"}])"),
	    "requests: the operator writes in a loop: warning: x: .spec.a "
	    "changes again and again (1, then 2): it is held back",
	    "a program that feeds itself");
}

TEST(crash)
{
	is(said("at",
	       "at_end([{death: \"kapply\", signal: 11, code: 0,"
	       "asked: false}])"),
	    "crash: kapply: it was ended by signal 11", "a signal");
	is(said("at",
	       "at_end([{death: \"kapply\", signal: 9, code: 0, asked: true},"
	       "{death: \"kwatch\", signal: 9, code: 0, asked: false},"
	       "{death: \"kstatus\", signal: 0, code: 111, asked: false}])"),
	    "", "by the fault, and others with it");
	is(said("at",
	       "at_end([{death: \"kwatch\", signal: 9, code: 0,"
	       "asked: false}])"),
	    "crash: kwatch: it was ended by signal 9", "nobody asked for it");
	is(said("at",
	       "at_end([{death: \"kwatch\", signal: 0, code: 111,"
	       "asked: false}])"),
	    "crash: kwatch: it ended with exit code 111",
	    "gives up, by itself");
	is(said("at",
	       "at_end([{fault: {}}, {death: \"kwatch\", signal: 0, code: 111,"
	       "asked: false}])"),
	    "", "... after a fault");
	is(said("at",
	       "at_end([{fault: {}}, {death: \"kwatch\", signal: 0, code: 101,"
	       "asked: false}])"),
	    "crash: kwatch: it ended with exit code 101", "a bug, by its code");
	is(said("at", ".[-1].code = 111"),
	    "crash: the operator ended with exit code 111", "the whole");
	is(said("at", "at_end([log(\"kapply: bug: x\")])"),
	    "crash: kapply: it says: kapply: bug: x", "a bug, in words");
	is(said("at", "at_end([log(\"kapply: error: x\")])"), "", "an error");
	is(said("at",
	       "at_end([log(\"error: a b/c: p.jq:13: desired: null (null) has "
	       "no keys\")])"),
	    "crash: kapply: a program fails by itself: error: a b/c: p.jq:13: "
	    "desired: null (null) has no keys",
	    "an error of jq");
	is(said("at", "at_end([log(\"error: a b/c: p.jq: is too long\")])"), "",
	    "an error that the program gives");
}

TEST(secret)
{
#define SECRET                                                             \
	"last_of(\"Pod\") as $d | at_end([$d | .change = \"ADDED\""        \
	"| .by = \"client\" | .object = {apiVersion: \"v1\", kind:"        \
	"\"Secret\", metadata: {name: \"s\", namespace: \"default\", uid:" \
	"\"s\"}, data: {password: (\"open sesame\" | @base64)}}]) |"
	is(said("memcached", SECRET "at_end([log(\"it is open sesame!\")])"),
	    "secret: kapply: a line of its log holds the value password of "
	    "Secret default/s",
	    "in the log");
	is(said("memcached", SECRET "at_end([log(\"it is open!\")])"), "",
	    "... not all of it");
	is(said("memcached",
	       SECRET
	       "last_of(\"Memcached\") as $a | at_end([$a | .by = \"kstatus\""
	       "| .change = \"MODIFIED\" | .object.status.message ="
	       "\"x\" + (\"open sesame\" | @base64)])"),
	    "secret: Memcached default/example: .status.message holds the "
	    "value "
	    "password of Secret default/s",
	    "in a status, as base64");
	is(said("memcached",
	       SECRET
	       "last_of(\"Memcached\") as $a | at_end([$a | .by = \"client\""
	       "| .change = \"MODIFIED\" | .object.spec.x ="
	       "\"open sesame\"])"),
	    "", "a client may write what it likes");
}

TEST(meant_to_be_there)
{
	static const char copied[] =
	    SECRET "last_of(\"Memcached\") as $a | at_end([$a"
		   "| .by = \"kstatus\" | .change = \"MODIFIED\""
		   "| .object.status.message = \"open sesame\"])";
	struct oracle *o = oracle_of_edited("memcached", copied, copied, NULL);

	is(said_with(o, "memcached", copied), "",
	    "a value is where it is in a clean record");
	oracle_free(o);
}

TEST(wrong_rules)
{
	struct err err = ERR_INIT;
	struct oracle *o = oracle_new(jv_array(), jv_array(),
	    jv_parse("[{\"always\":\"few pods\",\"jq\":\"length <\"}]"), &err);

	ok(o == NULL, "a program that is wrong");
	ok(strstr(err.message, "the program of the rule few pods: ") != NULL,
	    "... its rule is named");
	err = (struct err)ERR_INIT;
	o = oracle_new(
	    jv_array(), jv_array(), jv_parse("[{\"history\":\"x\"}]"), &err);
	ok(o == NULL, "no program");
	is(err.message, "the rule x has no program: \"jq\"", "... is said");
}

TEST(author)
{
	struct oracle *o = oracle_of("memcached",
	    "[{\"always\":\"few pods\",\"jq\":"
	    "\"[.[] | select(.kind == \\\"Pod\\\")] | length < 3\"},"
	    "{\"history\":\"short\",\"jq\":\"length < 60\"}]");

	is(said_with(o, "memcached", "."), "", "rules that hold");
	is(said_with(o, "memcached",
	       "last_of(\"Pod\") as $d | at_end([range(3) | tostring as $n"
	       "| $d | .change = \"ADDED\" | .by = \"cluster\""
	       "| .object.metadata |= (.name = $n | .uid = $n)])"),
	    "author: Pod default/1: few pods does not hold after a change of "
	    "it",
	    "one that does not, at a moment");
	is(said_with(o, "memcached",
	       "last_of(\"Memcached\") as $d | at_end([range(50) | $d"
	       "| .change = \"MODIFIED\" | .by = \"client\"])"),
	    "author: short does not hold", "... of the history");
	oracle_free(o);
	o = oracle_of("memcached",
	    "[{\"history\":\"x\",\"jq\":\"\\\"it is \\\\(length > 3)\\\"\"},"
	    "{\"history\":\"y\",\"jq\":\"error(\\\"no\\\")\"},"
	    "{\"history\":\"z\",\"jq\":\"empty\"}]");
	is(said_with(o, "memcached", "."),
	    "author: x does not hold: it is true; author: y fails: \"no\"; "
	    "author: z does not hold",
	    "what a rule says, an error, nothing");
	oracle_free(o);
}

TEST(counts)
{
	jv counts = jv_dump_string(
	    oracle_counts(record_of("memcached-1")), JV_PRINT_SORTED);

	is(jv_string_value(counts),
	    "{\"changes\":13,\"requests\":19,\"seconds\":0,\"writes\":13}",
	    "the numbers for a table");
	jv_free(counts);
}
