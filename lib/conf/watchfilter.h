/*
 * watchfilter: the filters of an entry of watches.yaml: programs that kpipe
 * runs between kwatch and ireconcile. Part of watches.h, and used only there.
 */
#ifndef WATCHFILTER_H
#define WATCHFILTER_H

#include "conf/conf.h"
#include "conf/watches.h"
#include "conf/yaml.h"

/* A list of commands, each a list of words. Whether there is such a program is
 * for the one that runs it. */
int watchfilter_load(
    struct conf *c, const struct yaml *y, struct watch_entry *e);
void watchfilter_release(struct watch_filter *f);

#endif
