/*
 * kapply: makes the cluster what its input says: desired sets of ireconcile,
 * or plain objects, Lists and watch events.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apply.h"
#include "applyset.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "keyring.h"
#include "process/log.h"
#include "process/opt.h"
#include "unseen.h"

enum { PRUNE_LIMIT = 100 };

static struct apply_opts o = {
    .output = -1,
    .prune_limit = PRUNE_LIMIT,
    .marks_key_fd = -1,
    .marks_key_out_fd = -1,
    .marks_key_check_ms = 60000,
};

static const char *const dry_runs[] = {"none", "server", NULL};
static const char *const outputs[] = {"status", "result", "none", NULL};

static const struct opt table[] = {
    {'f', "filename", "FILE", OPT_LIST, &o.files, NULL,
	"apply what is in this file, JSON or YAML (-: standard input)"},
    {'R', "recursive", NULL, OPT_FLAG, &o.recursive, NULL,
	"... and of a folder that is named, in folders below it, too"},
    {0, "field-manager", "NAME", OPT_STRING, &o.field_manager, NULL,
	"own the fields under this name, whatever a set says"},
    {0, "force-conflicts", NULL, OPT_FLAG, &o.force_conflicts, NULL,
	"plain objects: take over fields that others own"},
    {0, "dry-run", "none|server", OPT_CHOICE, &writer_opts.dry_run, dry_runs,
	"server: the server checks everything and keeps nothing"},
    {0, "applyset", "[RESOURCE/]NAME", OPT_STRING, &o.applyset, NULL,
	"plain objects: delete what this parent had and the input lacks"},
    {0, "allow-empty", NULL, OPT_FLAG, &o.allow_empty, NULL,
	"... all of it, if the input has no object"},
    {0, "generate-name", NULL, OPT_FLAG, &o.generate_name, NULL,
	"plain objects: create those that have generateName and no name"},
    {0, "timeout", "TIME", OPT_DURATION, &writer_opts.timeout_ms, NULL,
	"how long to retry after the end of the input (60s)"},
    {'o', "output", "status|result|none", OPT_CHOICE, &o.output, outputs,
	"what to print (result on a terminal, else status)"},
    {0, "max-in-flight", "N", OPT_INT, &writer_opts.max_in_flight, NULL,
	"requests under way at a time (64)"},
    {0, "fail-after", "TIME", OPT_DURATION, &writer_opts.failed_after_ms, NULL,
	"a passing failure counts as failed after this time (30s)"},
    {0, "prune-limit", "N", OPT_INT, &o.prune_limit, NULL,
	"deletions in a minute for primaries that stay (100; 0: no limit)"},
    {0, "marks-key-fd", "N", OPT_INT, &o.marks_key_fd, NULL,
	"marks of members are proven by the key on this descriptor"},
    {0, "marks-key-secret", "[NAMESPACE/]NAME", OPT_STRING, &o.marks_key_secret,
	NULL, "... or by the key in this Secret, made if it is not there"},
    {0, "marks-key-check", "TIME", OPT_DURATION, &o.marks_key_check_ms, NULL,
	"how often that Secret is looked at (60s)"},
    {0, "marks-key-out-fd", "N", OPT_INT, &o.marks_key_out_fd, NULL,
	"hand that key on to this descriptor"},
    {0, "accept-unproven-marks", NULL, OPT_FLAG, &o.accept_unproven, NULL,
	"once, after an upgrade: marks count that lack the proof"},
    {0, "max-writes-per-second", "N", OPT_INT, &writer_opts.max_writes, NULL,
	"sets: writes in a second, beyond a burst (500; 0: no limit)"},
    OPT_ROWS(writer_opt_table), OPT_END};

static const struct opt_tool tool = {"kapply", "[OPTION]... [FILE]...",
    "Apply desired sets, or plain objects, from files or standard input.",
    table};

/* ---- lines become sets ---- */

/* The set that is held goes to the engine, unless a Namespace or CRD that came earlier
 * is not there yet, and it is a plain object. */
static bool
submit_held(struct apply *a)
{
	struct set *s = a->held;

	if (s == NULL)
		return true;
	if (s->plain && a->barriers > 0 && s->items[0].phase != PHASE_SCOPES)
		return false;
	a->held = NULL;
	engine_submit(a, s);
	return true;
}

/* Not while many plain objects wait for an earlier one of their name. */
static bool
has_room(void *arg)
{
	struct apply *a = arg;

	return a->lined_up < 2 * (size_t)writer_opts.max_in_flight &&
	    submit_held(a);
}

static int
take(void *arg, const struct stream_doc *doc, struct err *err)
{
	struct apply *a = arg;
	struct set *s;

	if (set_read(&s, doc->text, doc->line, doc->item, err) != 0)
		return -1;
	if (s != NULL && s->plain && s->items[0].op == OP_CREATE &&
	    !o.generate_name) {
		set_free(s);
		return err_set(err, ERR_PERMANENT,
		    "it has metadata.generateName and no name: with "
		    "--generate-name it is created, under a name that is made "
		    "each time");
	}
	if (s != NULL && s->plain && a->applyset != NULL)
		applyset_take(a->applyset, s);
	else
		a->held = s;
	return 0;
}

/* ---- the run ---- */

static bool
settled(void *arg)
{
	struct apply *a = arg;
	bool done = a->applyset != NULL ? applyset_step(a->applyset)
					: engine_settled(a) &&
		(a->w.recorder == NULL || recorder_idle(a->w.recorder));

	/* The process that waits for the key gets it, also if there is
	 * nothing to apply. */
	return done && !a->w.waits;
}

static void
end(void *arg, bool done)
{
	struct apply *a = arg;

	if (!done && !a->w.ready)
		log_error(
		    "%s could not be reached in time", kube_server(a->w.kube));
	else if (!done && a->applyset != NULL)
		log_error("apply set %s: not finished in time", o.applyset);
	engine_give_up(a);
	/* A user who names files wants them applied; a stage of a pipeline may
	 * have nothing to do. An apply set has a rule of its own. */
	if (a->w.file_count > 0 && a->applyset == NULL &&
	    a->w.lines + a->w.bad_lines == 0) {
		log_error("no object to apply: there is none in what is named");
		a->w.failed = true;
	}
	a->w.failed = a->w.failed || !done || a->w.keys.count > 0;
}

static const struct writer_tool writer_tool = {
    .name = "kapply",
    .lines = "sets",
    .run = engine_run,
    .count = report_counters,
    .samples = report_samples,
    .has_room = has_room,
    .take = take,
    .settled = settled,
    .end = end,
};

/* Returns the exit code, or -1 with err. */
static int
apply(const struct opt_list *files, struct err *err)
{
	struct apply a = {.o = &o};
	struct keyring *keyring = NULL;
	int code = -1;

	prunelimit_init(&a.prunelimit, (size_t)o.prune_limit);
	because_init(&a.because);
	if (writer_open(&a.w, &writer_tool, &a, err) == 0 &&
	    keyring_open(&keyring, &a, err) == 0) {
		a.w.prints = o.output == OUTPUT_RESULT;
		a.unseen = unseen_new(a.w.loop);
		if (o.applyset != NULL)
			a.applyset = applyset_new(&a, o.applyset);
		writer_files(&a.w, files->items, files->count);
		if (writer_opts.tap_fd < 0)
			writer_yaml(&a.w);
		code = writer_run(&a.w, err);
	}
	set_free(a.held);
	applyset_free(a.applyset);
	engine_free(&a);
	unseen_free(a.unseen);
	prunelimit_release(&a.prunelimit);
	because_release(&a.because);
	keyring_free(keyring);
	proof_release(&a.proof);
	writer_release(&a.w);
	return code;
}

static int
check_options(struct err *err)
{
	const struct opt_rule rules[] = {
	    {o.allow_empty, "allow-empty", OPT_NEEDS, o.applyset != NULL,
		"applyset"},
	    {o.generate_name, "generate-name", OPT_EXCLUDES, o.applyset != NULL,
		"applyset"},
	    {o.marks_key_fd >= 0, "marks-key-fd", OPT_EXCLUDES,
		o.marks_key_secret != NULL, "marks-key-secret"},
	    {o.marks_key_out_fd >= 0, "marks-key-out-fd", OPT_NEEDS,
		o.marks_key_secret != NULL, "marks-key-secret"}};

	if (writer_check_options(err) != 0)
		return -1;
	if (o.prune_limit < 0 || o.prune_limit > PRUNELIMIT_MAX)
		return err_set(err, ERR_PERMANENT,
		    "option --prune-limit: from 0 to %d", PRUNELIMIT_MAX);
	if (opt_check_rules(rules, COUNT(rules), err) != 0)
		return -1;
	if (o.accept_unproven && o.marks_key_fd < 0 &&
	    o.marks_key_secret == NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --accept-unproven-marks needs a key: "
		    "--marks-key-fd or --marks-key-secret");
	if (o.output < 0)
		o.output =
		    isatty(STDOUT_FILENO) ? OUTPUT_RESULT : OUTPUT_STATUS;
	return 0;
}

static void
add_file(struct opt_list *found, const char *name)
{
	found->items =
	    mem_grow(found->items, found->count, sizeof(*found->items));
	found->items[found->count++] = mem_strdup(name);
}

static void
manifests_free(struct opt_list *found)
{
	for (size_t i = 0; i < found->count; i++)
		free((char *)found->items[i]);
	free(found->items);
	*found = (struct opt_list){0};
}

static int
cannot_read(const char *name, struct err *err)
{
	return err_set(
	    err, ERR_PERMANENT, "cannot read %s: %s", name, strerror(errno));
}

static bool
is_manifest(const char *name)
{
	static const char *const ends[] = {".json", ".yaml", ".yml"};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot != NULL && i < COUNT(ends); i++)
		if (strcmp(dot, ends[i]) == 0)
			return true;
	return false;
}

static bool
is_folder(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

static int
not_dots(const struct dirent *d)
{
	return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}

static int walk(
    struct opt_list *found, const char *folder, bool deep, struct err *err);

/* A link is what it leads to, but no folder: it may lead anywhere, also back. */
static int
visit_file(struct opt_list *found, const char *path, bool deep, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return cannot_read(path, err);
	if (S_ISDIR(st.st_mode))
		return deep ? walk(found, path, deep, err) : 0;
	if (!is_manifest(path))
		return 0;
	if (is_folder(path))
		return err_set(err, ERR_PERMANENT,
		    "%s is a link to a folder, and not followed: name it, too, "
		    "to have what is in it",
		    path);
	if (access(path, R_OK) != 0)
		return cannot_read(path, err);
	add_file(found, path);
	return 0;
}

static int
walk(struct opt_list *found, const char *folder, bool deep, struct err *err)
{
	struct dirent **names;
	int n = scandir(folder, &names, not_dots, alphasort), rc = 0;

	if (n < 0)
		return cannot_read(folder, err);
	for (int i = 0; i < n; i++) {
		struct buf path = BUF_INIT;

		buf_addf(&path, "%s/%s", folder, names[i]->d_name);
		if (rc == 0)
			rc = visit_file(found, buf_str(&path), deep, err);
		buf_release(&path);
		free(names[i]);
	}
	free(names);
	return rc;
}

/*
 * Appends copies: name itself, or the files of the folder of that name (deep:
 * and of those below it; links to folders are not followed there). "-" is
 * standard input. -1 with err: one cannot be read, or a folder has none.
 */
static int
manifests_add(
    struct opt_list *found, const char *name, bool deep, struct err *err)
{
	size_t before = found->count;

	if (strcmp(name, "-") == 0 || !is_folder(name)) {
		if (strcmp(name, "-") != 0 && access(name, R_OK) != 0)
			return cannot_read(name, err);
		add_file(found, name);
		return 0;
	}
	if (walk(found, name, deep, err) != 0)
		return -1;
	if (found->count == before)
		return err_set(err, ERR_PERMANENT,
		    "%s has no file .json, .yaml or .yml%s", name,
		    deep ? "" : " (-R looks in folders below it, too)");
	return 0;
}

/* The files that are named, folders with theirs in their place. */
static int
find_files(struct opt_list *found, int count, char **operands, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < o.files.count && rc == 0; i++)
		rc = manifests_add(found, o.files.items[i], o.recursive, err);
	for (int i = 0; i < count && rc == 0; i++)
		rc = manifests_add(found, operands[i], o.recursive, err);
	return rc;
}

static int
run(int operands, char **operand, struct err *err)
{
	struct opt_list files = {0};
	int code = -1;

	if (check_options(err) == 0 &&
	    find_files(&files, operands, operand, err) == 0)
		code = apply(&files, err);
	manifests_free(&files);
	free(o.files.items);
	return code;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
