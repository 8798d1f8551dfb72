/*
 * curl: one request over HTTP, by the same library, which is in this program:
 * curl itself loads thirty others first. Options that are not here are left to
 * the next curl in PATH.
 */
// needs t/helpers/real/realone.c
#include <curl/curl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "process/file.h"
#include "real/realone.h"

enum {
	BODY_MIB = 64,
	SILENT = 1,
	SHOWN = 2, /* errors */
	FAILS = 4,
	INSECURE = 8,
	UNBUFFERED = 16,
	HTTP1 = 32, /* only that version of HTTP */
	HTTP2 = 64
};

enum value {
	MAX_TIME,
	AGENT,
	METHOD,
	HEADER,
	OUTPUT,
	DUMP,
	FORMAT,
	DATA,
	BINARY,
	CACERT,
	VALUES
};

static const struct {
	char letter;
	const char *name;
	int flag; /* 0: it has a value */
	enum value value;
} options[] = {{'s', "silent", SILENT, VALUES},
    {'S', "show-error", SHOWN, VALUES}, {'f', "fail", FAILS, VALUES},
    {'k', "insecure", INSECURE, VALUES}, {'N', "no-buffer", UNBUFFERED, VALUES},
    {'m', "max-time", 0, MAX_TIME}, {'A', "user-agent", 0, AGENT},
    {'X', "request", 0, METHOD}, {'H', "header", 0, HEADER},
    {'o', "output", 0, OUTPUT}, {'D', "dump-header", 0, DUMP},
    {'w', "write-out", 0, FORMAT}, {'d', "data", 0, DATA},
    {0, "data-binary", 0, BINARY}, {0, "cacert", 0, CACERT},
    {0, "http1.1", HTTP1, VALUES}, {0, "http2-prior-knowledge", HTTP2, VALUES}};

struct call {
	const char *url;
	const char *values[VALUES];
	int flags;
	struct curl_slist *headers;
	struct buf body;
	FILE *out, *dump;
};

/* ---- arguments ---- */

static bool
add_headers(struct call *c, const char *text)
{
	char line[8192];
	FILE *f;

	if (text[0] != '@') {
		c->headers = curl_slist_append(c->headers, text);
		return true;
	}
	f = fopen(text + 1, "r");
	if (f == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		if (line[0] != '\0')
			c->headers = curl_slist_append(c->headers, line);
	}
	fclose(f);
	return true;
}

static bool
set_value(struct call *c, enum value value, const char *text)
{
	if (text == NULL || (value == DATA && text[0] == '@'))
		return false;
	if (value == HEADER)
		return add_headers(c, text);
	/* Bodies are joined, and the last of the others counts. */
	if (c->values[value] != NULL && (value == DATA || value == BINARY))
		return false;
	c->values[value] = text;
	return true;
}

/* -sSfm 10, -m10, --max-time 10: *value is the next argument, and taken if the
 * option needs it. */
static bool
set_option(struct call *c, const char *text, char *const **next)
{
	bool is_long = text[0] == '-';

	for (; *text != '\0'; text++) {
		size_t i = 0;

		while (i < COUNT(options) &&
		    (is_long ? strcmp(text + 1, options[i].name) != 0
			     : options[i].letter != *text))
			i++;
		if (i == COUNT(options))
			return false;
		c->flags |= options[i].flag;
		if (options[i].flag == 0 && !is_long && text[1] != '\0')
			return set_value(c, options[i].value, text + 1);
		if (options[i].flag == 0)
			return set_value(c, options[i].value, *++*next);
		if (is_long)
			return true;
	}
	return true;
}

/* %{http_code} and \n only. */
static bool
is_format(const char *format)
{
	static const char code[] = "%{http_code}";

	for (const char *p = format; *p != '\0'; p++) {
		if (*p == '@' || (*p == '\\' && p[1] != 'n'))
			return false;
		if (*p == '%' && strncmp(p, code, sizeof(code) - 1) != 0)
			return false;
	}
	return true;
}

static bool
is_body(const char *text)
{
	return text == NULL || text[0] != '@' || strcmp(text, "@-") == 0 ||
	    access(text + 1, R_OK) == 0;
}

/* curl has patterns in URLs, and a meter on a terminal. */
static bool
is_here(const struct call *c)
{
	const char *format = c->values[FORMAT], *limit = c->values[MAX_TIME];

	return c->url != NULL &&
	    (c->flags & (HTTP1 | HTTP2)) != (HTTP1 | HTTP2) &&
	    strpbrk(c->url, "[]{}") == NULL &&
	    (strncmp(c->url, "http", 4) == 0 ||
		strstr(c->url, "://") == NULL) &&
	    (c->flags & SILENT) && (format == NULL || is_format(format)) &&
	    (limit == NULL || limit[strspn(limit, "0123456789")] == '\0') &&
	    (c->values[DATA] == NULL || c->values[BINARY] == NULL) &&
	    is_body(c->values[BINARY]) &&
	    (c->values[METHOD] == NULL ||
		strcmp(c->values[METHOD], "HEAD") != 0) &&
	    (c->values[DUMP] == NULL || c->values[DUMP][0] != '-');
}

static bool
read_arguments(struct call *c, char *const *argv)
{
	for (char *const *a = argv + 1; *a != NULL; a++) {
		if ((*a)[0] == '-') {
			if (!set_option(c, *a + 1, &a))
				return false;
		} else if (c->url != NULL) {
			return false;
		} else {
			c->url = *a;
		}
	}
	return is_here(c);
}

/* Standard input is read once, so nothing is left to curl from here on. */
static void
read_body(struct call *c)
{
	const char *text = c->values[BINARY];
	struct err err = ERR_INIT;

	if (text == NULL)
		text = c->values[DATA];
	if (text == NULL)
		return;
	if (text[0] != '@') {
		buf_adds(&c->body, text);
		return;
	}
	if (strcmp(text, "@-") == 0
		? file_read_fd(0, "-", BODY_MIB, &c->body, &err) == 0
		: file_read(text + 1, BODY_MIB, &c->body, &err) == 0)
		return;
	fprintf(stderr, "curl: %s\n", err.message);
	exit(CURLE_READ_ERROR);
}

/* ---- the request ---- */

/* A file is made when there is something to write. */
static size_t
on_body(char *data, size_t size, size_t n, void *arg)
{
	struct call *c = arg;
	size_t written;

	if (c->out == NULL)
		c->out = fopen(c->values[OUTPUT], "w");
	if (c->out == NULL)
		return 0;
	written = fwrite(data, size, n, c->out);
	if (c->flags & UNBUFFERED)
		fflush(c->out);
	return written;
}

static size_t
on_header(char *data, size_t size, size_t n, void *arg)
{
	const struct call *c = arg;

	return c->dump == NULL ? n : fwrite(data, size, n, c->dump);
}

static void
set_up(CURL *easy, struct call *c, char *error)
{
	char agent[100];

	snprintf(agent, sizeof(agent), "curl/%s",
	    curl_version_info(CURLVERSION_NOW)->version);
	curl_easy_setopt(easy, CURLOPT_URL, c->url);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error);
	curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
	curl_easy_setopt(easy, CURLOPT_USERAGENT,
	    c->values[AGENT] ? c->values[AGENT] : agent);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, c->headers);
	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, c->values[METHOD]);
	curl_easy_setopt(easy, CURLOPT_FAILONERROR, c->flags & FAILS ? 1L : 0L);
	if (c->values[MAX_TIME] != NULL)
		curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
		    strtol(c->values[MAX_TIME], NULL, 10) * 1000);
	if (c->values[CACERT] != NULL)
		curl_easy_setopt(easy, CURLOPT_CAINFO, c->values[CACERT]);
	if (c->flags & (HTTP1 | HTTP2))
		curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
		    c->flags & HTTP1
			? (long)CURL_HTTP_VERSION_1_1
			: (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
	if (c->flags & INSECURE) {
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (c->values[DATA] != NULL || c->values[BINARY] != NULL) {
		curl_easy_setopt(
		    easy, CURLOPT_POSTFIELDSIZE, (long)c->body.len);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, buf_str(&c->body));
	}
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, c);
}

static void
print_format(const char *format, CURL *easy)
{
	long code = 0;

	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
	for (const char *p = format; *p != '\0'; p++) {
		if (*p == '%') {
			printf("%03ld", code);
			p = strchr(p, '}');
		} else if (*p == '\\') {
			putchar('\n');
			p++;
		} else {
			putchar(*p);
		}
	}
}

static int
say(const struct call *c, CURLcode code, const char *text)
{
	if (code != CURLE_OK && (c->flags & SHOWN))
		fprintf(stderr, "curl: (%d) %s\n", code,
		    text[0] != '\0' ? text : curl_easy_strerror(code));
	return (int)code;
}

static int
run(struct call *c, char **argv)
{
	char error[CURL_ERROR_SIZE] = "";
	CURL *easy = curl_easy_init();
	CURLcode code;

	if (easy == NULL)
		return CURLE_FAILED_INIT;
	set_up(easy, c, error);
	code = curl_easy_perform(easy);
	if (code == CURLE_OK && c->out == NULL)
		c->out = fopen(c->values[OUTPUT], "w");
	/* Of this curl says more. */
	if (code == CURLE_PEER_FAILED_VERIFICATION && c->body.len == 0)
		realone_exec("curl", argv);
	say(c, code, error);
	if (c->out != NULL && c->out != stdout)
		fclose(c->out);
	if (c->dump != NULL)
		fclose(c->dump);
	if (c->values[FORMAT] != NULL)
		print_format(c->values[FORMAT], easy);
	if (fclose(stdout) != 0 && code == CURLE_OK)
		return say(c, CURLE_WRITE_ERROR, "Failed writing body");
	return (int)code;
}

static bool
is_configured(void)
{
	char path[PATH_MAX];
	const char *home = getenv("HOME");

	snprintf(path, sizeof(path), "%s/.curlrc", home ? home : "");
	return getenv("CURL_HOME") != NULL || access(path, F_OK) == 0;
}

int
main(int argc, char **argv)
{
	struct call c = {.body = BUF_INIT};

	(void)argc;
	if (is_configured() || !read_arguments(&c, argv))
		realone_exec("curl", argv);
	if (c.values[OUTPUT] == NULL || strcmp(c.values[OUTPUT], "-") == 0)
		c.out = stdout;
	if (c.values[DUMP] != NULL &&
	    (c.dump = fopen(c.values[DUMP], "w")) == NULL)
		realone_exec("curl", argv);
	read_body(&c);
	return run(&c, argv);
}
