/*
 * kgen: makes the files that an operator needs besides its programs, from its
 * folder.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/textlist.h"
#include "chart/chart.h"
#include "docstream.h"
#include "folder.h"
#include "generator.h"
#include "genfiles.h"
#include "json/jvtext.h"
#include "libjq/jqcompile.h"
#include "libjq/jqfiles.h"
#include "newkind.h"
#include "observed.h"
#include "process/file.h"
#include "process/log.h"
#include "process/opt.h"

static struct opts {
	const char *folder;
	const char *out;
	bool check, diff, force;
	int scope, program;
	struct folder_overrides overrides;
	struct newkind kind;
	struct opt_list library_dirs;
	const char *from, *from_chart, *user;
} opts = {.folder = "."};

enum { SCOPE_AS_WRITTEN };
static const char *const scopes[] = {
    "as-written", "namespace", "cluster", NULL};

enum { PROGRAM_IMAGE };
static const char *const programs[] = {"image", "configmap", NULL};

static const struct opt table[] = {
    {'f', "folder", "FOLDER", OPT_STRING, &opts.folder, NULL,
	"the operator: operator.yaml, watches.yaml (the current folder)"},
    {'o', "output", "DIR", OPT_STRING, &opts.out, NULL,
	"write files there, or this one file, instead of standard output"},
    {0, "check", NULL, OPT_FLAG, &opts.check, NULL,
	"write nothing; exit 1 if a file of DIR is stale, and name it"},
    {0, "diff", NULL, OPT_FLAG, &opts.diff, NULL,
	"write nothing; print the differences, exit 1 if there are any"},
    {0, "force", NULL, OPT_FLAG, &opts.force, NULL,
	"replace files that a person wrote or changed"},
    {0, "image", "IMAGE", OPT_STRING, &opts.overrides.image, NULL,
	"instead of operator.yaml; may have a tag and a digest"},
    {0, "program", "PLACE", OPT_CHOICE, &opts.program, programs,
	"manifests, chart: where the programs are"},
    {0, "namespace", "NAMESPACE", OPT_STRING, &opts.overrides.namespace_, NULL,
	"where the operator runs (NAME-operator-system)"},
    {0, "scope", "SCOPE", OPT_CHOICE, &opts.scope, scopes,
	"instead of operator.yaml: what the operator watches"},
    {0, "set", "KEY=VALUE", OPT_LIST, &opts.overrides.sets, NULL,
	"instead of operator.yaml; KEY may be a path, as env.NAME"},
    {0, "shadow", "WATCHES", OPT_STRING, &opts.overrides.shadow, NULL,
	"rights: kwatch may also watch the kinds of this file (see kpipe)"},
    {0, "user", "USER", OPT_STRING, &opts.user, NULL,
	"rights --from: the user of the operator, if its stages have one"},
    {0, "group", "GROUP", OPT_STRING, &opts.kind.group, NULL,
	"of the new kind: cache.example.com"},
    {0, "kind", "KIND", OPT_STRING, &opts.kind.kind, NULL,
	"the new kind: Memcached"},
    {0, "api-version", "VERSION", OPT_STRING, &opts.kind.version, NULL,
	"of the new kind (v1alpha1)"},
    {0, "cluster-scoped", NULL, OPT_FLAG, &opts.kind.cluster_scoped, NULL,
	"objects of the new kind are in no namespace"},
    {0, "from", "FILE", OPT_STRING, &opts.from, NULL,
	"rights: compare them with a journal of kapi, or an audit log; new, "
	"add: the CustomResourceDefinition of a kind that exists; new, add, "
	"crd: an object of the kind, which gives the types of its fields"},
    {0, "from-cluster", "KIND.GROUP", OPT_STRING, &opts.kind.from_cluster, NULL,
	"new, add: a kind that the cluster of kubectl serves"},
    {0, "own", NULL, OPT_FLAG, &opts.kind.own, NULL,
	"new, add: the kind that exists is this operator's: it installs it"},
    {0, "from-chart", "DIR", OPT_STRING, &opts.from_chart, NULL,
	"new: a Helm chart, unpacked, whose objects the program makes"},
    {'L', "library-path", "DIR", OPT_LIST, &opts.library_dirs, NULL,
	"look for generators, gen/COMMAND.jq, here, too"},
    OPT_END};

static const struct opt_tool tool = {"kgen",
    "COMMAND [-f FOLDER] [-o DIR] [OPTION]...",
    "Make what an operator needs besides its programs, from its folder. "
    "COMMAND is\n"
    "  new [NAME] [FIELD]... a folder, with a program for one kind and its "
    "test\n"
    "  add [FIELD]...       one more kind in the folder\n"
    "  crd [FIELD]...       crd.yaml, of fields such as 'size: integer'\n"
    "  rights               rbac.yaml: the least rights of each stage\n"
    "  manifests            for kubectl; with -o: for kustomize\n"
    "  chart                a Helm chart\n"
    "  bundle               for the Operator Lifecycle Manager\n"
    "  image                a Containerfile\n"
    "  describe             the input of all these\n"
    "or a gen/COMMAND.jq of your own.",
    table};

/* The folder; as given; beside the source tree's bin; installed. */
static void
library_dirs(struct textlist *dirs)
{
	textlist_init(dirs);
	textlist_add(dirs, opts.folder, strlen(opts.folder));
	for (size_t i = 0; i < opts.library_dirs.count; i++)
		textlist_add(dirs, opts.library_dirs.items[i],
		    strlen(opts.library_dirs.items[i]));
	jqfiles_library(dirs);
}

static int
put(struct span text, struct err *err)
{
	if (file_write(STDOUT_FILENO, text) == 0)
		return 0;
	return err_set(err, ERR_TRANSIENT,
	    "cannot write to standard output: %s", strerror(errno));
}

/* Logs the warnings of the generator about its files. */
static void
log_warnings(jv files_peek)
{
	int count = jv_array_length(jv_copy(files_peek));

	for (int i = 0; i < count; i++) {
		jv file = jv_array_get(jv_copy(files_peek), i);
		jv warnings = jvtext_peek(file, "warnings");

		for (int j = 0; jv_get_kind(warnings) == JV_KIND_ARRAY &&
		     j < jv_array_length(jv_copy(warnings));
		     j++) {
			jv text = jv_array_get(jv_copy(warnings), j);

			log_warning("%.*s", SPAN_ARG(jvtext_span(text)));
			jv_free(text);
		}
		jv_free(file);
	}
}

/* Takes files. Returns the exit code, or -1. */
static int
deliver(const char *command, jv files, struct err *err)
{
	struct genfiles_target target = {command, opts.out,
	    opts.check	    ? GENFILES_CHECK
		: opts.diff ? GENFILES_DIFF
			    : GENFILES_WRITE,
	    opts.force, true};
	struct buf text = BUF_INIT;
	int rc;

	log_warnings(files);
	if (opts.out != NULL) {
		rc = genfiles_apply(files, &target, err);
	} else {
		rc = genfiles_print(files, &text, err);
		if (rc == 0)
			rc = put(buf_span(&text), err);
		buf_release(&text);
	}
	jv_free(files);
	return rc;
}

/* Takes the description. */
static int
print_description(jv description, struct err *err)
{
	struct buf text = BUF_INIT;
	int rc = jvtext_add_ordered(&text, description, JVTEXT_KEPT, err);

	buf_addc(&text, '\n');
	if (rc == 0)
		rc = put(buf_span(&text), err);
	buf_release(&text);
	jv_free(description);
	return rc;
}

/* kgen new [NAME] [FIELD]..., or with --from-chart: a folder; name may be NULL.
 * Returns the exit code, or -1. */
static int
make_folder(const struct textlist *dirs, const char *name, struct err *err)
{
	jv input = newkind_describe(&opts.kind, jv_object(), err), files;
	jv first;
	int code;

	if (jv_is_valid(input) && opts.from_chart != NULL) {
		jv chart = chart_load(opts.from_chart, err);

		if (jv_is_valid(chart))
			chart = jv_object_set(input, jv_string("chart"), chart);
		else
			jv_free(input);
		input = chart;
	}
	if (!jv_is_valid(input))
		return -1;
	if (name != NULL)
		input =
		    jv_object_set(input, jv_string("name"), jv_string(name));
	if (opts.overrides.image != NULL)
		input = jv_object_set(
		    input, jv_string("image"), jv_string(opts.overrides.image));
	files = generator_run(
	    dirs, opts.from_chart != NULL ? "from_chart" : "new", input, err);
	if (!jv_is_valid(files))
		return -1;
	log_warnings(files);
	/* Its first file has the folder's name, and what people are told. */
	first = jv_array_get(jv_copy(files), 0);
	if (opts.out == NULL)
		opts.out = jv_string_value(jvtext_peek(first, "folder"));
	code = newkind_create(files, opts.out, err);
	if (code == 0)
		put(jvtext_span(jvtext_peek(first, "says")), err);
	jv_free(first);
	jv_free(files);
	return code;
}

/* kgen add [FIELD]...: takes the description. */
static int
add_kind(const struct textlist *dirs, jv description, struct err *err)
{
	jv kind = newkind_describe(&opts.kind, jv_object(), err), files;
	int code;

	if (!jv_is_valid(kind)) {
		jv_free(description);
		return -1;
	}
	description = jv_object_set(description, jv_string("add"), kind);
	files = generator_run(dirs, "add", description, err);
	if (!jv_is_valid(files))
		return -1;
	log_warnings(files);
	code = newkind_add(files, opts.folder, err);
	jv_free(files);
	return code;
}

static int
generate(const char *command, const struct textlist *dirs, jv description,
    struct err *err)
{
	struct buf stream = BUF_INIT;
	jv files;

	/* A folder and what kubectl takes are not always the same objects. */
	buf_addf(&stream, "%s_stream", command);
	if (opts.out == NULL && generator_exists(dirs, buf_str(&stream)))
		files = generator_run(dirs, buf_str(&stream), description, err);
	else
		files = generator_run(dirs, command, description, err);
	buf_release(&stream);
	return jv_is_valid(files) ? deliver(command, files, err) : -1;
}

/* Prints the rights that are unused and missing. Takes the description. */
static int
compare(const struct textlist *dirs, jv description, struct err *err)
{
	jv requests = observed_load(opts.from, err), files, first;
	int code = -1;

	if (!jv_is_valid(requests)) {
		jv_free(description);
		return -1;
	}
	description =
	    jv_object_set(description, jv_string("requests"), requests);
	description = jv_object_set(description, jv_string("user"),
	    opts.user != NULL ? jv_string(opts.user) : jv_null());
	files = generator_run(dirs, "used", description, err);
	if (!jv_is_valid(files))
		return -1;
	first = jv_array_get(files, 0);
	if (put(jvtext_span(jvtext_peek(first, "text")), err) == 0)
		code = jv_number_value(jvtext_peek(first, "missing")) > 0;
	jv_free(first);
	return code;
}

static int
check_command(const char *command, const struct textlist *dirs, struct err *err)
{
	struct span name = span_str(command);
	bool good = name.n > 0;

	for (size_t i = 0; i < name.n; i++)
		good = good && (span_is_alnum(name.p[i]) || name.p[i] == '_');
	if (good &&
	    (strcmp(command, "describe") == 0 ||
		generator_exists(dirs, command)))
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "unknown command \"%s\": there is no gen/%s.jq", command, command);
}

static bool
is_among(const char *text, const char *const *list)
{
	while (*list != NULL && strcmp(text, *list) != 0)
		list++;
	return *list != NULL;
}

/* The complaint about options of a kind; NULL: there is none. */
static const char *
misuse(const char *command)
{
	static const char *const with_kind[] = {"new", "add", NULL};
	const struct newkind *k = &opts.kind;

	if (is_among(command, with_kind))
		return k->from != NULL && k->from_cluster != NULL
		    ? "--from and --from-cluster exclude each other"
		    : NULL;
	if (k->group || k->kind || k->version || k->cluster_scoped)
		return "--group, --kind, --api-version and --cluster-scoped "
		       "are for new and add";
	return k->from_cluster != NULL || k->own
	    ? "--from-cluster and --own are for new and add"
	    : NULL;
}

/* The operands behind COMMAND: NAME of new, which a kind that is read gives
 * itself, then fields. */
static int
take_operands(int operands, char **operand, struct err *err)
{
	static const char *const with_fields[] = {"new", "add", "crd", NULL};
	bool is_new = strcmp(operand[0], "new") == 0;
	const char *wrong = NULL;

	if (opts.from_chart != NULL &&
	    (!is_new || operands > 2 || opts.from != NULL ||
		opts.kind.from_cluster != NULL || opts.kind.own))
		wrong = "--from-chart is for new, without fields, --from, "
			"--from-cluster and --own";
	else if (is_new && operands < 2 && opts.from == NULL &&
	    opts.from_chart == NULL && opts.kind.from_cluster == NULL)
		wrong = "new: NAME is missing";
	is_new = is_new && operands >= 2;
	opts.kind.fields = operand + 1 + is_new;
	opts.kind.field_count = operands - 1 - is_new;
	if (opts.kind.field_count > 0 && !is_among(operand[0], with_fields))
		return err_set(err, ERR_PERMANENT, "unexpected argument \"%s\"",
		    operand[1]);
	if (is_among(operand[0], with_fields))
		opts.kind.from = opts.from;
	else if (opts.from != NULL && strcmp(operand[0], "rights") != 0)
		wrong = "--from is for rights, new, add and crd";
	if (wrong == NULL)
		wrong = misuse(operand[0]);
	return wrong == NULL ? 0 : err_set(err, ERR_PERMANENT, "%s", wrong);
}

static int
check_options(int operands, char **operand, struct err *err)
{
	static const char *const with_program[] = {
	    "manifests", "chart", "describe", NULL};

	if (operands == 0)
		return err_set(err, ERR_PERMANENT,
		    "COMMAND is missing: describe, new, rights, ... (see "
		    "--help)");
	if (opts.check && opts.diff)
		return err_set(err, ERR_PERMANENT,
		    "--check and --diff exclude each other");
	if ((opts.check || opts.diff || opts.force) && opts.out == NULL)
		return err_set(
		    err, ERR_PERMANENT, "--check, --diff and --force need -o");
	if (opts.user != NULL &&
	    (opts.from == NULL || strcmp(operand[0], "rights") != 0))
		return err_set(
		    err, ERR_PERMANENT, "--user needs rights with --from");
	if (opts.overrides.shadow != NULL && strcmp(operand[0], "rights") != 0)
		return err_set(err, ERR_PERMANENT, "--shadow is for rights");
	if (opts.from != NULL && opts.out != NULL &&
	    strcmp(operand[0], "rights") == 0)
		return err_set(err, ERR_PERMANENT,
		    "rights: --from and -o exclude each other");
	if (opts.program != PROGRAM_IMAGE &&
	    !is_among(operand[0], with_program))
		return err_set(err, ERR_PERMANENT,
		    "--program=configmap is for manifests, chart and describe");
	opts.overrides.with_program = opts.program != PROGRAM_IMAGE;
	if (opts.scope != SCOPE_AS_WRITTEN)
		opts.overrides.scope = scopes[opts.scope];
	return take_operands(operands, operand, err);
}

/* Adds what `kgen crd` reads beside the description: schema.yaml, and what the
 * command line says. Takes description; owned. */
static jv
add_schema(jv description, struct err *err)
{
	struct buf path = BUF_INIT;
	jv schema = jv_array();

	buf_addf(&path, "%s/schema.yaml", opts.folder);
	if (access(buf_str(&path), F_OK) == 0) {
		jv_free(schema);
		schema = docstream_read(buf_str(&path), err);
	}
	buf_release(&path);
	if (!jv_is_valid(schema)) {
		jv_free(description);
		return schema;
	}
	description = jv_object_set(description, jv_string("schema"), schema);
	return newkind_describe(&opts.kind, description, err);
}

/* Returns the exit code, or -1 with err. */
static int
make_from_folder(
    const char *command, const struct textlist *dirs, struct err *err)
{
	bool crd = strcmp(command, "crd") == 0;
	struct folder f;
	jv description;

	opts.overrides.without_crds = crd;
	if (folder_load(&f, opts.folder, &opts.overrides, err) != 0)
		return -1;
	description = folder_describe(&f, err);
	folder_release(&f);
	if (crd && jv_is_valid(description))
		description = add_schema(description, err);
	if (!jv_is_valid(description)) {
		jv_free(description);
		return -1;
	}
	if (strcmp(command, "describe") == 0)
		return print_description(description, err);
	if (strcmp(command, "rights") == 0 && opts.from != NULL)
		return compare(dirs, description, err);
	if (strcmp(command, "add") == 0)
		return add_kind(dirs, description, err);
	return generate(command, dirs, description, err);
}

static int
run(int operands, char **operand, struct err *err)
{
	struct textlist dirs;
	char *script;
	int code = -1;

	jqcompile_init();
	if (check_options(operands, operand, err) != 0)
		return -1;
	library_dirs(&dirs);
	opts.kind.script = script = jqfiles_find(&dirs, "gen/cluster", ".sh");
	if (check_command(operand[0], &dirs, err) == 0)
		code = strcmp(operand[0], "new") == 0
		    ? make_folder(&dirs, operands < 2 ? NULL : operand[1], err)
		    : make_from_folder(operand[0], &dirs, err);
	free(script);
	textlist_release(&dirs);
	return code;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
