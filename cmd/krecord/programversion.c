#include "programversion.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "process/file.h"
#include "value/digest.h"

enum { PROGRAM_MIB = 8, DIGITS = 16 };

static int
is_program(const struct dirent *e)
{
	return span_ends(span_str(e->d_name), ".jq");
}

/* "." of a path without folders. */
static char *
folder_of(const char *path)
{
	size_t n = (size_t)(file_base(path) - path);

	return n == 0 ? mem_strdup(".") : mem_dup(path, n);
}

/* The texts of all programs there. -1: one of them cannot be read. */
static int
read_all(const char *folder, struct buf *texts)
{
	struct dirent **list;
	int count = scandir(folder, &list, is_program, alphasort), rc = 0;

	for (int i = 0; i < count; i++) {
		struct buf path = BUF_INIT;
		struct err err = ERR_INIT;

		buf_addf(&path, "%s/%s", folder, list[i]->d_name);
		if (file_read(buf_str(&path), PROGRAM_MIB, texts, &err) != 0)
			rc = -1;
		buf_release(&path);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return count > 0 ? rc : -1;
}

static void
add_version(struct buf *b, const char *program)
{
	unsigned char sum[DIGEST_SIZE];
	char *folder = folder_of(program);
	struct buf texts = BUF_INIT;

	buf_adds(b, file_base(program));
	if (read_all(folder, &texts) == 0) {
		digest_sha256(buf_span(&texts), sum);
		buf_addc(b, ' ');
		digest_add_hex(b, sum, DIGITS / 2);
	}
	buf_release(&texts);
	free(folder);
}

void
programversion_add(struct buf *b, const struct watches *w)
{
	struct buf kind = BUF_INIT, version = BUF_INIT;

	buf_addc(b, '{');
	for (size_t i = 0; i < w->count; i++) {
		buf_reset(&kind);
		buf_reset(&version);
		watch_kind_name(&w->entries[i].primary, &kind);
		add_version(&version, w->entries[i].program);
		json_add_comma(b);
		json_add_string(b, buf_span(&kind));
		buf_addc(b, ':');
		json_add_string(b, buf_span(&version));
	}
	buf_addc(b, '}');
	buf_release(&kind);
	buf_release(&version);
}
