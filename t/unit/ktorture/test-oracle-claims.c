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
	struct buf program = BUF_INIT;

	buf_adds(&program, ". as $r | ");
	buf_adds(&program, other);
	is(said("memcached", buf_str(&program)),
	    "claim: Memcached default/example: it has the status of an earlier "
	    "object of that name",
	    "the status of another uid");
	buf_adds(&program,
	    "| last_of(\"Memcached\") as $m | at_end([$m | .number = null"
	    "| .by = \"kstatus\" | del(.object.status.replicas)])");
	is(said("memcached", buf_str(&program)), "", "... that is corrected");
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
