#include "kube/denials.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "value/objref.h"

enum { TEXT_MAX = 450 }; /* reportfd takes 500 */

/* A sentence about a kind, for any number of objects. */
struct denial {
	struct denial *next;
	char *kind;	/* owned: Deployment.apps */
	char *sentence; /* owned */
	size_t count;
};

void
denials_init(struct denials *d, struct reportfd *report)
{
	*d = (struct denials){.report = report};
}

static void
denial_free(struct denial *n)
{
	free(n->kind);
	free(n->sentence);
	free(n);
}

void
denials_release(struct denials *d)
{
	struct denial *n;

	while ((n = d->first) != NULL) {
		d->first = n->next;
		denial_free(n);
	}
}

/* The oldest sentences about the kind, as many as fit; the first in any case. */
static void
tell(const struct denials *d, const char *kind)
{
	struct buf b = BUF_INIT;

	for (const struct denial *n = d->first; n != NULL; n = n->next) {
		if (strcmp(n->kind, kind) != 0)
			continue;
		if (b.len > 0 && b.len + strlen(n->sentence) > TEXT_MAX) {
			buf_adds(&b, "; and more");
			break;
		}
		buf_adds(&b, b.len > 0 ? "; " : "");
		buf_adds(&b, n->sentence);
	}
	reportfd_unready(d->report, kind, b.len > 0 ? buf_str(&b) : NULL);
	buf_release(&b);
}

void
denials_enter(struct denials *d, struct denial **at, struct span group,
    struct span kind, const struct kube_error *e)
{
	struct buf name = BUF_INIT, sentence = BUF_INIT;
	struct denial **n = &d->first, *entered;
	bool new;

	objref_add_kind(&name, kind, group);
	kube_error_denial(&sentence, e);
	while (*n != NULL &&
	    (strcmp((*n)->kind, buf_str(&name)) != 0 ||
		strcmp((*n)->sentence, buf_str(&sentence)) != 0))
		n = &(*n)->next;
	entered = *n;
	new = entered == NULL;
	if (new) {
		entered = *n = mem_zalloc(sizeof(*entered));
		entered->kind = buf_take(&name);
		entered->sentence = buf_take(&sentence);
	}
	buf_release(&name);
	buf_release(&sentence);
	entered->count++; /* before denials_leave: both may be the same */
	denials_leave(d, at);
	*at = entered;
	if (new)
		tell(d, entered->kind);
}

void
denials_leave(struct denials *d, struct denial **at)
{
	struct denial *n = *at, **from = &d->first;

	*at = NULL;
	if (n == NULL || --n->count > 0)
		return;
	while (*from != n)
		from = &(*from)->next;
	*from = n->next;
	tell(d, n->kind);
	denial_free(n);
}
