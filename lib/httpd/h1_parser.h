/*
 * h1_parser: the parser of HTTP/1.1 requests that the system has: llhttp,
 * or http_parser, from which it comes, where that is not packaged. Used by
 * h1.c, which knows neither of them directly.
 *
 * The callbacks are those that both have; on_message_complete returns
 * h1_parser_stop(). A callback may get a text in parts.
 */
#ifndef H1_PARSER_H
#define H1_PARSER_H

#include <stddef.h>

/* The outcome of parsing a piece of input. */
enum h1_parsed {
	H1_TAKEN, /* the whole piece: more may come */
	H1_WHOLE, /* a request ended: the rest was not looked at */
	H1_LONG,  /* the head is longer than the parser allows */
	H1_BAD	  /* bad input, or a callback refused it */
};

#ifdef KPIPE_LLHTTP

#include <llhttp.h>

#define h1_parser llhttp__internal_s
#define h1_callbacks llhttp_settings_s

static inline void
h1_parser_init(struct h1_parser *p, const struct h1_callbacks *callbacks)
{
	llhttp_init(p, HTTP_REQUEST, callbacks);
}

static inline int
h1_parser_stop(struct h1_parser *p)
{
	(void)p;
	return HPE_PAUSED;
}

/* *taken of n bytes, if it is H1_TAKEN or H1_WHOLE. */
static inline enum h1_parsed
h1_parse(struct h1_parser *p, const struct h1_callbacks *callbacks,
    const char *data, size_t n, size_t *taken)
{
	(void)callbacks;
	*taken = n;
	switch (llhttp_execute(p, data, n)) {
	case HPE_OK:
		return H1_TAKEN;
	case HPE_PAUSED:
		*taken = (size_t)(llhttp_get_error_pos(p) - data);
		llhttp_resume(p);
		return H1_WHOLE;
	default:
		return H1_BAD;
	}
}

static inline const char *
h1_parser_method(const struct h1_parser *p)
{
	return llhttp_method_name((llhttp_method_t)p->method);
}

static inline int
h1_parser_keeps_alive(const struct h1_parser *p)
{
	return llhttp_should_keep_alive(p);
}

#else

#include <http_parser.h>

#define h1_parser http_parser
#define h1_callbacks http_parser_settings

static inline void
h1_parser_init(struct h1_parser *p, const struct h1_callbacks *callbacks)
{
	(void)callbacks;
	http_parser_init(p, HTTP_REQUEST);
	/* The server has a limit of its own. */
	http_parser_set_max_header_size(UINT32_MAX / 2);
}

static inline int
h1_parser_stop(struct h1_parser *p)
{
	http_parser_pause(p, 1);
	return 0;
}

/* *taken of n bytes, if it is H1_TAKEN or H1_WHOLE. */
static inline enum h1_parsed
h1_parse(struct h1_parser *p, const struct h1_callbacks *callbacks,
    const char *data, size_t n, size_t *taken)
{
	*taken = http_parser_execute(p, callbacks, data, n);
	switch (HTTP_PARSER_ERRNO(p)) {
	case HPE_OK:
		return H1_TAKEN;
	case HPE_PAUSED:
		http_parser_pause(p, 0);
		return H1_WHOLE;
	case HPE_HEADER_OVERFLOW:
		return H1_LONG;
	default:
		return H1_BAD;
	}
}

static inline const char *
h1_parser_method(const struct h1_parser *p)
{
	return http_method_str((enum http_method)p->method);
}

static inline int
h1_parser_keeps_alive(const struct h1_parser *p)
{
	return http_should_keep_alive(p);
}

#endif

#endif
