/*
 * fuzz-net: input from servers, users and plugins that is almost right: YAML,
 * kubeconfig files, Status objects, discovery documents.
 *
 *	fuzz-net [SECONDS [SEED]]
 *
 * Nothing reads outside its text or leaks (run it with ASan); YAML that is
 * read becomes JSON; what may be shown of an error is one line of bounded
 * length; every refusal has a message.
 */
// needs t/fuzz/fuzz.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "conf/yaml.h"
#include "fuzz.h"
#include "json/json.h"
#include "kube/kubeerror.h"
#include "kube/resources.h"
#include "kubeconfig/kubeconfig.h"

static void
try_yaml(struct span text)
{
	struct err err = ERR_INIT;
	struct yaml *y = yaml_parse("f", text.p, text.n, &err);
	struct buf b = BUF_INIT;

	if (y == NULL) {
		fuzz_expect(*err.message != '\0', "an error has a message");
		return;
	}
	yaml_to_json(y, &b);
	fuzz_expect(json_check(buf_span(&b), NULL) == 0, "YAML becomes JSON");
	buf_release(&b);
	yaml_tree_free(y);
}

static void
try_kubeconfig(struct span text)
{
	int fd = memfd_create("kubeconfig", 0);
	char path[64];
	struct kube_opts o = {.kubeconfig = path};
	struct err err = ERR_INIT;
	struct kubeconfig *c;

	if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	c = kubeconfig_load(&o, &err);
	close(fd);
	if (c == NULL) {
		fuzz_expect(err.kind == ERR_PERMANENT && *err.message != '\0',
		    "a bad kubeconfig has a message");
		return;
	}
	for (size_t i = 0; i < c->impersonate.count; i++)
		fuzz_expect(strpbrk(c->impersonate.items[i], "\r\n") == NULL,
		    "a header is one line");
	kubeconfig_free(c);
}

static void
try_error(struct span text)
{
	static const char *const kinds[] = {"Secret", "Pod"};
	struct kube_error e;

	kube_error_parse(&e, 422, text);
	for (size_t i = 0; i < 2; i++) {
		struct buf b = BUF_INIT;

		kube_error_public(&b, &e, span_str(kinds[i]));
		fuzz_expect(b.len <= 1024, "a message of bounded length");
		for (size_t k = 0; k < b.len; k++)
			fuzz_expect(
			    (unsigned char)b.data[k] >= ' ', "one line");
		buf_release(&b);
	}
	kube_error_release(&e);
}

static void
try_discovery(struct span text)
{
	struct resource_store store = {0};
	struct resources t = {0};
	struct err err;
	char *spelling = mem_dup(text.p, text.n < 40 ? text.n : 40);

	resources_add_aggregated(&t, &store, text);
	resources_add_list(&t, &store, span_str("g"), span_str("v"), text);
	resources_prefer(&t);
	resources_resolve(&t, spelling, &err);
	resources_resolve(&t, "things.v1.example.com", &err);
	resources_release(&t);
	resource_store_release(&store);
	free(spelling);
}

static const char *const seeds[] = {
    "current-context: x\n"
    "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
    "clusters:\n- name: c\n  cluster: {server: 'https://x', "
    "certificate-authority-data: aGk=}\n"
    "users:\n- name: u\n  user:\n    token: t\n    as: j\n    as-groups: "
    "[a]\n    as-user-extra: {k: [v]}\n    exec:\n      command: ./c\n      "
    "apiVersion: client.authentication.k8s.io/v1\n      interactiveMode: "
    "Never\n      args: [a]\n      env: [{name: A, value: b}, {name: C, value: "
    "d}]\n",
    "a: |\n  text\nb: [0x1f, 1e3, .5, ~, \"q\\n\", 'r', - ]\n? c\n: !!str 5\n",
    "{\"kind\":\"Status\",\"reason\":\"Invalid\",\"message\":\"a\\nb\","
    "\"details\":{\"kind\":\"k\",\"retryAfterSeconds\":3,\"causes\":[{"
    "\"reason\":\"FieldManagerConflict\",\"message\":\"conflict\",\"field\":"
    "\".a\"},{\"reason\":\"X\",\"field\":\"b\\u0000\"}]},\"code\":422}",
    "{\"items\":[{\"metadata\":{\"name\":\"example.com\"},\"versions\":[{"
    "\"version\":\"v1\",\"freshness\":\"Stale\",\"resources\":[{\"resource\":"
    "\"things\",\"responseKind\":{\"kind\":\"Thing\"},\"scope\":"
    "\"Namespaced\",\"verbs\":[\"list\"],\"shortNames\":[\"th\"],"
    "\"subresources\":[{\"subresource\":\"status\"}]}]}]}]}",
    "{\"resources\":[{\"name\":\"a\",\"kind\":\"A\",\"verbs\":[\"watch\"]},{"
    "\"name\":\"a/status\",\"kind\":\"A\"}]}",
    NULL};

static const char *const words[] = {"{", "}", "[", "]", "\"", "'", "\\", ",",
    ": ", "\n", "\n  ", "- ", "|", ">", "&a ", "*a", "!!int ", "---\n", "~",
    "\xff", "\xc3\xa9", "\t", "null", "\\u0000", "\"causes\":[",
    "\"resources\":", NULL};

static void
try(struct span text)
{
	try_yaml(text);
	try_kubeconfig(text);
	try_error(text);
	try_discovery(text);
}

int
main(int argc, char **argv)
{
	return fuzz_texts(argc, argv, seeds, words, try);
}
