/*
 * kapi-load: writes to an API server and watches it, to see how many writes
 * and events per second it stands. The same client for any server:
 *
 *	kapi-load SERVER TOKEN WATCHERS WRITERS SECONDS [RATE PODS]
 *
 * SERVER is http://HOST:PORT or https://HOST:PORT (its certificate is not
 * checked: loopback). Makes one ConfigMap a writer in namespace "load", opens
 * WATCHERS watches of all of them, each on a connection of its own, and lets
 * every writer PATCH its own as fast as it is answered. With RATE, the writers
 * together PATCH, so often a second, the status of the Pods p0 to p(PODS - 1)
 * of "load", one after another; status.message is the Unix time in us. A writer
 * that falls behind catches up. Prints one line of JSON: writes, seconds, events
 * (all watchers together), late (ms from the last answer to the last event).
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char *host, *port, *token;
static bool tls;
static SSL_CTX *context;
static atomic_bool stop;
static int writers, pods;
static double rate; /* writes a second of all writers, or 0 */
static atomic_long writes, events;
static _Atomic double last_event;

struct conn {
	int fd;
	SSL *ssl;
};

struct writer {
	pthread_t thread;
	int number;
};

static void
die(const char *what)
{
	fprintf(stderr, "kapi-load: %s: %s\n", what, strerror(errno));
	exit(111);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
dial(struct conn *c)
{
	struct addrinfo *a, hints = {.ai_socktype = SOCK_STREAM};
	int one = 1;

	if (getaddrinfo(host, port, &hints, &a) != 0)
		die("getaddrinfo");
	c->fd = socket(a->ai_family, SOCK_STREAM, 0);
	if (c->fd < 0 || connect(c->fd, a->ai_addr, a->ai_addrlen) != 0)
		die("connect");
	freeaddrinfo(a);
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	c->ssl = NULL;
	if (!tls)
		return;
	c->ssl = SSL_new(context);
	SSL_set_fd(c->ssl, c->fd);
	if (SSL_connect(c->ssl) != 1)
		die("TLS");
}

static void
put(struct conn *c, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t w =
		    c->ssl ? SSL_write(c->ssl, p, (int)n) : write(c->fd, p, n);

		if (w <= 0)
			die("write");
		p += w;
		n -= (size_t)w;
	}
}

static ssize_t
get(struct conn *c, char *p, size_t n)
{
	return c->ssl ? SSL_read(c->ssl, p, (int)n) : read(c->fd, p, n);
}

/* One answer with Content-Length, or without a body; returns its status. */
static int
answer(struct conn *c)
{
	static _Thread_local char in[1 << 16];
	size_t have = 0, want = 0;
	int status = 0;

	for (;;) {
		ssize_t n = get(c, in + have, sizeof(in) - 1 - have);
		char *end, *length;

		if (n <= 0)
			die("read");
		have += (size_t)n;
		in[have] = '\0';
		end = strstr(in, "\r\n\r\n");
		if (end == NULL)
			continue;
		if (want == 0) {
			status = (int)strtol(in + 9, NULL, 10);
			length = strcasestr(in, "\ncontent-length:");
			want = (size_t)(end + 4 - in) +
			    (length ? strtoul(length + 16, NULL, 10) : 0);
		}
		if (have >= want)
			return status;
	}
}

static int
ask(struct conn *c, const char *method, const char *path, const char *type,
    const char *body)
{
	char out[4096];
	int n = snprintf(out, sizeof(out),
	    "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
	    "User-Agent: kapi-load\r\nContent-Type: %s\r\n"
	    "Content-Length: %zu\r\n\r\n%s",
	    method, path, host, token, type, strlen(body), body);

	put(c, out, (size_t)n);
	return answer(c);
}

static void
prepare(void)
{
	struct conn c;

	dial(&c);
	ask(&c, "POST", "/api/v1/namespaces", "application/json",
	    "{\"metadata\":{\"name\":\"load\"}}");
	for (int i = 0; i < writers; i++) {
		char body[512];

		snprintf(body, sizeof(body),
		    "{\"metadata\":{\"name\":\"w%d\",\"labels\":{\"app\":"
		    "\"load\"}},"
		    "\"data\":{\"n\":\"0\",\"text\":\"%0200d\"}}",
		    i, i);
		ask(&c, "POST", "/api/v1/namespaces/load/configmaps",
		    "application/json", body);
	}
	close(c.fd);
}

static void
sleep_until(double when)
{
	struct timespec t = {.tv_sec = (time_t)when};

	t.tv_nsec = (long)((when - (double)t.tv_sec) * 1e9);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void
patch_map(struct conn *c, int number, long n)
{
	char path[128], body[128];

	snprintf(path, sizeof(path), "/api/v1/namespaces/load/configmaps/w%d",
	    number);
	snprintf(body, sizeof(body), "{\"data\":{\"n\":\"%ld\"}}", n);
	if (ask(c, "PATCH", path, "application/merge-patch+json", body) != 200)
		die("PATCH was not answered with 200");
}

/* Writer I makes the changes I, I + writers, I + 2 writers ... */
static void
patch_pod(struct conn *c, long change)
{
	char path[128], body[128];
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	snprintf(path, sizeof(path), "/api/v1/namespaces/load/pods/p%ld/status",
	    change % pods);
	snprintf(body, sizeof(body), "{\"status\":{\"message\":\"%lld\"}}",
	    (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000);
	if (ask(c, "PATCH", path, "application/merge-patch+json", body) != 200)
		die("PATCH was not answered with 200");
}

static void *
write_on(void *arg)
{
	const struct writer *w = arg;
	double start = now();
	struct conn c;

	dial(&c);
	for (long i = 1; !stop; i++) {
		if (rate > 0) {
			long change = w->number + i * writers;

			sleep_until(start + (double)change / rate);
			patch_pod(&c, change);
		} else {
			patch_map(&c, w->number, i);
		}
		writes++;
	}
	return NULL;
}

/* HTTP/1.0: no chunks, so that each newline is one event. */
static void
open_watch(struct conn *c)
{
	char out[1024];
	int n;

	dial(c);
	n = snprintf(out, sizeof(out),
	    "GET /api/v1/namespaces/load/configmaps?watch=1&timeoutSeconds=600"
	    " HTTP/1.0\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n",
	    host, token);
	put(c, out, (size_t)n);
}

static long
count(const char *p, size_t n)
{
	long lines = 0;

	for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p)));
	     p++)
		lines++;
	return lines;
}

static void *
watch_on(void *arg)
{
	static char in[1 << 17];
	struct epoll_event ready[64];
	int epoll = *(int *)arg;

	for (;;) {
		int n = epoll_wait(epoll, ready, 64, 1000);

		for (int i = 0; i < n; i++) {
			struct conn *c = ready[i].data.ptr;
			ssize_t got;

			do {
				got = get(c, in, sizeof(in));
				if (got <= 0)
					die("a watch ended");
				events += count(in, (size_t)got);
			} while (c->ssl && SSL_pending(c->ssl) > 0);
		}
		if (n > 0)
			last_event = now();
	}
	return NULL;
}

static void
settle(void)
{
	long before;

	do {
		before = events;
		usleep(300000);
	} while (events != before);
}

int
main(int argc, char **argv)
{
	int watchers, epoll = epoll_create1(0);
	double seconds, start, took;
	pthread_t reader;
	struct writer *w;
	long initial;

	if (argc != 6 && argc != 8)
		die("usage: kapi-load SERVER TOKEN WATCHERS WRITERS SECONDS"
		    " [RATE PODS]");
	tls = strncmp(argv[1], "https", 5) == 0;
	host = strdup(strstr(argv[1], "://") + 3);
	port = strrchr(host, ':') + 1;
	*strrchr(host, ':') = '\0';
	token = argv[2];
	watchers = (int)strtol(argv[3], NULL, 10);
	writers = (int)strtol(argv[4], NULL, 10);
	seconds = strtod(argv[5], NULL);
	if (argc == 8) {
		rate = strtod(argv[6], NULL);
		pods = (int)strtol(argv[7], NULL, 10);
	}
	context = SSL_CTX_new(TLS_client_method());
	prepare();
	for (int i = 0; i < watchers; i++) {
		struct conn *c = malloc(sizeof(*c));
		struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};

		open_watch(c);
		epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &e);
	}
	pthread_create(&reader, NULL, watch_on, &epoll);
	settle();
	initial = events;
	w = calloc((size_t)writers, sizeof(*w));
	start = now();
	for (int i = 0; i < writers; i++) {
		w[i].number = i;
		pthread_create(&w[i].thread, NULL, write_on, &w[i]);
	}
	usleep((useconds_t)(seconds * 1e6));
	stop = true;
	for (int i = 0; i < writers; i++)
		pthread_join(w[i].thread, NULL);
	took = now() - start;
	settle();
	printf(
	    "{\"writes\":%ld,\"seconds\":%.3f,\"events\":%ld,\"late\":%.0f}\n",
	    (long)writes, took, (long)events - initial,
	    watchers == 0 ? 0. : (last_event - start - took) * 1000);
	return 0;
}
