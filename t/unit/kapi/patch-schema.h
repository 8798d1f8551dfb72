/* The parts of the types of Deployment and Service that the patches need. */
#ifndef PATCH_SCHEMA_H
#define PATCH_SCHEMA_H

#include "base/array.h"
#include "type/schema.h"

#define NAME(s)                  \
	{                        \
		s, sizeof(s) - 1 \
	}
#define FIELD(field, type)                                  \
	{                                                   \
		.name = NAME(field), .schema = &type##_type \
	}
#define MERGED(field, type, key)                             \
	{                                                    \
		.name = NAME(field), .schema = &type##_type, \
		.patch_merge = true, .patch_key = NAME(key)  \
	}
#define TYPE(type, go)                                                   \
	static const struct schema type##_type = {.kind = SCHEMA_OBJECT, \
	    .name = NAME("io." go),                                      \
	    .fields = type##_fields,                                     \
	    .field_count = COUNT(type##_fields)}
#define LIST(type, item)                                                     \
	static const struct field type##_element = {.schema = &item##_type}; \
	static const struct schema type##_type = {                           \
	    .kind = SCHEMA_LIST, .element = &type##_element}

static const struct schema text_type = {.kind = SCHEMA_STRING};
static const struct schema integer_type = {.kind = SCHEMA_INTEGER};
static const struct schema any_type = {.kind = SCHEMA_ANY};
static const struct field text_field = {.schema = &text_type};
static const struct schema map_type = {
    .kind = SCHEMA_MAP, .element = &text_field};
LIST(texts, text);

static const struct field env_fields[] = {
    FIELD("name", text), FIELD("value", text)};
TYPE(env, "EnvVar");
LIST(envs, env);

static const struct field port_fields[] = {FIELD("containerPort", integer),
    FIELD("name", text), FIELD("protocol", text)};
TYPE(port, "ContainerPort");
LIST(ports, port);

static const struct field container_fields[] = {FIELD("args", texts),
    MERGED("env", envs, "name"), FIELD("image", text), FIELD("name", text),
    MERGED("ports", ports, "containerPort")};
TYPE(container, "Container");
LIST(containers, container);

static const struct field volume_fields[] = {FIELD("configMap", any),
    FIELD("emptyDir", any), FIELD("name", text), FIELD("secret", any)};
TYPE(volume, "Volume");
LIST(volumes, volume);

static const struct field secret_fields[] = {FIELD("name", text)};
TYPE(secret, "LocalObjectReference");
LIST(secrets, secret);
LIST(tolerations, any);

static const struct field pod_fields[] = {
    MERGED("containers", containers, "name"),
    MERGED("imagePullSecrets", secrets, "name"), FIELD("nodeSelector", map),
    FIELD("tolerations", tolerations),
    {.name = NAME("volumes"),
	.schema = &volumes_type,
	.patch_merge = true,
	.patch_key = NAME("name"),
	.patch_retain_keys = true}};
TYPE(pod, "PodSpec");

static const struct field owner_fields[] = {FIELD("uid", text)};
TYPE(owner, "OwnerReference");
LIST(owners, owner);

static const struct field meta_fields[] = {FIELD("annotations", map),
    {.name = NAME("finalizers"), .schema = &texts_type, .patch_merge = true},
    FIELD("labels", map), MERGED("ownerReferences", owners, "uid")};
TYPE(meta, "ObjectMeta");

static const struct field template_fields[] = {
    FIELD("metadata", meta), FIELD("spec", pod)};
TYPE(template, "PodTemplateSpec");

static const struct field update_fields[] = {
    FIELD("maxSurge", any), FIELD("maxUnavailable", any)};
TYPE(update, "RollingUpdateDeployment");

static const struct field strategy_fields[] = {
    FIELD("rollingUpdate", update), FIELD("type", text)};
TYPE(strategy, "DeploymentStrategy");

static const struct field spec_fields[] = {FIELD("replicas", integer),
    {.name = NAME("strategy"),
	.schema = &strategy_type,
	.patch_retain_keys = true},
    FIELD("template", template)};
TYPE(spec, "DeploymentSpec");

static const struct field deployment_fields[] = {
    FIELD("metadata", meta), FIELD("spec", spec)};
TYPE(deployment, "Deployment");

static const struct field service_port_fields[] = {FIELD("name", text),
    FIELD("port", integer), FIELD("protocol", text), FIELD("targetPort", any)};
TYPE(service_port, "ServicePort");
LIST(service_ports, service_port);

static const struct field service_spec_fields[] = {
    MERGED("ports", service_ports, "port"), FIELD("selector", map)};
TYPE(service_spec, "ServiceSpec");

static const struct field service_fields[] = {
    FIELD("metadata", meta), FIELD("spec", service_spec)};
TYPE(service, "Service");

/* Stands in for schema.c, which uses a binary search. */
const struct field *
schema_field(const struct schema *s, struct span name)
{
	for (size_t i = 0; i < s->field_count; i++)
		if (span_eq(s->fields[i].name, name))
			return &s->fields[i];
	return NULL;
}

#endif
