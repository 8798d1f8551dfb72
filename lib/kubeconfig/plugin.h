/*
 * plugin: a command that prints something, run beside the loop, bounded in
 * time and size. stderr passes through; without a terminal its stdin is
 * /dev/null, so that it never eats the input of a pipeline.
 */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "process/loop.h"

enum { PLUGIN_OUTPUT_MAX = 1 << 20 };

struct plugin;

struct plugin_run {
	const char *command; /* argv[0]; looked up in PATH if without slash */
	char *const *argv;
	char *const *envp;
	bool interactive; /* stdin is ours */
	uint64_t timeout_ms;
};

/* output is borrowed; err is NULL if the command ended with 0, else a sentence
 * without the command's name, which the caller puts before it. */
typedef void plugin_done_fn(
    void *arg, struct span output, const struct err *err);

/*
 * NULL with err (permanent) if it cannot be started. done is called once, from
 * the loop, and ends the plugin's life; plugin_stop kills it before that.
 */
struct plugin *plugin_start(struct loop *l, const struct plugin_run *run,
    plugin_done_fn *done, void *arg, struct err *err);
void plugin_stop(struct plugin *p);

#endif
