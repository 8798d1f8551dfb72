/* Part of kinds/kinds.h: the steps of built-in kinds, of definitions and of
 * custom resources. */
#include "builtin/builtin.h"
#include "crd/crd.h"
#include "kinds/kinds.h"
#include "write/convert.h"
#include "write/write.h"

static void
warn_of_nothing(
    const struct change_of *x, const struct node *object, struct warnings *w)
{
	(void)x, (void)object, (void)w;
}

static struct problem *
admit_all(const struct change_of *x, const struct node *object)
{
	(void)x, (void)object;
	return NULL;
}

const struct steps kinds_builtin_steps = {
    .strategic = true,
    .refuse_create = NULL,
    .check_type = write_check_builtin_type,
    .decode = builtin_decode,
    .prepare = builtin_prepare,
    .validate = builtin_validate,
    .warn = warn_of_nothing,
    .admit = builtin_admit,
    .encode = builtin_encode,
    .keep = convert_builtin_keep,
    .read = convert_builtin_read,
};

/* ---- definitions: decoded and kept as any built-in kind ---- */

static void
definition_prepare(const struct change_of *x, struct node *object)
{
	crd_definition_prepare(x->arena, x->subresource, x->live, object);
}

static void
definition_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	crd_definition_validate(c, x->subresource, x->live, object);
}

static void
definition_warn(
    const struct change_of *x, const struct node *object, struct warnings *w)
{
	crd_definition_warn(x->arena, x->live, object, w);
}

const struct steps kinds_definition_steps = {
    .strategic = true,
    .refuse_create = NULL,
    .check_type = write_check_builtin_type,
    .decode = builtin_decode,
    .prepare = definition_prepare,
    .validate = definition_validate,
    .warn = definition_warn,
    .admit = admit_all,
    .encode = builtin_encode,
    .keep = convert_builtin_keep,
    .read = convert_builtin_read,
};

/* ---- custom resources ---- */

static struct problem *
custom_decode(struct arena *a, const struct resource *r, struct node *object,
    struct warnings *unknown, bool strategic)
{
	(void)strategic; /* there is no such patch of them */
	return crd_decode(a, r, object, unknown);
}

static void
custom_prepare(const struct change_of *x, struct node *object)
{
	crd_prepare(x->arena, x->resource, x->subresource, x->live, object);
}

static void
custom_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	crd_validate(c, x->resource, x->subresource, x->live, object);
}

static void
custom_warn(
    const struct change_of *x, const struct node *object, struct warnings *w)
{
	crd_warn(x->resource, x->live, object, w);
}

static void
custom_encode(struct arena *a, const struct resource *r, struct node *object)
{
	(void)a, (void)r, (void)object;
}

static void
custom_keep(struct arena *a, const struct registry *g, struct resource *r,
    struct node *object)
{
	(void)g;
	crd_keep(a, crd_storage(r), object);
}

const struct steps kinds_custom_steps = {
    .refuse_create = crd_refuses_create,
    .check_type = write_check_custom_type,
    .decode = custom_decode,
    .prepare = custom_prepare,
    .validate = custom_validate,
    .warn = custom_warn,
    .admit = admit_all,
    .encode = custom_encode,
    .keep = custom_keep,
    .read = crd_read,
};
