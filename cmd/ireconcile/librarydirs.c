#include "librarydirs.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

void
librarydirs_find(struct textlist *dirs, const struct opt_list *given)
{
	static const char *const below[] = {"/../lib/jq", "/../share/kpipe/jq"};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	textlist_init(dirs);
	for (size_t i = 0; i < given->count; i++)
		textlist_add(dirs, given->items[i], strlen(given->items[i]));
	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash != NULL)
		*slash = '\0';
	for (size_t i = 0; n > 0 && i < 2; i++) {
		struct buf dir = BUF_INIT;

		buf_addf(&dir, "%s%s", self, below[i]);
		textlist_add(dirs, dir.data, dir.len);
		buf_release(&dir);
	}
}
