#include "chart/chart.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "chart/gotemplate.h"
#include "conf/yamlvalue.h"
#include "json/jvtext.h"
#include "process/file.h"

enum { FILE_MAX_MIB = 8, FOLDERS_DEEP = 10, CHARTS_DEEP = 5 };

struct loader {
	const char *root;   /* of the chart */
	struct span ignore; /* .helmignore of the chart above all */
	jv templates, files, crds, charts;
	int charts_deep;
	struct err *err;
};

static jv load(
    const char *path, int depth, struct span ignore, struct err *err);

static jv
text_of(struct span s)
{
	return jv_string_sized(s.p, (int)s.n);
}

/* ---- files that every chart has ---- */

/* The one document; missing (owned) if there is no file. */
static jv
load_yaml(const char *root, const char *name, jv missing, struct err *err)
{
	struct buf path = BUF_INIT, text = BUF_INIT;
	jv documents = jv_array(), value;

	buf_addf(&path, "%s/%s", root, name);
	if (access(buf_str(&path), F_OK) == 0) {
		jv_free(documents);
		documents =
		    file_read(buf_str(&path), FILE_MAX_MIB, &text, err) == 0
		    ? yamlvalue_documents(buf_str(&path), buf_span(&text), err)
		    : jv_invalid();
	}
	buf_release(&path);
	buf_release(&text);
	if (!jv_is_valid(documents)) {
		jv_free(missing);
		return documents;
	}
	value = jv_array_get(documents, 0);
	if (jv_is_valid(value)) {
		jv_free(missing);
		return value;
	}
	jv_free(value);
	return missing;
}

/* ---- the templates in values ---- */

static jv
add_text(jv texts, struct span text)
{
	struct err ignored = ERR_INIT;
	jv parsed = gotemplate_parse("values.yaml", text, &ignored);

	/* Text of another language that has {{, too, stays as it is. */
	if (jv_is_valid(parsed))
		return jv_object_set(texts, text_of(text), parsed);
	jv_free(parsed);
	return texts;
}

static jv
add_actions(jv texts, struct span rest)
{
	const char *from, *to;

	while ((from = memmem(rest.p, rest.n, "{{", 2)) != NULL) {
		size_t before = (size_t)(from - rest.p);

		rest = span_skip(rest, before);
		to = memmem(rest.p, rest.n, "}}", 2);
		if (to == NULL)
			break;
		texts = add_text(
		    texts, span_make(rest.p, (size_t)(to - rest.p) + 2));
		rest = span_skip(rest, (size_t)(to - rest.p) + 2);
	}
	return texts;
}

static jv
collect_texts(jv texts, jv value)
{
	jv_kind kind = jv_get_kind(value);
	struct span text = jvtext_span(value);

	if (kind == JV_KIND_STRING && span_has(text, "{{")) {
		texts = add_text(texts, text);
		texts = add_actions(texts, text);
	} else if (kind == JV_KIND_ARRAY) {
		jv_array_foreach(value, i, item) texts =
		    collect_texts(texts, item);
	} else if (kind == JV_KIND_OBJECT) {
		jv_object_foreach(value, key, item)
		{
			jv_free(key);
			texts = collect_texts(texts, item);
		}
	}
	jv_free(value);
	return texts;
}

/* ---- the folder ---- */

static int
add_template(
    struct loader *l, const char *path, const char *name, struct span text)
{
	jv parsed = gotemplate_parse(path, text, l->err);

	if (!jv_is_valid(parsed)) {
		jv_free(parsed);
		return -1;
	}
	parsed = jv_object_set(parsed, jv_string("path"), jv_string(name));
	l->templates = jv_array_append(l->templates, parsed);
	return 0;
}

/* UTF-8: libjq would change other bytes. */
static bool
is_text(struct span s)
{
	while (s.n > 0) {
		size_t n = utf8_length(s.p, s.p + s.n);

		if (n == 0)
			return false;
		s = span_skip(s, n);
	}
	return true;
}

static int
add_file(struct loader *l, const char *path, const char *name)
{
	struct buf text = BUF_INIT;
	struct span crd = span_str(name);
	int rc = 0;

	if (span_starts(crd, "crds/")) {
		l->crds = jv_array_append(l->crds, jv_string(name));
		return 0;
	}
	rc = file_read(path, FILE_MAX_MIB, &text, l->err);
	if (rc == 0 && span_starts(span_str(name), "templates/"))
		rc = add_template(l, path, name, buf_span(&text));
	else if (rc == 0 && is_text(buf_span(&text)))
		l->files = jv_object_set(
		    l->files, jv_string(name), text_of(buf_span(&text)));
	buf_release(&text);
	return rc;
}

static int
add_chart(struct loader *l, const char *path, const char *name)
{
	jv chart;
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
		if (!span_ends(span_str(name), ".tgz"))
			return 0;
		return err_set(l->err, ERR_PERMANENT,
		    "%s: a packed chart: unpack it there (tar -xzf)", path);
	}
	chart = load(path, l->charts_deep + 1, l->ignore, l->err);
	if (!jv_is_valid(chart)) {
		jv_free(chart);
		return -1;
	}
	l->charts = jv_array_append(l->charts, chart);
	return 0;
}

static int
visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* helm.sh/helm/v3/pkg/ignore. (A line with ! leaves Helm no chart.) */
static bool
is_ignored(struct span lines, const char *name, bool is_folder)
{
	while (lines.p != NULL) {
		struct span line =
		    span_trim(span_cut(&lines, '\n'), SPAN_BLANKS);
		bool folders, is_path, matches;
		char *pattern;

		if (line.n == 0 || *line.p == '#')
			continue;
		folders = span_ends(line, "/");
		line.n -= folders;
		is_path = span_take(&line, "/") || span_has(line, "/");
		pattern = mem_dup(line.p, line.n);
		matches = (is_folder || !folders) &&
		    fnmatch(pattern, is_path ? name : file_base(name),
			FNM_PATHNAME) == 0;
		free(pattern);
		if (matches)
			return true;
	}
	return false;
}

/* below: "" or "templates/" */
static int
walk(struct loader *l, const char *below, int depth)
{
	struct buf folder = BUF_INIT;
	struct dirent **entries;
	int count, rc = 0;

	buf_addf(&folder, "%s/%s", l->root, below);
	count = scandir(buf_str(&folder), &entries, visible, alphasort);
	if (count < 0)
		rc = err_set(l->err, ERR_PERMANENT, "cannot read %s: %s",
		    buf_str(&folder), strerror(errno));
	for (int i = 0; i < count; i++) {
		struct buf path = BUF_INIT, name = BUF_INIT;
		struct stat st;

		buf_addf(&name, "%s%s", below, entries[i]->d_name);
		buf_addf(&path, "%s/%s", l->root, buf_str(&name));
		if (rc != 0 || stat(buf_str(&path), &st) != 0 ||
		    is_ignored(l->ignore, buf_str(&name), S_ISDIR(st.st_mode)))
			;
		else if (strcmp(below, "charts/") == 0)
			rc = add_chart(l, buf_str(&path), entries[i]->d_name);
		else if (S_ISREG(st.st_mode))
			rc = add_file(l, buf_str(&path), buf_str(&name));
		else if (S_ISDIR(st.st_mode) && depth < FOLDERS_DEEP) {
			buf_addc(&name, '/');
			rc = walk(l, buf_str(&name), depth + 1);
		}
		buf_release(&path);
		buf_release(&name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	buf_release(&folder);
	return rc;
}

/* Takes the parts; owned, invalid if one is. */
static jv
put_together(const char *path, jv chart, jv values, jv schema, struct loader *l)
{
	jv all = jv_object();

	all = jv_object_set(all, jv_string("path"), jv_string(path));
	all = jv_object_set(all, jv_string("chart"), chart);
	all = jv_object_set(all, jv_string("texts"),
	    collect_texts(jv_object(), jv_copy(values)));
	all = jv_object_set(all, jv_string("values"), values);
	all = jv_object_set(all, jv_string("schema"), schema);
	all = jv_object_set(all, jv_string("templates"), l->templates);
	all = jv_object_set(all, jv_string("files"), l->files);
	all = jv_object_set(all, jv_string("crds"), l->crds);
	return jv_object_set(all, jv_string("charts"), l->charts);
}

static jv
load(const char *path, int depth, struct span ignore, struct err *err)
{
	struct loader l = {.root = path,
	    .ignore = ignore,
	    .templates = jv_array(),
	    .files = jv_object(),
	    .crds = jv_array(),
	    .charts = jv_array(),
	    .charts_deep = depth,
	    .err = err};
	jv chart = load_yaml(path, "Chart.yaml", jv_null(), err);
	jv values = load_yaml(path, "values.yaml", jv_object(), err);
	jv schema = load_yaml(path, "values.schema.json", jv_null(), err);
	int rc =
	    jv_is_valid(chart) && jv_is_valid(values) && jv_is_valid(schema)
	    ? 0
	    : -1;

	if (rc == 0 && jv_get_kind(chart) != JV_KIND_OBJECT)
		rc = err_set(err, ERR_PERMANENT,
		    "%s: not the folder of a chart: Chart.yaml is missing",
		    path);
	else if (rc == 0 && jv_get_kind(values) != JV_KIND_OBJECT)
		rc = err_set(err, ERR_PERMANENT,
		    "%s/values.yaml:1: not a mapping", path);
	else if (rc == 0 && depth > CHARTS_DEEP)
		rc = err_set(
		    err, ERR_PERMANENT, "%s: charts are nested too deep", path);
	if (rc == 0)
		rc = walk(&l, "", 0);
	if (rc == 0)
		return put_together(path, chart, values, schema, &l);
	jv_free(chart);
	jv_free(values);
	jv_free(schema);
	jv_free(l.templates);
	jv_free(l.files);
	jv_free(l.crds);
	jv_free(l.charts);
	return jv_invalid();
}

jv
chart_load(const char *path, struct err *err)
{
	struct buf name = BUF_INIT, ignore = BUF_INIT;
	jv chart = jv_invalid();

	buf_addf(&name, "%s/.helmignore", path);
	if (access(buf_str(&name), F_OK) != 0 ||
	    file_read(buf_str(&name), FILE_MAX_MIB, &ignore, err) == 0)
		chart = load(path, 0, buf_span(&ignore), err);
	buf_release(&name);
	buf_release(&ignore);
	return chart;
}
