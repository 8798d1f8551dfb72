/*
 * log: one line per message on stderr, as text or as JSON with the keys
 * level, ts, logger, msg, controller, namespace, name, error.
 *
 * Text:  kapply: error: cannot apply ConfigMap ns/x: forbidden
 * A message never holds a secret: callers cut it first (see kube.h).
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_FATAL };
enum log_format { LOG_TEXT, LOG_JSON };

/* The object that a message is about. NULL members are left out. All are
 * borrowed. */
struct log_about {
	const char *controller; /* "iotservice.cp.iot.sap" */
	const char *namespace_;
	const char *name;
	const char *error; /* the cause, if the message is not the cause */
};

/* tool is borrowed for the life of the process (a string constant). */
void log_init(const char *tool, enum log_format format, enum log_level least);

/* Text begins with the time, as in JSON: 2026-01-02T03:04:05.123456Z. */
void log_times(bool shown);

/* Whether lines of that level are written. */
bool log_is_on(enum log_level level);

void log_write(enum log_level level, const struct log_about *about,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#define log_debug(...) log_write(LOG_DEBUG, NULL, __VA_ARGS__)
#define log_info(...) log_write(LOG_INFO, NULL, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, NULL, __VA_ARGS__)
#define log_error(...) log_write(LOG_ERROR, NULL, __VA_ARGS__)
/* Only logs: the caller, in cmd/, exits. */
#define log_fatal(...) log_write(LOG_FATAL, NULL, __VA_ARGS__)

#endif
