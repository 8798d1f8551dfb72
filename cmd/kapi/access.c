#include "access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/json.h"
#include "process/file.h"
#include "value/base64.h"
#include "value/digest.h"

int
access_host(const char *listen, struct buf *host, struct err *err)
{
	const char *colon = strrchr(listen, ':');
	size_t n;

	if (colon == NULL || colon[1] == '\0')
		return err_set(err, ERR_PERMANENT,
		    "option --listen: bad address \"%s\": want HOST:PORT",
		    listen);
	n = (size_t)(colon - listen);
	if (n >= 2 && listen[0] == '[' && colon[-1] == ']') {
		listen++;
		n -= 2;
	}
	buf_reset(host);
	buf_add(host, listen, n);
	return 0;
}

static bool
address_is_loopback(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)a;

		return ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	}
	if (a->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const void *)a;

		return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
	}
	return false;
}

bool
access_is_loopback(const char *host)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	bool all;

	if (host[0] == '\0' || getaddrinfo(host, NULL, &hints, &found) != 0)
		return false;
	all = found != NULL;
	for (struct addrinfo *a = found; a != NULL; a = a->ai_next)
		all = all && address_is_loopback(a->ai_addr);
	freeaddrinfo(found);
	return all;
}

void
access_url(const struct access *a, struct buf *b)
{
	struct buf host = BUF_INIT;
	const char *h;

	buf_addspan(&host, buf_span(&a->host));
	h = buf_str(&host);
	/* kapi listens on every address: take one that always exists. */
	if (h[0] == '\0' || strcmp(h, "0.0.0.0") == 0)
		h = "127.0.0.1";
	else if (strcmp(h, "::") == 0)
		h = "::1";
	buf_adds(b, a->certificate.p != NULL ? "https://" : "http://");
	buf_addf(b, strchr(h, ':') != NULL ? "[%s]" : "%s", h);
	buf_addf(b, ":%d", a->port);
	buf_release(&host);
}

/* A device, a pipe or a link is not replaced. */
static bool
is_special(const char *file)
{
	struct stat st;

	return lstat(file, &st) == 0 && !S_ISREG(st.st_mode);
}

void
access_forget(const char *file)
{
	if (!is_special(file))
		unlink(file);
}

/* Written to another file, which is then renamed. */
static int
replace(const char *file, struct span text)
{
	struct buf name = BUF_INIT;
	const char *temporary;
	int fd, rc, error;

	buf_addf(&name, "%s.%ld.tmp", file, (long)getpid());
	temporary = buf_str(&name);
	unlink(temporary);
	fd = file_open_private(temporary, O_WRONLY | O_CREAT | O_EXCL);
	rc = fd < 0 || file_write(fd, text) != 0 || rename(temporary, file) != 0
	    ? -1
	    : 0;
	error = errno;
	if (fd >= 0)
		close(fd);
	if (rc != 0)
		unlink(temporary);
	buf_release(&name);
	errno = error;
	return rc;
}

static int
write_into(const char *file, struct span text)
{
	int fd = file_open_private(file, O_WRONLY | O_TRUNC);
	int rc = fd < 0 ? -1 : file_write(fd, text);
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return rc;
}

int
access_write(const struct access *a, const char *file, struct err *err)
{
	struct buf text = BUF_INIT;
	int rc;
	buf_adds(&text,
	    "apiVersion: v1\nkind: Config\nclusters:\n"
	    "- name: kapi\n  cluster:\n    server: ");
	access_url(a, &text);
	if (a->certificate.p != NULL) {
		buf_adds(&text, "\n    certificate-authority-data: ");
		base64_add(&text, a->certificate);
	} else {
		/* Plain http has nothing to verify, but without this field the
		 * official JavaScript client does not connect. */
		buf_adds(&text, "\n    insecure-skip-tls-verify: true");
	}
	buf_adds(&text, "\nusers:\n- name: kapi\n  user:");
	if (a->user->token.n > 0) {
		buf_adds(&text, "\n    token: ");
		json_add_string(&text, a->user->token);
	} else if (a->certificate.p != NULL) {
		/* kapi ignores this token, but over TLS kubectl without a
		 * credential asks for a name and a password. */
		buf_adds(&text, "\n    token: none");
	} else
		buf_adds(&text, " {}");
	buf_adds(&text,
	    "\ncontexts:\n- name: kapi\n  context:\n"
	    "    cluster: kapi\n    user: kapi\n"
	    "current-context: kapi\n");
	rc = is_special(file) ? write_into(file, buf_span(&text))
			      : replace(file, buf_span(&text));
	if (rc != 0)
		err_set(err, ERR_PERMANENT, "cannot write %s: %s", file,
		    strerror(errno));
	buf_wipe(&text);
	return rc;
}
