#include "scene/podfate.h"

#include "tap.h"
#include "values.h"

static const char *
shell(const char *text)
{
	static char out[40];
	long code, seconds;

	if (!podfate_of_shell(span_str(text), &code, &seconds))
		return "goes on";
	snprintf(out, sizeof(out), "%ld after %ld", code, seconds);
	return out;
}

static const char *
pod(const char *text)
{
	static char out[40];
	jv v = value(text);
	struct podfate e = podfate_of(v);

	jv_free(v);
	if (!e.ends)
		return "goes on";
	snprintf(out, sizeof(out), "%s after %ld",
	    e.failed ? "Failed" : "Succeeded", e.seconds);
	return out;
}

TEST(shell)
{
	is(shell("true"), "0 after 0", "true");
	is(shell("false"), "1 after 0", "false");
	is(shell("exit 3"), "3 after 0", "exit");
	is(shell("sleep 5"), "0 after 5", "sleep");
	is(shell("sleep 5; exit 2"), "2 after 5", "... and an exit");
	is(shell("sleep 5 && false"), "1 after 5", "... and a word");
	is(shell("sleep 5; serve"), "goes on", "... and a program");
	is(shell("echo 'a; b' c"), "0 after 0", "echo with quotes");
	is(shell("echo a; serve"), "goes on", "... with a command behind it");
	is(shell("echo a | cat"), "goes on", "... with a pipe");
	is(shell("echo 'a"), "goes on", "... with an open quote");
	is(shell("serve"), "goes on", "a program");
	is(shell(""), "goes on", "nothing");
	is(shell("sleep x"), "goes on", "sleep without a number");
}

#define POD(policy, containers)                                                \
	"{'spec':{'restartPolicy':'" policy "','containers':[" containers "]}" \
	"}"

TEST(pods)
{
	is(pod(POD("Never", "{'command':['/bin/sleep','5']}")),
	    "Succeeded after 5", "a program with a path");
	is(pod(POD("Never", "{'command':['sh','-c','exit 1']}")),
	    "Failed after 0", "a shell");
	is(pod(POD("Never", "{'command':['exit','1']}")), "goes on",
	    "exit is of a shell");
	is(pod(POD("Always", "{'command':['true']}")), "goes on",
	    "one that is restarted whenever it ends");
	is(pod("{'spec':{'containers':[{'command':['true']}]}}"), "goes on",
	    "... by default");
	is(pod(POD("Never", "{'command':['true']},{'args':['sleep','9']}")),
	    "Succeeded after 9", "the last of two");
	is(pod(POD("Never", "{'command':['true']},{'image':'x'}")), "goes on",
	    "one of two goes on");
	is(pod(POD("Never", "")), "goes on", "no container");
}

#define TOLD(text)                                                          \
	"{'metadata':{'annotations':{'playground.kpipe.dev/outcome':'" text \
	"'}}}"

TEST(annotation)
{
	is(pod(TOLD("Succeeded")), "Succeeded after 0", "it succeeds");
	is(pod(TOLD("Failed after 3s")), "Failed after 3", "it fails later");
	is(pod(TOLD("Failed after 3")), "goes on", "without its unit");
	is(pod(TOLD("Other")), "goes on", "another word");
}
