/* Part of kubectl/verbs.h: auth can-i, create token. */
#include <stdio.h>

#include "kube/kubepath.h"
#include "kubectl/verbs.h"
#include "value/duration.h"

static struct node *
post(struct session *s, const char *path, struct node *spec)
{
	struct node *body = tree_object(&s->arena), *answer;
	struct buf text = BUF_INIT;

	tree_put(&s->arena, body, "spec", spec);
	tree_write(&text, body);
	answer = session_ask(s, "POST", path, "json", buf_span(&text));
	buf_release(&text);
	return answer;
}

static void
put(struct session *s, struct node *object, const char *key, struct span text)
{
	tree_put(&s->arena, object, key,
	    tree_string(&s->arena, text.p == NULL ? span_str("") : text));
}

/* RESOURCE[/NAME] */
static int
put_resource(
    struct session *s, struct node *spec, const char *verb, struct span name)
{
	struct target t = {.kind = offers_find(s, span_cut(&name, '/'))};
	struct node *asked = tree_make(&s->arena, spec, "resourceAttributes");

	if (t.kind == NULL)
		return -1;
	put(s, asked, "verb", span_str(verb));
	put(s, asked, "group", t.kind->group);
	put(s, asked, "resource", t.kind->plural);
	put(s, asked, "name", name);
	put(s, asked, "subresource",
	    span_str(session_option(s, "--subresource")));
	put(s, asked, "namespace", target_namespace(s, &t));
	return 0;
}

/* can-i VERB RESOURCE[/NAME] or PATH */
int
verb_auth(struct session *s, struct words args)
{
	struct node *spec = tree_object(&s->arena), *asked, *answer;
	bool allowed;

	if (args.count != 3 || strcmp(args.items[0], "can-i") != 0)
		flags_not_here("auth %s", args.count == 0 ? "" : args.items[0]);
	if (args.items[2][0] == '/') {
		asked = tree_make(&s->arena, spec, "nonResourceAttributes");
		put(s, asked, "verb", span_str(args.items[1]));
		put(s, asked, "path", span_str(args.items[2]));
	} else if (put_resource(
		       s, spec, args.items[1], span_str(args.items[2])) != 0) {
		return -1;
	}
	answer = post(
	    s, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", spec);
	if (answer == NULL)
		return -1;
	allowed = tree_true(tree_path(answer, "status.allowed"));
	printf("%s\n", allowed ? "yes" : "no");
	return allowed ? 0 : 1;
}

static int
put_duration(struct session *s, struct node *spec)
{
	const char *text = session_option(s, "--duration");
	uint64_t ms;

	if (text == NULL)
		return 0;
	if (duration_parse_ms(span_str(text), &ms) != 0)
		return session_refuse(
		    s, "error: --duration=%s: not a duration", text);
	tree_put(&s->arena, spec, "expirationSeconds",
	    tree_int(&s->arena, (int64_t)(ms / 1000)));
	return 0;
}

static void
put_audiences(struct session *s, struct node *spec)
{
	struct textlist list = {NULL, 0};
	struct node *all = tree_array(&s->arena);

	flags_list(&s->flags, "--audience", &list);
	for (size_t i = 0; i < list.count; i++)
		tree_append(&s->arena, all,
		    tree_string(&s->arena,
			arena_span(&s->arena, span_str(list.items[i]))));
	textlist_release(&list);
	if (all->n > 0)
		tree_put(&s->arena, spec, "audiences", all);
}

int
verb_create_token(struct session *s, const char *account)
{
	struct node *spec = tree_object(&s->arena), *answer;
	struct buf path = BUF_INIT;

	if (put_duration(s, spec) != 0)
		return -1;
	put_audiences(s, spec);
	buf_adds(&path, "/api/v1/namespaces");
	kube_path_add(&path, s->namespace_);
	kube_path_add(&path, span_str("serviceaccounts"));
	kube_path_add(&path, span_str(account));
	kube_path_add(&path, span_str("token"));
	answer = post(s, buf_str(&path), spec);
	buf_release(&path);
	if (answer == NULL)
		return -1;
	printf("%.*s\n", SPAN_ARG(tree_path_text(answer, "status.token")));
	return 0;
}
