/* The words of the oracle about statuses and finalizers. */
#include "oracle/oracle.h"

#include "edited.h"
#include "tap.h"

/* The status of the last object of a kind, written again with a change. */
#define STATUS(kind, change)                                                \
	"last_of(\"" kind "\") as $m | at_end([$m | .change = \"MODIFIED\"" \
	"| .by = \"kstatus\" | .object.status |= (" change ")])"

TEST(progress)
{
#define BACK(change)                                                         \
	"[.[] | select(of(\"At\") and .object.status.phase == \"DONE\")][0]" \
	" as $m | behind(of(\"At\") and .by == \"kstatus\";"                 \
	"[$m | .number = null | .object.status |= (" change ")])"
	is(said("at", BACK(".phase = \"RUNNING\"")),
	    "claim: At default/example: .status: phase goes back from DONE to "
	    "RUNNING, which never follows it in a clean run",
	    "a phase goes back");
	is(said("at", BACK(".phase = \"Broken\"")), "",
	    "one that no clean record has says nothing");
	is(said("at", BACK("del(.phase)")),
	    "claim: At default/example: .status: phase goes back from DONE to "
	    "absent, which never follows it in a clean run",
	    "it is removed");
	is(said("at",
	       BACK("(.conditions[] | select(.type == \"Complete\")"
		    "| .status) = \"False\"")),
	    "claim: At default/example: .status: Complete goes back from True "
	    "to False, which never follows it in a clean run",
	    "a condition that says how it ended");
	is(said("at", BACK(".startTime = \"2030-01-01T00:00:00Z\"")),
	    "claim: At default/example: .status.startTime was "
	    "2026-04-01T00:01:10Z and becomes 2030-01-01T00:00:00Z: in a clean "
	    "run it is set once",
	    "a time is set twice");
	is(said("at", BACK(".observedGeneration = 0")),
	    "claim: At default/example: .status.observedGeneration goes back "
	    "from 1 to 0",
	    "an older generation");
	is(said("at", BACK(".observedGeneration = 5")),
	    "claim: At default/example: .status.observedGeneration is 5, and "
	    "the object's generation 1",
	    "one that is not there yet");
	is(said_by_rules("at",
	       "[{\"back\":\".status.phase\",\"kind\":\"At\"},"
	       "{\"back\":\".status.startTime\",\"kind\":\"At\"}]",
	       BACK(".phase = \"RUNNING\""
		    "| .startTime = \"2030-01-01T00:00:00Z\"")),
	    "", "a rule: these may go back");
	is(said_by_rules("at",
	       "[{\"back\":\".status.phase\",\"kind\":\"Pod\"}]",
	       BACK(".phase = \"RUNNING\"")),
	    "claim: At default/example: .status: phase goes back from DONE to "
	    "RUNNING, which never follows it in a clean run",
	    "... of that kind alone");
}

TEST(learn)
{
	struct oracle *o = oracle_of("at", NULL);

	oracle_learn(
	    o, edited(record_of("at-1"), BACK(".phase = \"RUNNING\"")));
	is(said_with(o, "at", BACK(".phase = \"RUNNING\"")), "",
	    "another scenario shows that a phase may go back");
	oracle_learn(o,
	    edited(record_of("at-1"),
		BACK(".startTime = \"2030-01-01T00:00:00Z\"")));
	is(said_with(o, "at", BACK(".startTime = \"2031-01-01T00:00:00Z\"")),
	    "", "... that a time may change");
	oracle_free(o);
}

/* The first status that says True, at once behind the creation of its
 * primary. */
TEST(ready)
{
	static const char early[] =
	    "[.[] | select(of(\"Memcached\") and .object.status.conditions[0]"
	    ".status == \"True\")][0] as $m"
	    "| ahead(of(\"Deployment\"); [$m | .number = null])";

	is(said("memcached", early),
	    "claim: Memcached default/example: it says Ready of generation 1 "
	    "before Deployment default/example was made",
	    "ready before anything is made");
	is(said_by_rules("memcached", "[{\"unready\":\"Deployment\"}]", early),
	    "", "a rule: Ready does not wait for it");
	is(said_by_rules("memcached",
	       "[{\"varies\":\".\",\"kind\":\"Deployment\"},"
	       "{\"unready\":\"Deployment\"}]",
	       early),
	    "", "... nor for what need not be there");
	is(said("memcached",
	       "each(of(\"Memcached\") and .object.status.conditions[0].status"
	       "== \"False\" and .object.metadata.generation == 2;"
	       ".object.status.conditions[0].status = \"True\")"),
	    "claim: Memcached default/example: it says Ready of generation 2 "
	    "before Deployment default/example had the status that it has in a "
	    "clean run",
	    "ready too early, of the second generation");
}

TEST(content)
{
	is(said("memcached",
	       "each(.request.resource == \"deployments\" and"
	       ".request.body.spec.replicas == 2;"
	       ".request.body.spec.replicas = 9)"),
	    "claim: Memcached default/example: it says Ready of generation 2 "
	    "before Deployment default/example had the content that it has in "
	    "a clean run",
	    "ready with another content");
}

TEST(made_up)
{
	static const char with_job[] =
	    "[.[] | select(of(\"Deployment\"))][0] as $d | ahead(of(\"Pod\");"
	    "[$d | .number = null | .object.kind = \"Job\""
	    "| .object.metadata |= (.uid = \"j\" | .name = \"x-1775001720\")])";
	struct oracle *o =
	    oracle_of_edited("memcached", with_job, with_job, NULL);

	is(said_with(o, "memcached", "."), "",
	    "ready without an object of a certain time");
	oracle_free(o);
}

TEST(order)
{
	/* Of these records nothing is known that Ready needs. */
	static const char never[] =
	    "each(of(\"Memcached\") and .object.status != null;"
	    ".object.status.conditions[0].status = \"False\")";
	struct oracle *o = oracle_of_edited("memcached", never, never, NULL);

	is(said_with(o, "memcached",
	       "[.[] | select(of(\"Memcached\") and"
	       ".object.status.conditions[0].status == \"True\")][0] as $m"
	       "| ahead(of(\"Deployment\"); [$m | .number = null])"),
	    "claim: Memcached default/example: it says Ready of generation 1 "
	    "just before the operator makes Deployment default/example",
	    "ready, and then an object is made");
	oracle_free(o);
	o = oracle_of_edited(
	    "memcached", never, never, "[{\"unready\":\"Deployment\"}]");
	is(said_with(o, "memcached",
	       "[.[] | select(of(\"Memcached\") and"
	       ".object.status.conditions[0].status == \"True\")][0] as $m"
	       "| ahead(of(\"Deployment\"); [$m | .number = null])"),
	    "", "a rule: Ready does not wait for it");
	oracle_free(o);
}

TEST(workloads)
{
	/* The clean records of an operator that does not wait. */
	static const char hasty[] =
	    "each(of(\"Memcached\") and .by == \"kstatus\";"
	    ".object.status.conditions[0].status = \"True\")";
	struct oracle *o = oracle_of_edited("memcached", hasty, hasty, NULL);
	const char *text = said_with(o, "memcached", hasty);

	ok(strstr(text,
	       "claim: Memcached default/example: it says Ready of generation "
	       "1, and Deployment default/example is not available") != NULL,
	    "Ready, and a Deployment is not available");
	oracle_free(o);
	o = oracle_of_edited(
	    "memcached", hasty, hasty, "[{\"unready\":\"Deployment\"}]");
	is(said_with(o, "memcached", hasty), "",
	    "a rule: Ready does not wait for it");
	oracle_free(o);
}

TEST(uid)
{
	static const char other[] =
	    "each(.request.subresource == \"status\" and .request.resource =="
	    "\"memcacheds\" and .request.number == "
	    "([$r[] | select(.request.subresource == \"status\")][-1].request"
	    ".number); .request.body.metadata.uid = \"another\")";
	static const char words[] =
	    "claim: Memcached default/example: it has the status of an earlier "
	    "object of that name";
	struct buf program = BUF_INIT;
	size_t n;

	buf_adds(&program, ". as $r | ");
	buf_adds(&program, other);
	is(said("memcached", buf_str(&program)), words,
	    "the status of another uid");
	buf_adds(&program,
	    "| ([$r[] | select(.request.subresource == \"status\")][-1]"
	    "| .request.number += 1) as $again | at_end([$again");
	n = program.len;
	buf_adds(&program, "])");
	is(said("memcached", buf_str(&program)), "",
	    "... that is corrected: the same again, for this object");
	buf_adds(&program,
	    "| (places(of(\"Memcached\") and .by == \"kstatus\")[-1]) as $i"
	    "| .[$i].object.status.observedGeneration += 1");
	is(said("memcached", buf_str(&program)), "",
	    "... and that was of a generation that this one never had");
	buf_truncate(&program, n);
	buf_adds(&program, "| .request.code = 409])");
	is(said("memcached", buf_str(&program)), words,
	    "... but the server refuses that");
	buf_truncate(&program, n);
	buf_adds(&program, "| .request.time |= sub(\"T..:\"; \"T01:\")])");
	is(said("memcached", buf_str(&program)), words, "... too late");
	buf_truncate(&program, n);
	buf_adds(&program, "| .request.body.metadata.uid = \"another\"])");
	is(said("memcached", buf_str(&program)), words, "... for another one");
	buf_release(&program);
}

TEST(finalizer)
{
	struct oracle *o;

	is(said("at",
	       "map(select((of(\"Pod\") and .change == \"DELETED\") | not))"),
	    "finalizer: At default/example: its finalizer went before Pod "
	    "default/example was gone",
	    "the primary goes before its Pod");
	is(said("at",
	       "map(select((of(\"Pod\") and .change == \"DELETED\") | not))"
	       "| last_of(\"At\") as $a | ahead(of(\"At\") and .change =="
	       "\"DELETED\"; [$a | .change = \"MODIFIED\" | .by = \"client\""
	       "| del(.object.metadata.finalizers)])"),
	    "", "a client took the finalizer away");
	is(said("at",
	       "[.[] | select(of(\"Pod\"))][-2] as $p"
	       "| ahead(of(\"At\") and .change == \"DELETED\"; [$p"
	       "| .change = \"ADDED\" | .by = \"kapply\" | .number = null"
	       "| .object.metadata |= (.uid = \"7\" | .name = \"x\""
	       "| del(.deletionTimestamp))])"),
	    "finalizer: At default/example: its finalizer went before Pod "
	    "default/x was gone",
	    "another Pod, which names it as its owner");
	is(said("at",
	       "[.[] | select(of(\"Pod\") and .change == \"DELETED\")] as $gone"
	       "| [.[] | select(of(\"At\") and .change == \"DELETED\")][0] as "
	       "$a"
	       "| map(select((of(\"Pod\") and .change == \"DELETED\") | not))"
	       "| ahead(of(\"At\") and .change == \"DELETED\"; [$a"
	       "| .change = \"MODIFIED\" | .by = \"kapply\" | .number = null"
	       "| .object.metadata.finalizers = []] + $gone)"),
	    "finalizer: At default/example: its finalizer went before Pod "
	    "default/example was gone",
	    "the finalizer goes, and something else holds the primary");
#define KEPT "map(select((of(\"Pod\") and .change == \"DELETED\") | not))"
	o = oracle_of_edited("at", KEPT, KEPT, NULL);
	is(said_with(o, "at", KEPT),
	    "finalizer: At default/example: its finalizer went before Pod "
	    "default/example was gone",
	    "what is still being deleted, in clean records as well");
	oracle_free(o);
#define TAKEN(change)                                                   \
	"[.[] | select(of(\"Pod\"))][-2] as $p"                         \
	"| map(select((of(\"Pod\") and .change == \"DELETED\") | not))" \
	"| ahead(of(\"At\") and .change == \"DELETED\"; [$p | .by = "   \
	"\"client\" | .number = null | " change "])"
	is(said("at",
	       TAKEN("del(.object.metadata | .deletionTimestamp,"
		     ".ownerReferences, .annotations)")),
	    "", "a client has taken the Pod away");
	is(said("at",
	       "[.[] | select(of(\"Pod\"))][-1] as $p"
	       "| ahead(of(\"At\") and .change == \"DELETED\"; [$p | .by = "
	       "\"client\" | .number = null | .change = \"ADDED\""
	       "| .object.metadata |= (.uid = \"7\" | del("
	       ".deletionTimestamp, .ownerReferences, .annotations))])"),
	    "", "... and put another one in its place");
#undef TAKEN
}
