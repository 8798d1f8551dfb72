/* ktorture: plays an operator under every fault. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/resource.h>

#include "linked.h"
#include "process/opt.h"
#include "world.h"

static const char *watches;
static long schedules = 100;
static const struct opt table[] = {
    {'f', "filename", "WATCHES", OPT_STRING, &watches, NULL, "the operator"},
    {0, "schedules", "N", OPT_INT, &schedules, NULL, "how many"}, OPT_END};
static const struct opt_tool tool = {
    "ktorture", "-f WATCHES [OPTION]...", "Play.", table};

static void settle(struct world *w, int64_t ns)
{
	int64_t end = world_now(w) + ns;
	while (world_step(w, end)) continue;
}

static int
run(int operands, char **operand, struct err *err)
{
	(void)operands; (void)operand;
	struct world *w;
	char *kc, *f;
	if (startup_warm(watches, err) != 0) return -1;
	inside_only = true;
	w = world_new(1, err);
	if (w == NULL) return -1;
	static char crd[1<<20], arg[200], fn[200];
	FILE *fp = fopen("/work/main/pipeline/memcached/crd.yaml", "r");
	size_t n = fread(crd, 1, sizeof crd, fp);
	struct span a;
	int st = client_ask(w->client, "PATCH", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/memcacheds.cache.example.com?fieldManager=x", CLIENT_APPLY, span_make(crd, n), &a, err);
	fprintf(stderr, "%d %.*s\n", st, (int)(a.n > 200 ? 200 : a.n), a.p);
	snprintf(arg, sizeof arg, "--kubeconfig=%s", w->kubeconfig);
	snprintf(fn, sizeof fn, "--filename=%s", watches);
	kc = arg; f = fn;
	for (long i = 0; i < schedules; i++) {
		pid_t p = world_fork(w, kpipe_main, (char *[]){"kpipe", f, kc, getenv("SB") ? "--sandbox=off" : "--sandbox=auto", NULL});
		struct span obj = span_str("{\"apiVersion\":\"cache.example.com/v1alpha1\",\"kind\":\"Memcached\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":3}}");
		world_still(w);
		if (!getenv("IDLE")) {
		settle(w, 1000000000);
		st = client_ask(w->client, "POST", "/apis/cache.example.com/v1alpha1/namespaces/default/memcacheds", CLIENT_JSON, obj, &a, err);
		settle(w, 15000000000);
		st = client_ask(w->client, "PATCH", "/apis/cache.example.com/v1alpha1/namespaces/default/memcacheds/a", CLIENT_MERGE_PATCH, span_str("{\"spec\":{\"size\":4}}"), &a, err);
		settle(w, 15000000000);
		st = client_ask(w->client, "DELETE", "/apis/cache.example.com/v1alpha1/namespaces/default/memcacheds/a", CLIENT_JSON, SPAN_NONE, &a, err);
		settle(w, 15000000000);
		settle(w, 600000000000);
		}
		int code = world_end(w, p, SIGTERM, 60000000000);
		if (code != 0) fprintf(stderr, "code %x\n", code);
		w->page->used = 1; w->still.slots = 1;
		if (i == 0) fprintf(stderr, "%s\n%zu\n", buf_str(&w->log), w->journal.len);
		buf_reset(&w->log); buf_reset(&w->journal);
	}
	world_free(w);
	struct rusage c, s;
	getrusage(RUSAGE_CHILDREN, &c); getrusage(RUSAGE_SELF, &s);
	fprintf(stderr, "children %.1f %.1f self %.1f %.1f ms each\n", (c.ru_utime.tv_sec*1e3+c.ru_utime.tv_usec/1e3)/schedules, (c.ru_stime.tv_sec*1e3+c.ru_stime.tv_usec/1e3)/schedules,(s.ru_utime.tv_sec*1e3+s.ru_utime.tv_usec/1e3)/schedules,(s.ru_stime.tv_sec*1e3+s.ru_stime.tv_usec/1e3)/schedules);
	return 0;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
