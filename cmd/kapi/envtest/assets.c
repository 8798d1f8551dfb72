/* Part of envtest/envtest.h: the folder of links. */
#include "envtest/envtest.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "process/file.h"
#include "process/log.h"
#include "process/opt.h"
#include "value/digest.h"

static const char *const names[] = {"etcd", "kube-apiserver", "kubectl"};

enum { DIGEST_SHOWN = 6 };

static int
find_program(struct buf *path, struct err *err)
{
	char text[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", text, sizeof(text));

	if (n <= 0 || n == sizeof(text))
		return err_set(err, ERR_PERMANENT,
		    "cannot find out where kapi is: /proc/self/exe: %s",
		    n < 0 ? strerror(errno) : "too long");
	buf_add(path, text, (size_t)n);
	return 0;
}

static const char *
absolute(const char *variable)
{
	const char *value = getenv(variable);

	return value != NULL && value[0] == '/' ? value : NULL;
}

static int
add_cache(struct buf *b, struct err *err)
{
	const char *folder = absolute("XDG_CACHE_HOME");

	if (folder == NULL && (folder = absolute("HOME")) != NULL)
		buf_addf(b, "%s/.cache", folder);
	else if (folder != NULL || (folder = absolute("XDG_RUNTIME_DIR")))
		buf_adds(b, folder);
	else
		return err_set(err, ERR_PERMANENT,
		    "option --envtest: no place for its folder: set "
		    "XDG_CACHE_HOME, HOME or XDG_RUNTIME_DIR");
	return 0;
}

/* Each folder of the path that is absent, for this user alone. */
static int
make_folders(const char *path, struct err *err)
{
	struct buf b = BUF_INIT;
	struct span rest = span_skip(span_str(path), 1);
	int rc = 0;

	while (rc == 0 && rest.p != NULL) {
		buf_addc(&b, '/');
		buf_addspan(&b, span_cut(&rest, '/'));
		if (mkdir(buf_str(&b), 0700) != 0 && errno != EEXIST)
			rc = err_set(err, ERR_PERMANENT,
			    "option --envtest: cannot make %s: %s", buf_str(&b),
			    strerror(errno));
	}
	buf_release(&b);
	return rc;
}

static bool
leads_to(const char *link, const char *program)
{
	char text[PATH_MAX];
	ssize_t n = readlink(link, text, sizeof(text));

	return n > 0 && span_is(span_make(text, (size_t)n), program);
}

/* By another name that takes its place: never absent, nor half made. */
static int
make_link(const char *link, const char *program, struct err *err)
{
	struct buf b = BUF_INIT;
	int rc = 0;

	if (leads_to(link, program))
		return 0;
	buf_addf(&b, "%s.%ld", link, (long)getpid());
	if ((unlink(buf_str(&b)) != 0 && errno != ENOENT) ||
	    symlink(program, buf_str(&b)) != 0 ||
	    rename(buf_str(&b), link) != 0) {
		rc = err_set(err, ERR_PERMANENT,
		    "option --envtest: cannot make %s: %s", link,
		    strerror(errno));
		unlink(buf_str(&b));
	}
	buf_release(&b);
	return rc;
}

static int
make_links(const char *folder, const char *program, struct err *err)
{
	struct buf link = BUF_INIT;
	int rc = make_folders(folder, err);

	for (size_t i = 0; rc == 0 && i < COUNT(names); i++) {
		buf_reset(&link);
		buf_addf(&link, "%s/%s", folder, names[i]);
		rc = make_link(buf_str(&link), program, err);
	}
	buf_release(&link);
	return rc;
}

int
assets_make(struct buf *folder, struct err *err)
{
	unsigned char digest[DIGEST_SIZE];
	struct buf program = BUF_INIT;
	int rc = find_program(&program, err);

	if (rc == 0)
		rc = add_cache(folder, err);
	if (rc == 0) {
		digest_sha256(buf_span(&program), digest);
		buf_adds(folder, "/kapi/envtest-" KPIPE_VERSION "-");
		digest_add_hex(folder, digest, DIGEST_SHOWN);
		rc = make_links(buf_str(folder), buf_str(&program), err);
	}
	buf_release(&program);
	return rc;
}

/* Whether path is this program or another version of kapi, which would look for
 * kubectl as well and run this one again. */
static bool
is_kapi(const char *path)
{
	struct stat a, b;
	char *real;
	bool is;

	if (stat(path, &a) != 0)
		return false;
	if (stat("/proc/self/exe", &b) == 0 && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino)
		return true;
	real = file_real(path);
	is = real != NULL && strcmp(file_base(real), "kapi") == 0;
	free(real);
	return is;
}

int
assets_kubectl(char **argv)
{
	struct span rest = span_str(getenv("PATH"));
	struct buf path = BUF_INIT;
	struct err err = ERR_INIT;

	log_init("kubectl", LOG_TEXT, LOG_INFO);
	while (rest.p != NULL) {
		buf_reset(&path);
		buf_addspan(&path, span_cut(&rest, ':'));
		buf_adds(&path, "/kubectl");
		if (!is_kapi(buf_str(&path)))
			execv(buf_str(&path), argv);
	}
	buf_release(&path);
	err_set(&err, ERR_PERMANENT,
	    "kapi is under this name for envtest only: there is no kubectl in "
	    "PATH");
	return opt_fatal(&err);
}
