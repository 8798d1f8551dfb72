#include "configdata.h"

#include <string.h>

#include "base/buf.h"
#include "base/span.h"
#include "json/jvtext.h"
#include "process/file.h"
#include "value/digest.h"

static bool
is_run(const char *name)
{
	return strcmp(name, "watches.yaml") == 0 ||
	    (span_ends(span_str(name), ".jq") && strncmp(name, "t/", 2) != 0 &&
		strstr(name, "/t/") == NULL);
}

/* Owned. A text that is not UTF-8 would become another one. */
static jv
read_text(const char *path, struct err *err)
{
	struct buf file = BUF_INIT;
	jv text = jv_invalid();

	if (file_read(path, CONFIGDATA_MAX_MIB, &file, err) == 0) {
		text = jv_string_sized(file.data, (int)file.len);
		if (span_cmp(jvtext_span(text), buf_span(&file)) != 0) {
			jv_free(text);
			err_set(err, ERR_PERMANENT,
			    "%s: is not UTF-8, so it cannot be in a ConfigMap: "
			    "convert it",
			    path);
			text = jv_invalid();
		}
	}
	buf_release(&file);
	return text;
}

/* Takes texts. */
static jv
with_digest(jv texts, const struct buf *content)
{
	unsigned char digest[DIGEST_SIZE];
	struct buf hex = BUF_INIT;
	jv data = jv_object_set(jv_object(), jv_string("texts"), texts);

	digest_sha256(buf_span(content), digest);
	digest_add_hex(&hex, digest, DIGEST_SIZE);
	data =
	    jv_object_set(data, jv_string("digest"), jv_string(buf_str(&hex)));
	buf_release(&hex);
	return data;
}

jv
configdata_read(
    const char *folder, const struct textlist *files, struct err *err)
{
	struct buf content = BUF_INIT;
	jv texts = jv_object();

	for (size_t i = 0; jv_is_valid(texts) && i < files->count; i++) {
		const char *name = files->items[i];
		struct buf path = BUF_INIT;
		jv text;

		if (!is_run(name))
			continue;
		buf_addf(&path, "%s/%s", folder, name);
		text = read_text(buf_str(&path), err);
		buf_release(&path);
		if (!jv_is_valid(text)) {
			jv_free(texts);
			texts = text;
			continue;
		}
		buf_addf(&content, "%s %zu ", name, jvtext_span(text).n);
		buf_addspan(&content, jvtext_span(text));
		texts = jv_object_set(texts, jv_string(name), text);
	}
	if (jv_is_valid(texts))
		texts = with_digest(texts, &content);
	buf_release(&content);
	return texts;
}
