#include "kube/denials.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "value/objref.h"

enum { TEXT_MAX = 450 }; /* reportfd takes 500 */

/* One sentence for any number of objects. */
struct denial {
	struct denial *next;
	struct denied_kind *kind; /* borrowed */
	char *sentence;		  /* owned */
	size_t count;
};

struct denied_kind {
	struct denied_kind *next;
	char *name;	      /* owned: Deployment.apps */
	struct denial *first; /* owned: the oldest */
};

void
denials_init(struct denials *d, struct reportfd *report)
{
	*d = (struct denials){.report = report};
}

static void
denial_free(struct denial *n)
{
	free(n->sentence);
	free(n);
}

static void
kind_free(struct denied_kind *k)
{
	struct denial *n;

	while ((n = k->first) != NULL) {
		k->first = n->next;
		denial_free(n);
	}
	free(k->name);
	free(k);
}

void
denials_release(struct denials *d)
{
	struct denied_kind *k;

	while ((k = d->kinds) != NULL) {
		d->kinds = k->next;
		kind_free(k);
	}
}

/* The oldest sentences, as many as fit; the first in any case. */
static void
tell(const struct denials *d, const struct denied_kind *k)
{
	struct buf b = BUF_INIT;

	for (const struct denial *n = k->first; n != NULL; n = n->next) {
		if (b.len > 0 && b.len + strlen(n->sentence) > TEXT_MAX) {
			buf_adds(&b, "; and more");
			break;
		}
		buf_adds(&b, b.len > 0 ? "; " : "");
		buf_adds(&b, n->sentence);
	}
	reportfd_unready(d->report, k->name, b.len > 0 ? buf_str(&b) : NULL);
	buf_release(&b);
}

static struct denied_kind *
kind_of(struct denials *d, struct span group, struct span kind)
{
	struct denied_kind *k = d->kinds;
	struct buf name = BUF_INIT;

	objref_add_kind(&name, kind, group);
	while (k != NULL && !span_is(buf_span(&name), k->name))
		k = k->next;
	if (k == NULL) {
		k = mem_zalloc(sizeof(*k));
		k->name = mem_strdup(buf_str(&name));
		k->next = d->kinds;
		d->kinds = k;
	}
	buf_release(&name);
	return k;
}

/* Takes the sentence. */
static struct denial *
denial_of(struct denied_kind *k, char *sentence, bool *new)
{
	struct denial **at = &k->first;

	while (*at != NULL && strcmp((*at)->sentence, sentence) != 0)
		at = &(*at)->next;
	*new = *at == NULL;
	if (*at != NULL) {
		free(sentence);
		return *at;
	}
	*at = mem_zalloc(sizeof(**at));
	(*at)->kind = k;
	(*at)->sentence = sentence;
	return *at;
}

void
denials_enter(struct denials *d, struct denial **at, struct span group,
    struct span kind, const struct kube_error *e)
{
	struct denied_kind *k = kind_of(d, group, kind);
	struct buf sentence = BUF_INIT;
	struct denial *n;
	bool new;

	kube_error_denial(&sentence, e);
	n = denial_of(k, buf_take(&sentence), &new);
	n->count++; /* before the other is left: it may be the same */
	denials_leave(d, at);
	*at = n;
	if (new)
		tell(d, k);
}

static void
unlink_kind(struct denials *d, struct denied_kind *k)
{
	struct denied_kind **at = &d->kinds;

	while (*at != k)
		at = &(*at)->next;
	*at = k->next;
	kind_free(k);
}

void
denials_leave(struct denials *d, struct denial **at)
{
	struct denial *n = *at, **from;
	struct denied_kind *k;

	*at = NULL;
	if (n == NULL || --n->count > 0)
		return;
	k = n->kind;
	for (from = &k->first; *from != n;)
		from = &(*from)->next;
	*from = n->next;
	denial_free(n);
	tell(d, k);
	if (k->first == NULL)
		unlink_kind(d, k);
}
