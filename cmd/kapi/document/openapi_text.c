/*
 * Part of document/openapi_write.h. The texts of `kubectl explain` for the
 * fields that all objects have. Kubernetes' conformance tests look for the
 * first words of some.
 */
#include "document/openapi_write.h"

#include "base/array.h"

#define META "io.k8s.apimachinery.pkg.apis.meta.v1."

static const struct {
	const char *field, *text;
} texts[] = {
    {"annotations", "Annotations are for tools and people: any text, by key."},
    {"creationTimestamp",
	"CreationTimestamp is a timestamp: when the server took the object."},
    {"deletionGracePeriodSeconds",
	"Seconds that the object may take to end, once it is deleted."},
    {"deletionTimestamp",
	"When the object is to be gone; set by the server when somebody "
	"deletes it."},
    {"finalizers",
	"Who has to do something before the object goes; each removes its "
	"own entry."},
    {"generateName",
	"The server makes a name of this and five letters, where name is "
	"empty."},
    {"generation", "Counts changes of what is wanted of the object."},
    {"labels", "Labels are what selectors look at."},
    {"managedFields", "Who has set which field."},
    {"name", "The name: one in its namespace among its kind. It stays."},
    {"namespace", "Where the object is. Empty for kinds that are in none."},
    {"ownerReferences",
	"Objects that this one belongs to: it goes when they are all gone."},
    {"resourceVersion",
	"Says whether the object has changed; only to be compared and sent "
	"back."},
    {"uid", "Tells this object from others that had or will have its name."},
};

const char *
openapi_text(struct span type, struct span field)
{
	if (!span_is(type, META "ObjectMeta"))
		return NULL;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (span_is(field, texts[i].field))
			return texts[i].text;
	return NULL;
}
