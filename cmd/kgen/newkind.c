#include "newkind.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/span.h"
#include "conf/expand.h"
#include "docstream.h"
#include "genfiles.h"
#include "json/jvtext.h"
#include "process/file.h"
#include "process/log.h"

enum { FILE_MAX_MIB = 8, FOLDERS_OPEN = 8 };

/* ---- what the command line describes ---- */

static jv
set_text(jv object, const char *key, const char *text)
{
	if (text == NULL)
		return object;
	return jv_object_set(object, jv_string(key), jv_string(text));
}

/* Runs gen/cluster.sh, which asks kubectl; -1 if it fails. */
static int
run_script(const struct newkind *k, struct buf *out, struct err *err)
{
	int ends[2], status = 1, rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execlp("sh", "sh", k->script, k->from_cluster, k->version,
		    (char *)NULL);
		_exit(EXIT_PERMANENT);
	}
	close(ends[1]);
	rc = file_read_fd(ends[0], "kubectl", GENFILES_MAX_MIB, out, err);
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return status == 0 ? rc : -1;
}

/* Its answer in a list, as docstream_read gives one. */
static jv
load_cluster(const struct newkind *k, struct err *err)
{
	struct buf text = BUF_INIT;
	jv object = jv_invalid();

	if (k->script == NULL || run_script(k, &text, err) != 0)
		err_set(err, ERR_PERMANENT,
		    "--from-cluster %s: it cannot be read: write KIND.GROUP, "
		    "as kubectl api-resources has them",
		    k->from_cluster);
	else
		object = jvtext_parse(buf_span(&text), err);
	buf_release(&text);
	return jv_is_valid(object) ? JV_ARRAY(object) : object;
}

jv
newkind_describe(const struct newkind *k, jv into, struct err *err)
{
	const char *source = k->from != NULL ? k->from : k->from_cluster;
	jv fields = jv_array(), from = jv_null();

	for (int i = 0; i < k->field_count; i++)
		fields = jv_array_append(fields, jv_string(k->fields[i]));
	into = set_text(into, "group", k->group);
	into = set_text(into, "version", k->version);
	into = set_text(into, "kind", k->kind);
	into = set_text(into, "scope", k->cluster_scoped ? "Cluster" : NULL);
	into = set_text(into, "source", source);
	into = jv_object_set(into, jv_string("is_own"), jv_bool(k->own));
	into = jv_object_set(into, jv_string("fields"), fields);
	if (source == NULL)
		return into;
	from = k->from != NULL
	    ? docstream_read(
		  strcmp(k->from, "-") == 0 ? "/dev/stdin" : k->from, err)
	    : load_cluster(k, err);
	if (jv_is_valid(from))
		return jv_object_set(into, jv_string("from"), from);
	jv_free(into);
	return from;
}

/* ---- a new folder ---- */

/* crd.yaml is the one file that a later `kgen crd` writes. */
static int
apply(jv files_peek, const char *path, bool force, struct err *err)
{
	const struct genfiles_target target = {.command = "crd",
	    .out = path,
	    .mode = GENFILES_WRITE,
	    .force = force};

	return genfiles_apply(files_peek, &target, err);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int
fail_existing(const char *path, struct err *err)
{
	struct buf chart = BUF_INIT;
	int found;

	buf_addf(&chart, "%s/Chart.yaml", path);
	found = access(buf_str(&chart), F_OK);
	buf_release(&chart);
	return err_set(err, ERR_PERMANENT,
	    found == 0
		? "%s: is the chart itself; name another folder: kgen new NAME "
		  "--from-chart %s"
		: "%s: exists; kgen new makes a folder, kgen add -f %s adds a "
		  "kind to one",
	    path, path);
}

int
newkind_create(jv files_peek, const char *path, struct err *err)
{
	int rc;

	if (mkdir(path, 0777) != 0 && errno == EEXIST)
		return fail_existing(path, err);
	if (access(path, F_OK) != 0)
		return err_set(err, ERR_PERMANENT,
		    "cannot make the folder %s: %s", path, strerror(errno));
	rc = apply(files_peek, path, false, err);
	if (rc != 0)
		nftw(path, remove_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
	return rc;
}

/* ---- one more kind ---- */

static struct span
member(jv file_peek, const char *key)
{
	return jvtext_span(jvtext_peek(file_peek, key));
}

static struct span
line_of(struct span text, int line)
{
	struct span at = SPAN_NONE;

	for (int i = 0; i < line && text.p != NULL; i++)
		at = span_cut(&text, '\n');
	return at;
}

static void
ignore(void *arg, const struct expand_reference *ref)
{
	(void)arg;
	(void)ref;
}

/* 1, logged: an entry at the end of the text would not belong to the list, of
 * which not each entry begins a line with "- ". */
static int
check_list(const char *path, struct span text, struct err *err)
{
	struct yaml *y = expand_load_raw(path, ignore, NULL, err);
	int rc = 0;

	if (y == NULL)
		return -1;
	for (size_t i = 0; rc == 0 && i < y->count; i++) {
		int line = y->values[i]->line;

		if (y->type == YAML_SEQUENCE &&
		    span_starts(line_of(text, line), "- "))
			continue;
		log_error("%s:%d: an entry does not begin a line with \"- \": "
			  "add this by hand",
		    path, line);
		rc = 1;
	}
	yaml_tree_free(y);
	return rc;
}

/* Replaces the text of a file by what is there and the text. */
static int
join(jv *file, const char *path, struct err *err)
{
	struct buf content = BUF_INIT, all = BUF_INIT;
	bool watches = span_is(member(*file, "path"), "watches.yaml");
	struct span old;
	int rc = file_read(path, FILE_MAX_MIB, &content, err);

	if (rc == 0 && watches)
		rc = check_list(path, buf_span(&content), err);
	old = buf_span(&content);
	if (rc == 0 && genfiles_is_own(old)) {
		/* The whole is marked as kgen's again. */
		span_cut(&old, '\n');
		*file = jv_object_delete(*file, jv_string("scaffold"));
	}
	buf_addspan(&all, old);
	if (old.n > 0 && !span_ends(old, "\n"))
		buf_addc(&all, '\n');
	if (old.n > 0 && !watches)
		buf_adds(&all, "---\n");
	buf_addspan(&all, member(*file, "text"));
	*file = jv_object_set(
	    *file, jv_string("text"), jv_string_sized(all.data, (int)all.len));
	buf_release(&all);
	buf_release(&content);
	return rc;
}

/* Takes file; owned, invalid with *rc. */
static jv
place(jv file, const char *folder, int *rc, struct err *err)
{
	struct buf path = BUF_INIT;
	bool there, appends;

	buf_addf(&path, "%s/%.*s", folder, SPAN_ARG(member(file, "path")));
	there = access(buf_str(&path), F_OK) == 0;
	appends = jv_get_kind(jvtext_peek(file, "append")) == JV_KIND_TRUE;
	if (there && appends)
		*rc = join(&file, buf_str(&path), err);
	else if (there)
		*rc = err_set(err, ERR_PERMANENT,
		    "%s: exists; nothing was written", buf_str(&path));
	buf_release(&path);
	if (*rc == 0)
		return file;
	jv_free(file);
	return jv_invalid();
}

int
newkind_add(jv files_peek, const char *path, struct err *err)
{
	int count = jv_array_length(jv_copy(files_peek)), rc = 0;
	struct buf text = BUF_INIT;
	jv all = jv_array();

	for (int i = 0; rc == 0 && i < count; i++) {
		jv file = jv_array_get(jv_copy(files_peek), i);

		file = place(file, path, &rc, err);
		if (rc == 0)
			all = jv_array_append(all, file);
		else
			jv_free(file);
	}
	if (rc == 0)
		rc = apply(all, path, true, err);
	else if (rc == 1 && genfiles_print(files_peek, &text, err) != 0)
		rc = -1;
	else if (rc == 1)
		file_write(STDOUT_FILENO, buf_span(&text));
	buf_release(&text);
	jv_free(all);
	return rc;
}
