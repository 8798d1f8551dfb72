#include "startup.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "conf/watches.h"
#include "process/log.h"
#include "process/sandbox.h"
#include "program/program.h"
#include "state/entry.h"

void
startup_library_dirs(struct textlist *dirs, const struct opt_list *given)
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

int
startup_confine_self(struct err *err)
{
	enum sandbox_mode mode = (enum sandbox_mode)sandbox_opt;

	switch (sandbox_enter(program_sandbox, mode, err)) {
	case SANDBOX_FAILED:
		return -1;
	case SANDBOX_NONE:
		log_warning("%s", err->message);
		break;
	case SANDBOX_OFF:
	case SANDBOX_ON:
		break;
	}
	return 0;
}

/* Perhaps the other processes did not start because there is no sandbox: then
 * the error of our own sandbox says why. */
int
startup_confine_programs(struct err *err)
{
	struct err own = ERR_INIT;

	if (program_start((enum sandbox_mode)sandbox_opt, err) == 0)
		return 0;
	if (startup_confine_self(&own) != 0)
		*err = own;
	return -1;
}

/* The tables that are made of the file stay: programs hang off them. */
int
startup_warm(const char *watches, struct err *err)
{
	static const struct opt_list none;
	struct entries *entries = mem_zalloc(sizeof(*entries));
	struct watches *w = watches_load(watches, NULL, err);
	struct textlist dirs;
	int rc;

	if (w == NULL)
		return -1;
	startup_library_dirs(&dirs, &none);
	rc = entries_init(entries, w, (const char *const *)dirs.items, err);
	textlist_release(&dirs);
	program_spare_all();
	return rc;
}
