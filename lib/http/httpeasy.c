#include "http/httpeasy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "process/log.h"

enum { CONNECT_TIMEOUT_MS = 15000, USER_TIMEOUT_MS = 30000 };

_Noreturn void
http_no_memory(void)
{
	mem_exhausted(NULL);
	abort();
}

void
http_check_memory(CURLMcode code)
{
	if (code == CURLM_OUT_OF_MEMORY)
		http_no_memory();
}

static char *
dup_span(struct span s)
{
	return s.p == NULL || s.n == 0 ? NULL : mem_dup(s.p, s.n);
}

void
http_settings_init(struct http_settings *s, const struct http_opts *o)
{
	s->user_agent = mem_strdup(o->user_agent);
	s->proxy = mem_strdup(o->proxy);
	s->ca = dup_span(o->tls.ca_pem);
	s->cert = dup_span(o->tls.cert_pem);
	s->key = dup_span(o->tls.key_pem);
	s->server_name = mem_strdup(o->tls.server_name);
	s->insecure = o->tls.insecure;
}

void
http_settings_release(struct http_settings *s)
{
	free(s->user_agent);
	free(s->proxy);
	free(s->ca);
	free(s->cert);
	mem_wipe(s->key);
	free(s->server_name);
}

static char *
url_part(CURLU *u, CURLUPart part, unsigned flags)
{
	char *text = NULL, *copy = NULL;

	if (curl_url_get(u, part, &text, flags) == CURLUE_OK)
		copy = mem_strdup(text);
	curl_free(text);
	return copy;
}

char *
http_origin(const char *url)
{
	size_t n = strcspn(url, "/");

	if (strncmp(url + n, "//", 2) == 0)
		n += 2 + strcspn(url + n + 2, "/?#");
	return mem_dup(url, n);
}

int
http_split_header(struct span line, struct span *name, struct span *value)
{
	*name = span_cut(&line, ':');
	if (line.p == NULL)
		return -1;
	*value = span_trim_start(span_trim_end(line, SPAN_BLANKS), " \t");
	return 0;
}

int
http_parse_status(struct span line)
{
	const char *space = span_find(line, ' ');

	if (space == NULL || line.p + line.n - space < 4)
		return 0;
	return (space[1] - '0') * 100 + (space[2] - '0') * 10 +
	    (space[3] - '0');
}

int64_t
http_parse_seconds(struct span text)
{
	int64_t n = 0;

	if (text.n == 0 || text.n > 9)
		return -1;
	for (size_t i = 0; i < text.n; i++) {
		if (!span_is_digit(text.p[i]))
			return -1;
		n = n * 10 + (text.p[i] - '0');
	}
	return n;
}

/* 127.0.0.1.example.com is a name like any other. */
static bool
is_loopback(const char *host)
{
	struct in_addr address;

	if (host == NULL)
		return false;
	if (inet_pton(AF_INET, host, &address) == 1)
		return ntohl(address.s_addr) >> 24 == 127;
	return strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0;
}

static struct curl_slist *
append(struct curl_slist *list, const char *text)
{
	list = curl_slist_append(list, text);
	if (list == NULL)
		http_no_memory();
	return list;
}

/*
 * libcurl takes the name for SNI and for the check of the certificate from
 * the URL. So another name goes into the URL, the connection goes to where the
 * URL pointed before, and the Host header stays as it was.
 */
static void
rename_server(struct http_transfer *t, CURLU *u, const char *name)
{
	char *host = url_part(u, CURLUPART_HOST, 0);
	char *port = url_part(u, CURLUPART_PORT, CURLU_DEFAULT_PORT);
	struct buf b = BUF_INIT;

	if (host != NULL && port != NULL) {
		buf_addf(&b, "%s:%s:%s:%s", name, port, host, port);
		t->connect_to = append(NULL, buf_str(&b));
		buf_reset(&b);
		buf_addf(&b, "Host: %s:%s", host, port);
		t->headers = append(t->headers, buf_str(&b));
		curl_url_set(u, CURLUPART_HOST, name, 0);
		free(t->url);
		t->url = url_part(u, CURLUPART_URL, 0);
	}
	buf_release(&b);
	free(host);
	free(port);
}

void
http_transfer_init(struct http_transfer *t, const struct http_settings *s,
    const struct http_request *r, void *arg)
{
	CURLU *u = curl_url();
	char *host;

	if (u == NULL)
		http_no_memory();
	/* libcurl refuses a bad one later, with its message. */
	curl_url_set(u, CURLUPART_URL, r->url, 0);
	host = url_part(u, CURLUPART_HOST, 0);
	t->method = r->method;
	t->url = mem_strdup(r->url);
	t->body = r->body.p != NULL ? mem_dup(r->body.p, r->body.n) : NULL;
	t->body_len = r->body.n;
	t->on_send = r->on_send;
	t->arg = arg;
	t->direct = is_loopback(host);
	for (size_t i = 0; r->headers != NULL && r->headers[i] != NULL; i++)
		t->headers = append(t->headers, r->headers[i]);
	t->headers = append(t->headers, "Expect:"); /* no 100 Continue */
	if (s->server_name != NULL)
		rename_server(t, u, s->server_name);
	free(host);
	curl_url_cleanup(u);
}

void
http_transfer_release(struct http_transfer *t)
{
	free(t->url);
	free(t->body);
	curl_slist_free_all(t->headers); /* holds the token, as libcurl does */
	curl_slist_free_all(t->connect_to);
}

/* When a socket takes no more for now, libcurl goes on from another buffer, which
 * OpenSSL refuses by default ("bad write retry"). */
static CURLcode
on_tls(CURL *easy, void *ssl_ctx, void *arg)
{
	(void)easy;
	(void)arg;
	SSL_CTX_set_mode(ssl_ctx, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	return CURLE_OK;
}

/* libcurl would say that it cannot connect, and waiting gives no descriptors:
 * exit as if memory were exhausted. */
static curl_socket_t
on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
	int fd = socket(a->family, a->socktype, a->protocol);

	(void)arg;
	(void)purpose;
	if (fd >= 0 || (errno != EMFILE && errno != ENFILE))
		return fd;
	log_fatal("cannot make a socket: %s", strerror(errno));
	_exit(EXIT_TRANSIENT);
}

/* The connection ends after the same time if the peer's host does not
 * acknowledge data, or no longer answers keep-alives. */
static int
on_sockopt(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	int on = 1, idle = 15, interval = 5, user = USER_TIMEOUT_MS;

	(void)arg;
	(void)purpose;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &user, sizeof(user));
	return CURL_SOCKOPT_OK;
}

static void
setup_blob(CURL *easy, CURLoption option, char *pem)
{
	struct curl_blob blob = {pem, pem ? strlen(pem) : 0, CURL_BLOB_NOCOPY};

	if (pem != NULL)
		curl_easy_setopt(easy, option, &blob);
}

/*
 * Called when there is a connection and, on HTTP/2, a free stream: the call
 * need not wait any more. A second time if libcurl wants to send the request
 * again, because a connection that was used before ended without an answer (its
 * Curl_retry_request).
 */
static int
on_send(void *arg, char *ip, char *local_ip, int port, int local_port)
{
	struct http_transfer *t = arg;
	long made = 0;

	(void)ip;
	(void)local_ip;
	(void)port;
	(void)local_port;
	t->lost = t->sent && strcmp(t->method, "GET") != 0;
	if (t->lost)
		return CURL_PREREQFUNC_ABORT;
	t->sent = true;
	curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &made);
	if (made > 0 && t->connected != NULL)
		*t->connected = true;
	if (t->on_send == NULL)
		return CURL_PREREQFUNC_OK;
	return t->on_send(t->arg, &t->held) == 0 ? CURL_PREREQFUNC_OK
						 : CURL_PREREQFUNC_ABORT;
}

CURLM *
http_easy_multi(curl_socket_callback on_socket,
    curl_multi_timer_callback on_timer, void *arg)
{
	CURLM *m = curl_multi_init();

	if (m == NULL)
		http_no_memory();
	curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(m, CURLMOPT_SOCKETDATA, arg);
	curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, on_timer);
	curl_multi_setopt(m, CURLMOPT_TIMERDATA, arg);
	curl_multi_setopt(m, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
	/* The server's own limit counts; libcurl's default is 100. */
	curl_multi_setopt(m, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000L);
	return m;
}

void
http_easy_wake(CURLM *multi, const struct http_transfer *t)
{
	curl_off_t named = 0;

	curl_easy_getinfo(t->easy, CURLINFO_NAMELOOKUP_TIME_T, &named);
	if (t->sent || named != 0)
		return;
	curl_multi_remove_handle(multi, t->easy);
	http_check_memory(curl_multi_add_handle(multi, t->easy));
}

void
http_easy_setup(
    CURL *easy, const struct http_settings *s, struct http_transfer *t)
{
	curl_easy_setopt(easy, CURLOPT_URL, t->url);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
	/* Without TLS there is no HTTP/2 to wait for, although libcurl would
	 * wait. */
	curl_easy_setopt(easy, CURLOPT_PIPEWAIT,
	    strncmp(t->url, "https:", 6) == 0 ? 1L : 0L);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(
	    easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_sockopt);
	curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_tls);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, s->user_agent);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, t->headers);
	if (t->connect_to != NULL)
		curl_easy_setopt(easy, CURLOPT_CONNECT_TO, t->connect_to);
	if (s->proxy != NULL) {
		curl_easy_setopt(easy, CURLOPT_PROXY, s->proxy);
		curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
	} else if (t->direct) {
		curl_easy_setopt(easy, CURLOPT_PROXY, "");
	}
	/* No Kerberos, which lib/curl-stubs leaves out, and libcurl would
	 * offer. */
	curl_easy_setopt(
	    easy, CURLOPT_SOCKS5_AUTH, (unsigned long)CURLAUTH_BASIC);
	t->easy = easy;
	curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_send);
	curl_easy_setopt(easy, CURLOPT_PREREQDATA, t);
	setup_blob(easy, CURLOPT_CAINFO_BLOB, s->ca);
	setup_blob(easy, CURLOPT_SSLCERT_BLOB, s->cert);
	setup_blob(easy, CURLOPT_SSLKEY_BLOB, s->key);
	if (s->ca != NULL)
		curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	if (s->insecure) {
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (t->body != NULL) {
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, t->body);
		curl_easy_setopt(
		    easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->body_len);
	} else {
		curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
	}
	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, t->method);
}

/* Errors that would come again every time. */
static enum err_kind
error_kind(CURLcode code)
{
	switch (code) {
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_NOT_BUILT_IN: /* a host that is not ASCII (8.14) */
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CIPHER:
	case CURLE_BAD_FUNCTION_ARGUMENT:
		return ERR_PERMANENT;
	default:
		return ERR_TRANSIENT;
	}
}

static const char *
skip_prefix(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) == 0 ? text + n : text;
}

/* The error of a certificate, in OpenSSL's words only: libcurl puts its own
 * words before them, and from 8.20 on their number behind them. */
static struct span
certificate_trouble(const char *text)
{
	const char *rest = skip_prefix(
	    skip_prefix(text, "SSL certificate problem: "), "SSL: ");
	const char *result =
	    skip_prefix(rest, "SSL certificate OpenSSL verify result: ");
	const char *number = result == rest ? NULL : strrchr(result, '(');

	if (number == NULL || number - result < 2)
		return span_str(result);
	return span_make(result, (size_t)(number - result) - 1);
}

/*
 * libcurl says what it tried to reach: "Failed to connect to HOST port N". If
 * that is not the origin, it is the proxy, of the kubeconfig or the environment.
 * Appends " by the proxy HOST:N", or nothing.
 */
static void
add_proxy(struct buf *b, const char *origin, const char *text)
{
	const char *host = skip_prefix(text, "Failed to connect to "), *port,
		   *at;
	size_t n = strcspn(host, " "), digits;

	if (host == text || strncmp(host + n, " port ", 6) != 0)
		return;
	port = host + n + 6;
	digits = strspn(port, "0123456789");
	at = strstr(origin, "://");
	at = at != NULL ? at + 3 : origin;
	at += *at == '[';
	if (strncmp(at, host, n) == 0) {
		at += n;
		at += *at == ']';
		if (*at == '\0')
			at = strncmp(origin, "https:", 6) == 0 ? ":443" : ":80";
		if (*at == ':' && strlen(at + 1) == digits &&
		    strncmp(at + 1, port, digits) == 0)
			return;
	}
	buf_addf(b, " by the proxy %.*s:%.*s", (int)n, host, (int)digits, port);
}

static void
not_connected(struct err *err, enum err_kind kind, const char *origin,
    const char *text, int os)
{
	struct buf proxy = BUF_INIT;

	add_proxy(&proxy, origin, text);
	err_set(err, kind, "cannot connect to %s%s: %s", origin,
	    buf_str(&proxy), os != 0 ? strerror(os) : text);
	buf_release(&proxy);
}

bool
http_easy_answered(CURLcode code, int status)
{
	return code == CURLE_OK ||
	    (code == CURLE_PARTIAL_FILE && status >= 400);
}

bool
http_easy_error(CURL *easy, CURLcode code, const struct http_transfer *t,
    const char *origin, const char *text, uint64_t timeout_ms,
    struct http_response *r)
{
	struct err *err = &r->err;
	enum err_kind kind = error_kind(code);
	curl_off_t sent = 0;
	long os = 0, answer = 0;

	/* Within an answer libcurl says the same of an encoding for which it has
	 * no decoder. */
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer);
	if (code == CURLE_OUT_OF_MEMORY && answer == 0)
		http_no_memory();
	r->timed_out = code == CURLE_OPERATION_TIMEDOUT;
	r->untrusted = code == CURLE_PEER_FAILED_VERIFICATION;
	r->held = code == CURLE_ABORTED_BY_CALLBACK && !t->lost;
	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os);
	curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &sent);
	if (*text == '\0')
		text = curl_easy_strerror(code);
	switch (code) {
	case CURLE_COULDNT_CONNECT:
		not_connected(err, kind, origin, text, (int)os);
		break;
	case CURLE_COULDNT_RESOLVE_HOST:
		err_set(err, kind, "cannot find the address of %s", origin);
		break;
	case CURLE_OPERATION_TIMEDOUT:
		if (timeout_ms == 0 || sent == 0)
			err_set(
			    err, kind, "cannot connect to %s in time", origin);
		else
			err_set(err, kind, "no answer from %s within %llu s",
			    origin, (unsigned long long)timeout_ms / 1000);
		break;
	case CURLE_PEER_FAILED_VERIFICATION:
		err_set(err, kind, "the certificate of %s is not trusted: %.*s",
		    origin, SPAN_ARG(certificate_trouble(text)));
		break;
	case CURLE_ABORTED_BY_CALLBACK:
		*err = t->held;
		if (t->lost)
			err_set(err, ERR_TRANSIENT,
			    "the connection to %s ended without an answer",
			    origin);
		break;
	default:
		err_set(
		    err, kind, "the connection to %s failed: %s", origin, text);
	}
	return sent > 0;
}
