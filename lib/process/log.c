#include "process/log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/quote.h"
#include "process/clock.h"

static const char *const level_names[] = {
    "debug", "info", "warning", "error", "fatal"};

/* The only mutable globals of the library: the tool's name, the format, the
 * level of the log, and whether its text has the time. */
static const char *log_tool = "kpipe";
static enum log_format log_format = LOG_TEXT;
static enum log_level log_least = LOG_INFO;
static bool log_has_time = false;

void
log_init(const char *tool, enum log_format format, enum log_level least)
{
	log_tool = tool;
	log_format = format;
	log_least = least;
}

void
log_times(bool shown)
{
	log_has_time = shown;
}

bool
log_is_on(enum log_level level)
{
	return level >= log_least;
}

static void
add_json_member(struct buf *b, const char *key, const char *value)
{
	if (value == NULL)
		return;
	buf_addf(b, "%s\"%s\":", b->len > 1 ? "," : "", key);
	quote_json(b, span_str(value), QUOTE_HIDDEN);
}

static void
render_json(struct buf *b, enum log_level level, const struct log_about *about,
    const char *message)
{
	char ts[CLOCK_RFC3339_MAX];

	clock_format_us(clock_real_us(), ts);
	buf_addc(b, '{');
	add_json_member(b, "level", level_names[level]);
	add_json_member(b, "ts", ts);
	add_json_member(b, "logger", log_tool);
	add_json_member(b, "msg", message);
	if (about != NULL) {
		add_json_member(b, "controller", about->controller);
		add_json_member(b, "namespace", about->namespace_);
		add_json_member(b, "name", about->name);
		add_json_member(b, "error", about->error);
	}
	buf_addc(b, '}');
}

static void
add_about(struct buf *b, const struct log_about *about)
{
	if (about->controller != NULL) {
		quote_name(b, span_str(about->controller));
		buf_addc(b, about->name != NULL ? ' ' : ':');
	}
	if (about->name != NULL) {
		if (about->namespace_ != NULL && *about->namespace_ != '\0') {
			quote_name(b, span_str(about->namespace_));
			buf_addc(b, '/');
		}
		quote_name(b, span_str(about->name));
		buf_addc(b, ':');
	}
	if (about->controller != NULL || about->name != NULL)
		buf_addc(b, ' ');
}

static void
render_text(struct buf *b, enum log_level level, const struct log_about *about,
    const char *message)
{
	char ts[CLOCK_RFC3339_MAX];

	if (log_has_time) {
		clock_format_us(clock_real_us(), ts);
		buf_addf(b, "%s ", ts);
	}
	buf_addf(b, "%s: ", log_tool);
	if (level != LOG_INFO)
		buf_addf(b, "%s: ", level_names[level]);
	if (about != NULL)
		add_about(b, about);
	quote_text(b, span_str(message));
	if (about != NULL && about->error != NULL) {
		buf_adds(b, ": ");
		quote_text(b, span_str(about->error));
	}
}

/* stderr may be a non-blocking pipe that is shared: wait, never drop. */
static void
write_all(const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(STDERR_FILENO, p, n);

		if (done > 0) {
			p += done;
			n -= (size_t)done;
		} else if (done < 0 && errno == EAGAIN) {
			struct pollfd pfd = {STDERR_FILENO, POLLOUT, 0};

			poll(&pfd, 1, -1);
		} else if (done < 0 && errno != EINTR) {
			return;
		}
	}
}

void
log_write(
    enum log_level level, const struct log_about *about, const char *fmt, ...)
{
	struct buf message = BUF_INIT;
	struct buf line = BUF_INIT;
	va_list ap;

	if (!log_is_on(level))
		return;
	va_start(ap, fmt);
	buf_addv(&message, fmt, ap);
	va_end(ap);
	if (log_format == LOG_JSON)
		render_json(&line, level, about, buf_str(&message));
	else
		render_text(&line, level, about, buf_str(&message));
	buf_addc(&line, '\n');
	write_all(line.data, line.len);
	buf_release(&message);
	buf_release(&line);
}
