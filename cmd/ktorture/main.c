/* ktorture: plays an operator under every fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/jvtext.h"
#include "linked.h"
#include "plan.h"
#include "process/opt.h"
#include "process/file.h"
#include "trial.h"

static const char *watches, *fault;
static long schedules = 1;
static bool show;
static const struct opt table[] = {
    {'f', "filename", "WATCHES", OPT_STRING, &watches, NULL, "the operator"},
    {0, "fault", "F", OPT_STRING, &fault, NULL, "f"},
    {0, "show", NULL, OPT_FLAG, &show, NULL, "f"},
    {0, "schedules", "N", OPT_INT, &schedules, NULL, "how many"}, OPT_END};
static const struct opt_tool tool = {
    "ktorture", "-f WATCHES [OPTION]...", "Play.", table};

static int
run(int operands, char **operand, struct err *err)
{
	(void)operands; (void)operand;
	struct world *w;
	struct buf crd = BUF_INIT, base = BUF_INIT;
	struct span a;
	struct fault f;
	struct arena arena = ARENA_INIT;

	if (startup_warm(watches, err) != 0) return -1;
	inside_only = true;
	if (fault != NULL && fault_read(&arena, span_str(fault), &f, err) != 0) return -1;
	w = world_new(1, err);
	if (w == NULL) return -1;
	if (file_read("/work/main/pipeline/memcached/crd.yaml", 1, &crd, err)) return -1;
	int st = client_ask(w->client, "PATCH", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/memcacheds.cache.example.com?fieldManager=x", CLIENT_APPLY, buf_span(&crd), &a, err);
	world_still(w);
	if (st > 201) fprintf(stderr, "%d %.*s\n", st, (int)(a.n > 200 ? 200 : a.n), a.p);
	st = client_ask(w->client, "GET", "/kapi/save", CLIENT_JSON, SPAN_NONE, &a, err);
	buf_addspan(&base, a);
	jv steps = jv_parse("[{\"do\":\"create\",\"object\":{\"apiVersion\":\"cache.example.com/v1alpha1\",\"kind\":\"Memcached\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":3}}}, {\"do\":\"patch\",\"apiVersion\":\"cache.example.com/v1alpha1\",\"kind\":\"Memcached\",\"name\":\"a\",\"patch\":{\"spec\":{\"size\":5}}},{\"do\":\"delete\",\"apiVersion\":\"cache.example.com/v1alpha1\",\"kind\":\"Memcached\",\"name\":\"a\"}]");
	for (long i = 0; i < schedules; i++) {
		struct trial t = {.watches = watches, .objects = buf_span(&base), .steps = steps, .faults = &f, .count = fault != NULL, .seed = 1, .start_us = 1767225600000000};
		jv r = trial_play(w, &t, err);
		if (!jv_is_valid(r)) return -1;
		if (show) {
			jv_array_foreach(r, j, l) { jv_dump(l, 0); puts(""); }
		}
		if (i == 0) { struct plan p; plan_init(&p, 1); plan_add(&p, 0, r); plan_order(&p); fprintf(stderr, "%zu\n", p.count);
			for (size_t k = 0; k < (getenv("PLAN") ? p.count : 0); k++) { struct buf b = BUF_INIT; fault_print(&p.singles[k].faults[0], &b); fprintf(stderr, "%s\n", buf_str(&b)); buf_release(&b);} }
		jv_free(r);
	}
	world_free(w);
	return 0;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
