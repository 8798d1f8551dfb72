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

#include "base/array.h"

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

void
version_add_commit(struct buf *b)
{
	const char *commit =
	    version_commit != NULL ? version_commit : "unknown";
	const char *space = strchr(commit, ' ');

	buf_addf(b, "%.12s%s", commit, space != NULL ? space : "");
}

static void
add(struct buf *b, const char *name, const char *version)
{
	buf_addf(b, "%s %s\n", name, version);
}

static void
add_curl(struct buf *b)
{
	if (curl_version_info != NULL)
		add(b, "libcurl", curl_version_info(CURLVERSION_NOW)->version);
}

static void
add_openssl(struct buf *b)
{
	if (OpenSSL_version != NULL)
		add(b, "OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING));
}

static void
add_nghttp2(struct buf *b)
{
	if (nghttp2_version != NULL)
		add(b, "nghttp2", nghttp2_version(0)->version_str);
}

static void
add_yaml(struct buf *b)
{
	if (yaml_get_version_string != NULL)
		add(b, "libyaml", yaml_get_version_string());
}

static void
add_jq(struct buf *b)
{
	if (jq_init != NULL)
		add(b, "libjq", KPIPE_LIBJQ " (when built)");
}

static void
add_seccomp(struct buf *b)
{
	const struct scmp_version *v =
	    seccomp_version != NULL ? seccomp_version() : NULL;

	if (v != NULL)
		buf_addf(
		    b, "libseccomp %u.%u.%u\n", v->major, v->minor, v->micro);
}

/* "10.42 2022-12-11" */
static void
add_pcre2(struct buf *b)
{
	char text[64];

	if (pcre2_config_8 != NULL &&
	    pcre2_config_8(PCRE2_CONFIG_VERSION, NULL) <= (int)sizeof(text) &&
	    pcre2_config_8(PCRE2_CONFIG_VERSION, text) > 0)
		buf_addf(b, "PCRE2 %.*s\n", (int)strcspn(text, " "), text);
}

static void
add_parser(struct buf *b)
{
#ifdef KPIPE_LLHTTP
	if (llhttp_init != NULL)
		buf_addf(b, "llhttp %d.%d.%d (when built)\n",
		    LLHTTP_VERSION_MAJOR, LLHTTP_VERSION_MINOR,
		    LLHTTP_VERSION_PATCH);
#else
	unsigned long v =
	    http_parser_version != NULL ? http_parser_version() : 0;

	if (v != 0)
		buf_addf(b, "http_parser %lu.%lu.%lu\n", v >> 16 & 255,
		    v >> 8 & 255, v & 255);
#endif
}

static void
add_zstd(struct buf *b)
{
	if (ZSTD_versionString != NULL)
		add(b, "zstd", ZSTD_versionString());
}

void
version_describe(struct buf *b)
{
	static void (*const adders[])(struct buf *) = {add_curl, add_openssl,
	    add_nghttp2, add_jq, add_yaml, add_seccomp, add_pcre2, add_parser,
	    add_zstd};

	add(b, "commit", version_commit != NULL ? version_commit : "unknown");
	for (size_t i = 0; i < COUNT(adders); i++)
		adders[i](b);
}
