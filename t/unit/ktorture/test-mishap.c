#include "mishap.h"

#include <jv.h>

#include "json/jvtext.h"
#include "tap.h"

static struct arena arena = ARENA_INIT;

/* As it is printed again, or what is wrong with it. */
static const char *
again(const char *text)
{
	static struct buf b = BUF_INIT;
	struct mishap f;
	struct err err;

	buf_reset(&b);
	if (mishap_read(&arena, span_str(text), &f, &err) != 0)
		buf_adds(&b, err.message);
	else
		mishap_print(&f, &b);
	return buf_str(&b);
}

static const char *
planned(const char *text)
{
	static struct buf b = BUF_INIT;
	struct mishap f;
	struct err err;

	buf_reset(&b);
	if (mishap_read(&arena, span_str(text), &f, &err) != 0)
		buf_adds(&b, err.message);
	else
		mishap_plan(&f, &b);
	return buf_str(&b);
}

static void
same(const char *text)
{
	is(again(text), text, text);
}

TEST(names)
{
	same("409@kapply/patch/deployments.apps/default/example");
	same("409-after@kapply/patch/deployments.apps/default/example#3");
	same("409-while:40000@kapply/create/namespaces/-/a");
	same("cut-within:40@kwatch/list/pods/default/-");
	same("watch-hold:3000@kwatch/watch/deployments.apps!2#2");
	same("kill:kapply-after@kstatus/patch/ats.example.com:status/a/b");
	same("400@kwatch/GET//apis/apps/v1");
	same("stop:kapply:20@kapply/patch/pods/a/b");
	same("line-hold:5000@ireconcile/line!3");
	is(again("409@kapply/patch/pods/a/b#1"), "409@kapply/patch/pods/a/b",
	    "the first one needs no number");
}

TEST(every_kind)
{
	char text[200];
	int wrong = 0;

	for (const struct mishap_kind *k = mishap_kinds; k->name != NULL; k++) {
		snprintf(text, sizeof(text), "%s%s%.*s%s@%s", k->name,
		    k->args[0] != '\0' ? ":" : "", (int)strcspn(k->args, "|"),
		    k->args, k->both ? "-after" : "",
		    k->where == MISHAP_LINES	    ? "kapply/line!2"
			: k->where == MISHAP_EVENTS ? "kwatch/watch/pods!2"
						    : "kapply/patch/pods/a/b");
		if (strcmp(again(text), text) != 0) {
			printf("# %s is %s\n", text, again(text));
			wrong++;
		}
	}
	ok(wrong == 0, "the name of each kind is read as it is printed");
}

TEST(mistakes)
{
	ok(strncmp(again("49@a/b/c"), "\"49@a/b/c\": no fault is called \"49\"",
	       35) == 0,
	    "a kind that is not there");
	is(again("409:1@a/b/c"), "\"409:1@a/b/c\": 409 takes no argument",
	    "an argument too many");
	is(again("kill@a/b/c"), "\"kill@a/b/c\": kill needs an argument",
	    "an argument is missing");
	is(again("409"), "\"409\": where it happens is missing: FAULT@POINT",
	    "no place");
	is(again("409@kapply/patch"),
	    "\"409@kapply/patch\": \"kapply/patch\" is not "
	    "STAGE/VERB/RESOURCE[/NAMESPACE/NAME]",
	    "half a place");
	is(again("409@a/b/c#0"),
	    "\"409@a/b/c#0\": numbers of a fault begin with 1", "number 0");
	is(again("watch-cut@a/b/c!x"),
	    "\"watch-cut@a/b/c!x\": \"x\" is not a number", "no number");
}

TEST(what_does_not_fit)
{
	is(again("409@x/patch/pods"),
	    "\"409@x/patch/pods\": no stage is called \"x\": write one of "
	    "kwatch kapply kstatus kelect kpipe",
	    "a stage");
	is(again("409@kapply/push/pods"),
	    "\"409@kapply/push/pods\": no verb is called \"push\": write one "
	    "of get list watch create update patch delete deletecollection GET "
	    "line",
	    "a verb");
	is(again("delay:x@kapply/patch/pods"),
	    "\"delay:x@kapply/patch/pods\": \"x\" is not a number",
	    "an argument that has to be a number");
	is(again("kill:kube@kapply/patch/pods"),
	    "\"kill:kube@kapply/patch/pods\": \"kube\" is not one of "
	    "kwatch|ireconcile|evaluator|kapply|kstatus|kpipe|kelect|"
	    "ireconcile:2|kapply:2",
	    "... or one of some words");
	same("jump:-7@kapply/patch/pods");
	is(again("delay:7-after@kapply/patch/pods"),
	    "\"delay:7-after@kapply/patch/pods\": delay is not there with "
	    "-after",
	    "what has no -after");
	is(again("watch-cut@kwatch/watch/pods"),
	    "\"watch-cut@kwatch/watch/pods\": watch-cut needs the number of "
	    "an event: !N",
	    "an event is missing");
	is(again("409@kwatch/watch/pods!2"),
	    "\"409@kwatch/watch/pods!2\": 409 has no event: leave out !N",
	    "an event too many");
	is(again("watch-cut@kapply/patch/pods!2"),
	    "\"watch-cut@kapply/patch/pods!2\": watch-cut is a fault of a "
	    "watch",
	    "an event of what has none");
	is(again("409@kwatch/line!2"),
	    "\"409@kwatch/line!2\": 409 is a fault of a request",
	    "a line is not a request");
	is(again("line-cut@kwatch/watch/pods!2"),
	    "\"line-cut@kwatch/watch/pods!2\": line-cut is a fault of a line: "
	    "STAGE/line!N",
	    "a request is not a line");
	is(again("line-cut@kstatus/line!2"),
	    "\"line-cut@kstatus/line!2\": no stage is called \"kstatus\": "
	    "write one of kwatch ireconcile kapply",
	    "the last stage has no reader");
}

TEST(plans)
{
	is(planned("line-twice@kwatch/line!3"), "", "kapi has no lines");
	is(planned("409-after@kapply/patch/ats.example.com:status/a/b#2"),
	    "{\"userAgent\":\"kapply/*\",\"verb\":\"patch\",\"resource\":"
	    "\"ats\",\"group\":\"example.com\",\"subresource\":\"status\","
	    "\"namespace\":\"a\",\"name\":\"b\",\"nth\":2,\"after\":true,"
	    "\"code\":409}\n",
	    "a code");
	is(planned("delay:20@kwatch/GET//api"),
	    "{\"userAgent\":\"kwatch/*\",\"path\":\"/api\",\"nth\":1,"
	    "\"delayMs\":20}\n",
	    "of a path, with an argument");
	is(planned("kill:kapply@kapply/patch/pods/a/b"),
	    "{\"userAgent\":\"kapply/*\",\"verb\":\"patch\",\"resource\":"
	    "\"pods\",\"group\":\"\",\"subresource\":\"\",\"namespace\":\"a\","
	    "\"name\":\"b\",\"nth\":1,\"pause\":true}\n",
	    "what is done by ktorture: the request waits");
	is(planned("watch-away:25@kwatch/watch/pods!2"),
	    "{\"userAgent\":\"kwatch/*\",\"verb\":\"watch\",\"resource\":"
	    "\"pods\",\"group\":\"\",\"subresource\":\"\",\"namespace\":\"\","
	    "\"name\":\"\",\"nth\":1,\"event\":2,\"fault\":\"cut\"}\n"
	    "{\"userAgent\":\"kwatch/*\",\"verb\":\"watch\",\"resource\":"
	    "\"pods\",\"group\":\"\",\"subresource\":\"\",\"namespace\":\"\","
	    "\"name\":\"\",\"nth\":2,\"code\":503,\"forMs\":25}\n",
	    "... of two lines: the second is about the next request");
}

static long long
due_ms(const char *text)
{
	struct mishap f;
	struct err err;

	return mishap_read(&arena, span_str(text), &f, &err) == 0
	    ? (long long)mishap_due_ms(&f)
	    : -2;
}

TEST(due)
{
	ok(due_ms("500@kapply/patch/c") == 2000,
	    "a time for what begins and ends");
	ok(due_ms("watch-hold:3000@kwatch/watch/c!2") == 5000,
	    "what lasts for milliseconds, and a time");
	ok(due_ms("stop-all:30@kapply/patch/c") == 32000, "... for seconds");
	ok(due_ms("stop:kapply:20@kapply/patch/c") == 25000, "... of a stage");
	ok(due_ms("watch-end-while:40000@kwatch/watch/c!2") == 70000,
	    "... and is tried again less and less often");
	ok(due_ms("500@kapply/get/c") == 10000,
	    "a look comes with the next line");
	ok(due_ms("freeze@kapply/patch/c") == 42000 &&
		due_ms("freeze@kwatch/watch/c") == 122000,
	    "what depends on the request");
	ok(due_ms("jump:-3600@kapply/patch/c") == -1 &&
		due_ms("watch-hang@kwatch/watch/c!2") == -1,
	    "what no time can be said of");
}

static bool
point_of(const char *request, struct mishap_point *p)
{
	struct err err;
	jv r = jvtext_parse(span_str(request), &err);
	bool found = mishap_point_of(&arena, r, p);

	jv_free(r);
	return found;
}

TEST(points)
{
	struct mishap_point a, b;
	struct buf text = BUF_INIT;
	struct mishap f = {.kind = &mishap_kinds[0]};

	ok(point_of("{\"userAgent\":\"kstatus/0.1.0 (linux/amd64) kpipe\","
		    "\"verb\":\"patch\",\"resource\":\"ats\",\"group\":"
		    "\"example.com\",\"subresource\":\"status\","
		    "\"namespace\":\"a\",\"name\":\"b\"}",
	       &a),
	    "a line of the journal has a point");
	f.at = a;
	mishap_print(&f, &text);
	is(buf_str(&text), "400@kstatus/patch/ats.example.com:status/a/b",
	    "... with its parts");
	b = a;
	b.nth = 7;
	ok(mishap_point_same(&a, &b), "the same for each such request");
	b.name = span_str("c");
	ok(!mishap_point_same(&a, &b), "... but not for another object");
	ok(!point_of("{\"userAgent\":\"client/1\",\"verb\":\"get\","
		     "\"resource\":\"pods\"}",
	       &a),
	    "a request that is not the operator's has none");
	buf_release(&text);
	arena_release(&arena);
}
