/* httpd: TLS. */
#include "httpd/httpd.h"

#include <openssl/ssl.h>

#include "httpd/cert.h"
#include "served.h"

/* The descriptor of a client that has asked for /watch. */
static int
watcher(SSL **ssl, SSL_CTX *ctx)
{
	static const char get[] = "GET /watch HTTP/1.1\r\nHost: h\r\n\r\n";
	int fd = client();

	*ssl = SSL_new(ctx);
	SSL_set_fd(*ssl, fd);
	until(SSL_connect(*ssl) == 1);
	SSL_write(*ssl, get, sizeof(get) - 1);
	until(later != NULL);
	return fd;
}

/* Whether something was there. */
static bool
read_some(SSL *ssl, char *p)
{
	bool some = false;

	while (SSL_read(ssl, p, LARGE) > 0)
		some = true;
	return some;
}

enum { PIECES = 120 }; /* more than sockets hold */

/* A socket that was full once, and is not any more, wakes nobody up. */
static void
test_late_reader(void)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	char *p = calloc(1, LARGE);
	struct text *t = text_make(span_make(p, LARGE));
	SSL *ssl;
	int fd = watcher(&ssl, ctx);
	uint64_t from;

	for (int i = 0; i < PIECES; i++)
		httpd_send(later, t);
	until(httpd_queued(later) < (size_t)PIECES * LARGE);
	ok(httpd_queued(later) > 0, "a client does not read");
	until(!read_some(ssl, p) && httpd_queued(later) == 0);
	ok(httpd_queued(later) == 0, "... and then does");
	from = clock_ms();
	loop_once(loop, 50);
	ok(clock_ms() - from >= 50, "... after that the server sleeps");
	SSL_free(ssl);
	SSL_CTX_free(ctx);
	close(fd);
	text_unref(t);
	free(p);
}

TEST(httpd_tls)
{
	struct buf certificate = BUF_INIT, key = BUF_INIT;
	struct httpd_tls self = {0};
	struct err err = ERR_INIT;

	ok(cert_make("test", SPAN_NONE, &certificate, &key, &err) == 0,
	    "a certificate");
	self.certificate = buf_span(&certificate);
	self.key = buf_span(&key);
	tls = &self;
	serve(&httpd_default_limits);
	test_late_reader();
	serve_no_more();
	buf_release(&certificate);
	buf_release(&key);
}
