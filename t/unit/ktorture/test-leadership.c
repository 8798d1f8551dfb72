#include "oracle/leadership.h"

#include "tap.h"
#include "values.h"

enum { ROOM = 8192 };

/* A record is made of its events, at times in seconds. */
static struct buf record = BUF_INIT;
static unsigned numbers;

static void
add_line(const char *fmt, ...)
{
	va_list ap;

	buf_adds(&record, record.len > 0 ? "," : "[");
	va_start(ap, fmt);
	buf_addv(&record, fmt, ap);
	va_end(ap);
}

static void
request(unsigned number, unsigned second, const char *user, const char *tool,
    const char *verb, const char *resource)
{
	add_line("{'request':{'number':%u,'time':'2026-01-01T00:%02u:%02u."
		 "000000Z','userAgent':'%s/1 (linux/%s)','verb':'%s',"
		 "'resource':'%s','name':'o','code':200},'by':'%s'}",
	    number, second / 60, second % 60, tool, user, verb, resource, tool);
}

/* The Lease has this holder from now on; "": it is given back. by: kelect of this
 * user; NULL: another client writes it. */
static void
lease(unsigned second, const char *user, const char *holder)
{
	const char *tool = user != NULL ? "kelect" : "client";

	add_line("{'change':'%s','number':%u,'by':'%s','time':'2026-01-01T00:"
		 "%02u:%02u.000000Z','object':{'apiVersion':"
		 "'coordination.k8s.io/v1','kind':'Lease','metadata':{'name':"
		 "'l','namespace':'d','uid':'u'},'spec':{'holderIdentity':"
		 "'%s','leaseDurationSeconds':15,'renewTime':'%u'}}}",
	    numbers == 0 ? "ADDED" : "MODIFIED", numbers + 1, tool, second / 60,
	    second % 60, holder, second);
	request(++numbers, second, user != NULL ? user : "client", tool,
	    "update", "leases");
}

static void
apply(unsigned second, const char *user)
{
	request(++numbers, second, user, "kapply", "patch", "deployments");
}

/* The violations: "TEXT; ...". */
static const char *
said(void)
{
	static char text[ROOM];
	struct violations f = {jv_array()};
	struct played *p;
	size_t n = 0;

	buf_adds(&record, "]");
	p = played_new(value(buf_str(&record)));
	leadership_check(p, &f);
	text[0] = '\0';
	jv_array_foreach(f.list, i, v)
	{
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
		    n > 0 ? "; " : "", jv_string_value(jvtext_peek(v, "text")));
		jv_free(v);
	}
	jv_free(f.list);
	played_free(p);
	buf_reset(&record);
	numbers = 0;
	return text;
}

static void
silence(void)
{
	add_line("{'silence':true}");
}

TEST(alone)
{
	apply(1, "a");
	silence();
	is(said(), "", "without an election all may write");
}

TEST(handed_over)
{
	lease(1, "a", "A");
	apply(2, "a");
	lease(3, "a", "A");
	lease(4, "a", "");
	lease(5, "b", "B");
	apply(6, "b");
	silence();
	is(said(), "", "given back, and taken at once");
	lease(1, "a", "A");
	lease(16, "b", "B");
	apply(17, "b");
	silence();
	is(said(), "", "taken when its time is over");
}

TEST(taken_early)
{
	lease(1, "a", "A");
	lease(4, "a", "A");
	lease(17, "b", "B");
	silence();
	is(said(), "it is taken 2.000 s before the time of its holder is over",
	    "of another instance");
	lease(1, "a", "A");
	lease(2, NULL, "thief");
	lease(4, "a", "A");
	silence();
	is(said(), "it is taken 13.000 s before the time of its holder is over",
	    "of another client, which has stolen it");
	lease(1, "a", "A");
	lease(2, NULL, "thief");
	lease(17, "b", "B");
	silence();
	is(said(), "", "... when its time is over");
}

TEST(two_write)
{
	lease(1, "a", "A");
	lease(16, "b", "B");
	apply(17, "a");
	apply(18, "b");
	silence();
	is(said(),
	    "deployments o is written at 16.000 s by an instance that leads no "
	    "more: another one does",
	    "a leader that was");
	lease(1, "a", "A");
	numbers++; /* kept by the server */
	lease(16, "b", "B");
	request(2, 17, "a", "kapply", "patch", "deployments");
	silence();
	is(said(), "", "a request that came before, and was done late");
	lease(1, "a", "A");
	lease(16, "b", "B");
	request(++numbers, 17, "a", "kapply", "create", "events");
	request(++numbers, 17, "a", "kapply", "get", "deployments");
	silence();
	is(said(), "", "Events and reads are not fenced");
}

TEST(before_and_after)
{
	apply(1, "a");
	lease(2, "a", "A");
	silence();
	is(said(),
	    "deployments o is written at 0.000 s, before any instance leads",
	    "before the election");
	lease(1, "a", "A");
	lease(2, "a", "");
	apply(3, "a");
	lease(4, "b", "B");
	silence();
	is(said(),
	    "deployments o is written at 2.000 s by an instance that has given "
	    "the lease back",
	    "the lease is given back too early");
}

TEST(nobody)
{
	lease(1, "a", "A");
	apply(40, "a");
	silence();
	is(said(), "no instance leads when all should be done",
	    "the lease is over at the end");
	lease(1, "a", "A");
	lease(2, "a", "");
	silence();
	is(said(), "no instance leads when all should be done",
	    "it has no holder");
	buf_release(&record);
}
