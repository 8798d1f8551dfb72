#include "segmentline.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "process/file.h"
#include "process/version.h"
#include "record/reading.h"
#include "value/digest.h"

enum { PROGRAM_MIB = 8, DIGITS = 16 };

void
segmentline_add(
    struct buf *b, uint64_t sequence, const char *time, struct span facts)
{
	struct buf tool = BUF_INIT;

	buf_adds(&tool, "kpipe " KPIPE_VERSION " (");
	version_add_commit(&tool);
	buf_addc(&tool, ')');
	buf_addf(b,
	    "{\"record\":\"segment\",\"version\":%d,\"time\":\"%s\","
	    "\"sequence\":%llu,\"tool\":",
	    READING_VERSION, time, (unsigned long long)sequence);
	json_add_string(b, buf_span(&tool));
	if (facts.n > 0) {
		buf_addc(b, ',');
		buf_addspan(b, facts);
	}
	buf_adds(b, "}\n");
	buf_release(&tool);
}

void
segmentline_add_gap(struct buf *b, const char *time, const char *stream)
{
	buf_addf(b, "{\"record\":\"gap\",\"time\":\"%s\",\"stream\":\"%s\"}\n",
	    time, stream);
}

/* ---- the versions of the programs ---- */

static int
is_program(const struct dirent *e)
{
	return span_ends(span_str(e->d_name), ".jq");
}

/* The texts of all programs beside one. -1: they cannot be read. */
static int
read_all(const char *program, struct buf *texts)
{
	struct span folder =
	    span_make(program, (size_t)(file_base(program) - program));
	struct buf path = BUF_INIT;
	struct dirent **list;
	int count, rc = 0;

	buf_addspan(&path, folder.n > 0 ? folder : span_str("."));
	count = scandir(buf_str(&path), &list, is_program, alphasort);
	for (int i = 0; i < count; i++) {
		struct err err = ERR_INIT;

		buf_reset(&path);
		buf_addspan(&path, folder);
		buf_adds(&path, list[i]->d_name);
		if (file_read(buf_str(&path), PROGRAM_MIB, texts, &err) != 0)
			rc = -1;
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	buf_release(&path);
	return count > 0 ? rc : -1;
}

void
segmentline_add_programs(struct buf *b, const struct watches *w)
{
	struct buf text = BUF_INIT, sources = BUF_INIT;

	buf_addc(b, '{');
	for (size_t i = 0; i < w->count; i++) {
		const char *program = w->entries[i].program;
		unsigned char sum[DIGEST_SIZE];

		buf_reset(&text);
		watch_kind_name(&w->entries[i].primary, &text);
		json_add_comma(b);
		json_add_string(b, buf_span(&text));
		buf_addc(b, ':');
		buf_reset(&text);
		buf_reset(&sources);
		buf_adds(&text, file_base(program));
		if (read_all(program, &sources) == 0) {
			digest_sha256(buf_span(&sources), sum);
			buf_addc(&text, ' ');
			digest_add_hex(&text, sum, DIGITS / 2);
		}
		json_add_string(b, buf_span(&text));
	}
	buf_addc(b, '}');
	buf_release(&text);
	buf_release(&sources);
}
