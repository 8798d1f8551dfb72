/* Differences of the shadow: Events, when and how many. */
#include "sidecar/shadowdiff.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "json/json.h"
#include "process/log.h"
#include "tap.h"

static char dir[] = "/tmp/test-shadowdiff-XXXXXX";
static struct watches *watches;
static struct shadowdiff d;
static struct buf told; /* "REASON NAME; " of each Event */
static struct buf last; /* the last one */
static bool open_;	/* Events are taken */

static bool
tell(void *arg, struct span line)
{
	struct span reconcile = json_get(line, "reconcile");
	struct json_elements events =
	    json_elements(json_get(reconcile, "events"));

	(void)arg;
	if (!open_ || !json_element(&events))
		return false;
	buf_addf(&told, "%.*s %.*s; ",
	    SPAN_ARG(json_raw_string(json_get(events.value, "reason"))),
	    SPAN_ARG(json_raw_string(json_path(reconcile, "primary.name"))));
	buf_reset(&last);
	buf_addspan(&last, line);
	return true;
}

static void
take(const char *name, const char *object, const char *change)
{
	struct buf line = BUF_INIT;

	buf_addf(&line,
	    "{\"primary\":\"Thing.e.com/ns/%s\",\"uid\":\"u\",\"object\":"
	    "\"Pod/ns/%s\",\"part\":\"item\",\"change\":\"%s\",\"differs\":"
	    "[{\"path\":\".x\",\"before\":\"1\",\"after\":\"\\\"\\n\\\"\"},"
	    "{\"path\":\".y\"}],\"moreDiffers\":2}",
	    name, object, change);
	shadowdiff_take(&d, buf_span(&line));
	buf_release(&line);
}

/* change: of the failures of both programs, if a message; else of one. */
static void
take_failure(const char *name, const char *change, const char *message)
{
	struct buf line = BUF_INIT;

	buf_addf(&line,
	    "{\"primary\":\"Thing.e.com/ns/%s\",\"uid\":\"u\",\"object\":"
	    "\"Thing.e.com/ns/%s\",\"part\":\"failure\",\"change\":\"%s\","
	    "\"message\":\"%s\"}",
	    name, name, change, message);
	shadowdiff_take(&d, buf_span(&line));
	buf_release(&line);
}

static void
begin(void)
{
	d = (struct shadowdiff){.loop = loop_new(),
	    .watches = watches,
	    .path = "new.yaml",
	    .tell = tell};
	open_ = true;
	buf_reset(&told);
}

static void
end(void)
{
	struct loop *l = d.loop;

	shadowdiff_release(&d);
	loop_free(l);
}

static void
tells(const char *want, const char *what)
{
	shadowdiff_settle(&d);
	is(buf_str(&told), want, what);
	buf_reset(&told);
}

static void
test_life(void)
{
	begin();
	take("a", "p", "differs");
	take("a", "q", "only-after");
	tells("ShadowDiffers a; ", "one Event for all objects");
	is(buf_str(&last),
	    "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[],"
	    "\"reconcile\":{\"primary\":{\"apiVersion\":\"e.com/v1\","
	    "\"kind\":\"Thing\",\"namespace\":\"ns\",\"name\":\"a\","
	    "\"uid\":\"u\"},\"events\":[{\"type\":\"Normal\",\"reason\":"
	    "\"ShadowDiffers\",\"message\":\"2 objects would differ with "
	    "new.yaml, such as Pod ns/p .x 1 -> \\\"\\\\n\\\" and 3 more\"}],"
	    "\"manager\":\"kpipe-thing.e.com\"}}",
	    "... with the first field, and nothing invisible");
	take("a", "p", "differs");
	tells("", "another difference of it: not again");
	take("a", "p", "agrees");
	tells("", "one of two agrees: nothing");
	take("a", "q", "agrees");
	tells("ShadowAgrees a; ", "the last one: an Event");
	take("a", "q", "differs");
	take("a", "q", "agrees");
	tells("", "back before it was told: nothing");
	take("a", "q", "differs");
	tells("ShadowDiffers a; ", "again: told again");
	take("a", "q", "gone");
	tells("", "gone: nobody is left to tell it about");
	ok(d.primaries.count == 0, "... and it is forgotten");
	end();
}

static void
test_failures(void)
{
	begin();
	take_failure("a", "not-compared", "no \\n key");
	tells("ShadowFails a; ", "both fail: an Event");
	ok(span_has(buf_span(&last),
	       "it cannot be compared with new.yaml, both programs fail: no "),
	    "... with the message");
	take_failure("a", "not-compared", "no other");
	tells("", "another message: not again");
	take_failure("a", "differs", "");
	tells("ShadowDiffers a; ", "one of them works: it differs");
	take_failure("a", "not-compared", "no");
	tells("ShadowFails a; ", "... and fails again");
	take_failure("a", "agrees", "");
	tells("ShadowAgrees a; ", "both work and agree");
	take_failure("a", "not-compared", "no");
	shadowdiff_again(&d);
	shadowdiff_whole(&d);
	tells("", "a new process does not tell it any more: it agrees");
	ok(d.primaries.count == 0, "... and is forgotten");
	end();
}

static void
test_again(void)
{
	begin();
	take("a", "p", "differs");
	take("b", "p", "differs");
	shadowdiff_settle(&d);
	buf_reset(&told);
	shadowdiff_again(&d);
	tells("", "the process has ended: what differs is not known");
	take("a", "p", "differs");
	tells("", "what it tells again is not new");
	shadowdiff_whole(&d);
	tells("ShadowAgrees b; ", "what it does not tell again agrees");
	end();
}

static void
test_closed(void)
{
	begin();
	open_ = false;
	take("a", "p", "differs");
	take("b", "p", "differs");
	take("b", "p", "agrees");
	tells("", "not the leader: nothing is told");
	open_ = true;
	tells("ShadowDiffers a; ", "it leads: what differs now is");
	end();
}

static size_t
count_events(void)
{
	size_t n = 0;

	for (size_t i = 0; i < told.len; i++)
		n += told.data[i] == ';';
	return n;
}

static void
test_many(void)
{
	char name[32];

	begin();
	for (int i = 0; i < SHADOWDIFF_PRIMARIES_MAX + 5; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		take(name, "p", "differs");
	}
	shadowdiff_settle(&d);
	ok(count_events() == SHADOWDIFF_TOLD, "as many Events as a window has");
	ok(d.logged == SHADOWDIFF_LOGGED &&
		d.unlogged == SHADOWDIFF_PRIMARIES_MAX + 5 - SHADOWDIFF_LOGGED,
	    "... and lines, the rest is counted");
	ok(d.primaries.count == SHADOWDIFF_PRIMARIES_MAX,
	    "... and not more primaries are kept");
	shadowdiff_settle(&d);
	ok(count_events() == SHADOWDIFF_TOLD, "no more in this window");
	d.window.fn(d.window.arg);
	ok(count_events() == 2 * SHADOWDIFF_TOLD && d.unlogged == 0,
	    "... but in the next one");
	end();
}

static void
test_strange(void)
{
	static const char *const lines[] = {"{}", "{\"primary\":7}", "[]",
	    "{\"primary\":\"\"}", "{\"primary\":\"x\"}",
	    "{\"primary\":\"Other.e.com/ns/a\",\"part\":\"item\",\"object\":"
	    "\"Pod/ns/p\",\"change\":\"only-after\"}",
	    "{\"primary\":\"Thing.e.com/ns/a\",\"part\":{},\"object\":[],"
	    "\"change\":\"differs\",\"differs\":{}}"};

	begin();
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		shadowdiff_take(&d, span_str(lines[i]));
		shadowdiff_settle(&d);
	}
	ok(strstr(buf_str(&told), "Other") == NULL,
	    "lines that are not as expected; a primary that is not ours");
	end();
}

int
main(void)
{
	struct err err = ERR_INIT;
	FILE *f;

	log_init("test", LOG_TEXT, LOG_FATAL);
	if (mkdtemp(dir) == NULL || chdir(dir) != 0 ||
	    (f = fopen("w.yaml", "w")) == NULL)
		perror(dir), exit(1);
	fputs("- {group: e.com, version: v1, kind: Thing, program: p.jq}\n", f);
	fclose(f);
	fclose(fopen("p.jq", "w"));
	watches = watches_load("w.yaml", NULL, &err);
	if (watches == NULL)
		puts(err.message), exit(1);
	test_life();
	test_failures();
	test_again();
	test_closed();
	test_many();
	test_strange();
	watches_free(watches);
	buf_release(&told);
	buf_release(&last);
	unlink("w.yaml");
	unlink("p.jq");
	rmdir(dir);
	return tap_done();
}
