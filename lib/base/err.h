/*
 * err: an error, as a finished sentence and a kind.
 *
 * A function that can fail returns 0 or -1 (or an object or NULL) and fills
 * the caller's struct err. Retry logic switches on the kind, never on text.
 * Nothing in lib/ prints or exits.
 */
#ifndef ERR_H
#define ERR_H

enum err_kind {
	ERR_NONE = 0,
	ERR_PERMANENT, /* will fail again unchanged; EXIT_PERMANENT */
	ERR_TRANSIENT, /* worth another try later; EXIT_TRANSIENT */
	ERR_CONFLICT,  /* re-read, then try again */
	ERR_GONE,      /* the object or the version is no longer there */
	ERR_BUG	       /* cannot happen; EXIT_BUG */
};

/* Exit codes, besides 0 and, where a tool's manual says so, 1. */
enum {
	EXIT_PERMANENT = 100, /* wrong use, or it would fail again */
	EXIT_BUG = 101,
	EXIT_TRANSIENT = 111 /* worth another start */
};

enum { ERR_MESSAGE_MAX = 1024 }; /* longer messages end in "..." */

struct err {
	enum err_kind kind;
	char message[ERR_MESSAGE_MAX];
};

#define ERR_INIT             \
	{                    \
		ERR_NONE, "" \
	}

/* Always returns -1, for "return err_set(...)". e may be NULL. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts "PREFIX: " before the message, keeps the kind. Returns -1. */
int err_prefix(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The exit code of a tool for this kind. */
int err_exit_code(const struct err *e);

#endif
