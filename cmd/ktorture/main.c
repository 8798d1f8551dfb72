/*
 * ktorture: a stand-in until the driver is here. Prints the scenarios of an
 * operator as JSON lines.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "json/jvtext.h"
#include "process/opt.h"
#include "scene/opfolder.h"
#include "scene/scenario.h"
#include "scene/specs.h"

static struct opts {
	const char *watches;
	bool specs;
	long seed, count;
} opts = {.watches = "watches.yaml", .seed = 1, .count = 1000};

static const struct opt table[] = {
    {'f', "filename", "WATCHES", OPT_STRING, &opts.watches, NULL,
	"the operator (watches.yaml)"},
    {0, "specs", NULL, OPT_FLAG, &opts.specs, NULL, "generated specs"},
    {0, "seed", "N", OPT_INT, &opts.seed, NULL, "the order of pairs"},
    {0, "count", "N", OPT_INT, &opts.count, NULL, "how many specs"}, OPT_END};

static const struct opt_tool tool = {"ktorture", "[-f WATCHES] [--specs]",
    "Prints the scenarios of an operator as JSON lines.", table};

static int
print(jv scenario, struct err *err)
{
	struct buf b = BUF_INIT;
	int rc = jvtext_add_ordered(&b, scenario, JVTEXT_KEPT, err);

	if (rc == 0)
		puts(buf_str(&b));
	buf_release(&b);
	jv_free(scenario);
	return rc;
}

static int
print_specs(const struct opfolder *f, struct err *err)
{
	struct specs s;
	int rc;

	if (specs_load(&s, f, err) != 0)
		return -1;
	rc = 0;
	for (size_t i = 0;
	     rc == 0 && i < specs_count(&s) && i < (size_t)opts.count; i++)
		rc = print(specs_get(&s, (uint64_t)opts.seed, i), err);
	specs_release(&s);
	return rc;
}

static int
print_list(jv list, struct err *err)
{
	int rc = jv_is_valid(list) ? 0 : -1;

	for (int i = 0; rc == 0 && i < jv_array_length(jv_copy(list)); i++)
		rc = print(jv_array_get(jv_copy(list), i), err);
	jv_free(list);
	return rc;
}

static int
run(int operands, char **operand, struct err *err)
{
	struct opfolder f;
	int rc;

	if (operands > 0)
		return err_set(
		    err, ERR_PERMANENT, "unknown word \"%s\"", operand[0]);
	if (opfolder_load(&f, opts.watches, NULL, err) != 0)
		return -1;
	if (opts.specs)
		rc = print_specs(&f, err);
	else if ((rc = print_list(scenario_written(&f, err), err)) == 0)
		rc = print_list(scenario_defaults(&f, err), err);
	opfolder_release(&f);
	return rc;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
