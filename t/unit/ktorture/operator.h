/*
 * operator: the folder of an operator, for tests.
 */
#ifndef OPERATOR_H
#define OPERATOR_H

#include <string.h>
#include <sys/stat.h>

#include "scene/opfolder.h"
#include "scratch.h"

#define WATCHES                                                           \
	"- {group: example.com, version: v1, kind: Web, program: p.jq,\n" \
	"   dependents: [{apiVersion: apps/v1, kind: Deployment, "        \
	"manage: true},\n"                                                \
	"     {apiVersion: v1, kind: ConfigMap, manage: true}]}\n"

#define CRD                                                             \
	"apiVersion: apiextensions.k8s.io/v1\n"                         \
	"kind: CustomResourceDefinition\n"                              \
	"metadata: {name: webs.example.com}\n"                          \
	"spec:\n"                                                       \
	"  group: example.com\n"                                        \
	"  names: {kind: Web, plural: webs}\n"                          \
	"  scope: Namespaced\n"                                         \
	"  versions:\n"                                                 \
	"  - name: v1\n"                                                \
	"    schema:\n"                                                 \
	"      openAPIV3Schema:\n"                                      \
	"        type: object\n"                                        \
	"        properties:\n"                                         \
	"          spec:\n"                                             \
	"            type: object\n"                                    \
	"            properties:\n"                                     \
	"              size: {type: integer, minimum: 0, maximum: 9}\n" \
	"              mode: {type: string, enum: [fast, slow]}\n"      \
	"              color: {type: string, maxLength: 5}\n"           \
	"              at: {type: string}\n"                            \
	"              open: {type: boolean}\n"

#define EXAMPLE                                    \
	"apiVersion: example.com/v1\n"             \
	"kind: Web\n"                              \
	"metadata: {name: example}\n"              \
	"spec: {size: 3, mode: fast, color: red, " \
	"at: \"2030-01-01T00:00:00Z\"}\n"          \
	"---\n"                                    \
	"apiVersion: v1\n"                         \
	"kind: Secret\n"                           \
	"metadata: {name: key}\n"                  \
	"stringData: {password: abcd}\n"

__attribute__((unused)) static void
operator_make(void)
{
	scratch_make();
	mkdir(in_dir("t"), 0700);
	put_file("watches.yaml", WATCHES);
	put_file("crd.yaml", CRD);
	put_file("example.yaml", EXAMPLE);
	put_file("p.jq", ".");
}

/* Another one may be made afterwards. */
__attribute__((unused)) static void
operator_remove(void)
{
	scratch_remove();
	memcpy(scratch + strlen(scratch) - 6, "XXXXXX", 6);
}

/* The folder; a failure ends the test. */
__attribute__((unused)) static struct opfolder
operator_load(void)
{
	struct err err = ERR_INIT;
	struct opfolder f;

	if (opfolder_load(&f, in_dir("watches.yaml"), "lib/jq", &err) != 0) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
	return f;
}

#endif
