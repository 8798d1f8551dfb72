#include "process/version.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <curl/curl.h>
#include <jq.h>
#include <nghttp2/nghttp2.h>
#include <openssl/crypto.h>
#include <pcre2.h>
#include <seccomp.h>
#include <stdio.h>
#include <yaml.h>
#include <zstd.h>
#ifdef KPIPE_LLHTTP
#include <llhttp.h>
#else
#include <http_parser.h>
#endif

/*
 * NULL in a program without that library. A weak reference does not bring it
 * in: what the program calls elsewhere does.
 */
#pragma weak curl_version_info
#pragma weak OpenSSL_version
#pragma weak nghttp2_version
#pragma weak yaml_get_version_string
#pragma weak seccomp_version
#pragma weak pcre2_config_8
#pragma weak jq_init
#pragma weak ZSTD_versionString
#ifdef KPIPE_LLHTTP
#pragma weak llhttp_init
#else
#pragma weak http_parser_version
#endif

/*
 * The Makefile writes it to a file of its own, and links that to tools alone:
 * unit tests have none, so that a commit does not link them again.
 */
extern const char version_commit[] __attribute__((weak));
/* "libcurl 7.88.1-10+deb12u15;libjq 1.6-2.1;", of lib/packages */
extern const char version_packages[] __attribute__((weak));

void
version_add_commit(struct buf *b)
{
	const char *commit =
	    version_commit != NULL ? version_commit : "unknown";
	const char *space = strchr(commit, ' ');

	buf_addf(b, "%.12s%s", commit, space != NULL ? space : "");
}

enum version_when { RUNS, WHEN_BUILT };

static void
add_as(struct buf *b, const char *name, const char *version,
    enum version_when when)
{
	struct span rest = span_str(version_packages);
	struct span package = SPAN_NONE;

	while (package.p == NULL && rest.n > 0) {
		package = span_cut(&rest, ';');
		if (!span_take(&package, name) || !span_take(&package, " "))
			package = SPAN_NONE;
	}
	buf_addf(b, "%s %s", name, version);
	if (package.p != NULL)
		buf_addf(b, " (package %.*s when built)\n", SPAN_ARG(package));
	else
		buf_adds(b, when == WHEN_BUILT ? " (when built)\n" : "\n");
}

static void
add(struct buf *b, const char *name, const char *version)
{
	add_as(b, name, version, RUNS);
}

static void
add_seccomp(struct buf *b)
{
	const struct scmp_version *v =
	    seccomp_version != NULL ? seccomp_version() : NULL;
	char text[40];

	if (v == NULL)
		return;
	(void)snprintf(
	    text, sizeof(text), "%u.%u.%u", v->major, v->minor, v->micro);
	add(b, "libseccomp", text);
}

/* "10.42 2022-12-11" */
static void
add_pcre2(struct buf *b)
{
	char text[64];

	if (pcre2_config_8 != NULL &&
	    pcre2_config_8(PCRE2_CONFIG_VERSION, NULL) <= (int)sizeof(text) &&
	    pcre2_config_8(PCRE2_CONFIG_VERSION, text) > 0) {
		text[strcspn(text, " ")] = '\0';
		add(b, "PCRE2", text);
	}
}

static void
add_parser(struct buf *b)
{
#ifdef KPIPE_LLHTTP
	char text[40];

	(void)snprintf(text, sizeof(text), "%d.%d.%d", LLHTTP_VERSION_MAJOR,
	    LLHTTP_VERSION_MINOR, LLHTTP_VERSION_PATCH);
	if (llhttp_init != NULL)
		add_as(b, "llhttp", text, WHEN_BUILT);
#else
	unsigned long v =
	    http_parser_version != NULL ? http_parser_version() : 0;
	char text[40];

	(void)snprintf(text, sizeof(text), "%lu.%lu.%lu", v >> 16 & 255,
	    v >> 8 & 255, v & 255);
	if (v != 0)
		add(b, "http_parser", text);
#endif
}

void
version_describe(struct buf *b)
{
	buf_addf(b, "commit %s\n",
	    version_commit != NULL ? version_commit : "unknown");
	if (curl_version_info != NULL)
		add(b, "libcurl", curl_version_info(CURLVERSION_NOW)->version);
	if (OpenSSL_version != NULL)
		add(b, "OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING));
	if (nghttp2_version != NULL)
		add(b, "nghttp2", nghttp2_version(0)->version_str);
	if (jq_init != NULL)
		add_as(b, "libjq", KPIPE_LIBJQ, WHEN_BUILT);
	if (yaml_get_version_string != NULL)
		add(b, "libyaml", yaml_get_version_string());
	add_seccomp(b);
	add_pcre2(b);
	add_parser(b);
	if (ZSTD_versionString != NULL)
		add(b, "zstd", ZSTD_versionString());
}
