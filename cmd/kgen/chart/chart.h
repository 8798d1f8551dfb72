/*
 * chart: the folder of a Helm chart, and the charts in its charts/, as one
 * value for lib/jq/gen/chart/:
 *
 *	{path, chart (Chart.yaml), values, schema (or null),
 *	 templates: [{path, lines, body, defines}], files: {PATH: TEXT},
 *	 crds: [PATH], texts: {TEXT: {body}}, charts: [the same]}
 *
 * Paths are below the chart. templates are parsed (gotemplate.h); texts are
 * the templates in values, as a whole and each action of them alone.
 */
#ifndef CHART_H
#define CHART_H

#include <jv.h>

#include "base/err.h"

/* Owned; invalid with err, which names file and line. */
jv chart_load(const char *path, struct err *err);

#endif
