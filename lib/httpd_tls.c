#include "httpd_conn.h"

struct tls_server *
tls_server_new(const struct httpd_tls *t, struct err *err)
{
	(void)t;
	err_set(err, ERR_PERMANENT, "no TLS yet");
	return NULL;
}
void
tls_server_free(struct tls_server *s)
{
	(void)s;
}
struct tls_conn *
tls_conn_new(struct tls_server *s, int fd)
{
	(void)s, (void)fd;
	return NULL;
}
void
tls_conn_free(struct tls_conn *t)
{
	(void)t;
}
long
tls_read(struct tls_conn *t, char *p, size_t n)
{
	(void)t, (void)p, (void)n;
	return -2;
}
long
tls_write(struct tls_conn *t, const char *p, size_t n)
{
	(void)t, (void)p, (void)n;
	return -2;
}
bool
tls_is_h2(const struct tls_conn *t)
{
	(void)t;
	return false;
}
bool
tls_wants_write(const struct tls_conn *t)
{
	(void)t;
	return false;
}
