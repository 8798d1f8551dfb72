/* The parts of the types of Deployment and Service that the patches need. */
#ifndef PATCH_SCHEMA_H
#define PATCH_SCHEMA_H

#include "base/array.h"
#include "type/schema.h"

#define NAME(s)                  \
	{                        \
		s, sizeof(s) - 1 \
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
    {.name = NAME("name"), .schema = &text_type},
    {.name = NAME("value"), .schema = &text_type}};
TYPE(env, "EnvVar");
LIST(envs, env);

static const struct field port_fields[] = {
    {.name = NAME("containerPort"), .schema = &integer_type},
    {.name = NAME("name"), .schema = &text_type},
    {.name = NAME("protocol"), .schema = &text_type}};
TYPE(port, "ContainerPort");
LIST(ports, port);

static const struct field container_fields[] = {
    {.name = NAME("args"), .schema = &texts_type},
    {.name = NAME("env"),
	.schema = &envs_type,
	.patch_merge = true,
	.patch_key = NAME("name")},
    {.name = NAME("image"), .schema = &text_type},
    {.name = NAME("name"), .schema = &text_type},
    {.name = NAME("ports"),
	.schema = &ports_type,
	.patch_merge = true,
	.patch_key = NAME("containerPort")}};
TYPE(container, "Container");
LIST(containers, container);

static const struct field volume_fields[] = {
    {.name = NAME("configMap"), .schema = &any_type},
    {.name = NAME("emptyDir"), .schema = &any_type},
    {.name = NAME("name"), .schema = &text_type},
    {.name = NAME("secret"), .schema = &any_type}};
TYPE(volume, "Volume");
LIST(volumes, volume);

static const struct field secret_fields[] = {
    {.name = NAME("name"), .schema = &text_type}};
TYPE(secret, "LocalObjectReference");
LIST(secrets, secret);
LIST(tolerations, any);

static const struct field pod_fields[] = {{.name = NAME("containers"),
					      .schema = &containers_type,
					      .patch_merge = true,
					      .patch_key = NAME("name")},
    {.name = NAME("imagePullSecrets"),
	.schema = &secrets_type,
	.patch_merge = true,
	.patch_key = NAME("name")},
    {.name = NAME("nodeSelector"), .schema = &map_type},
    {.name = NAME("tolerations"), .schema = &tolerations_type},
    {.name = NAME("volumes"),
	.schema = &volumes_type,
	.patch_merge = true,
	.patch_key = NAME("name"),
	.patch_retain_keys = true}};
TYPE(pod, "PodSpec");

static const struct field owner_fields[] = {
    {.name = NAME("uid"), .schema = &text_type}};
TYPE(owner, "OwnerReference");
LIST(owners, owner);

static const struct field meta_fields[] = {
    {.name = NAME("annotations"), .schema = &map_type},
    {.name = NAME("finalizers"), .schema = &texts_type, .patch_merge = true},
    {.name = NAME("labels"), .schema = &map_type},
    {.name = NAME("ownerReferences"),
	.schema = &owners_type,
	.patch_merge = true,
	.patch_key = NAME("uid")}};
TYPE(meta, "ObjectMeta");

static const struct field template_fields[] = {
    {.name = NAME("metadata"), .schema = &meta_type},
    {.name = NAME("spec"), .schema = &pod_type}};
TYPE(template, "PodTemplateSpec");

static const struct field update_fields[] = {
    {.name = NAME("maxSurge"), .schema = &any_type},
    {.name = NAME("maxUnavailable"), .schema = &any_type}};
TYPE(update, "RollingUpdateDeployment");

static const struct field strategy_fields[] = {
    {.name = NAME("rollingUpdate"), .schema = &update_type},
    {.name = NAME("type"), .schema = &text_type}};
TYPE(strategy, "DeploymentStrategy");

static const struct field spec_fields[] = {
    {.name = NAME("replicas"), .schema = &integer_type},
    {.name = NAME("strategy"),
	.schema = &strategy_type,
	.patch_retain_keys = true},
    {.name = NAME("template"), .schema = &template_type}};
TYPE(spec, "DeploymentSpec");

static const struct field deployment_fields[] = {
    {.name = NAME("metadata"), .schema = &meta_type},
    {.name = NAME("spec"), .schema = &spec_type}};
TYPE(deployment, "Deployment");

static const struct field service_port_fields[] = {
    {.name = NAME("name"), .schema = &text_type},
    {.name = NAME("port"), .schema = &integer_type},
    {.name = NAME("protocol"), .schema = &text_type},
    {.name = NAME("targetPort"), .schema = &any_type}};
TYPE(service_port, "ServicePort");
LIST(service_ports, service_port);

static const struct field service_spec_fields[] = {
    {.name = NAME("ports"),
	.schema = &service_ports_type,
	.patch_merge = true,
	.patch_key = NAME("port")},
    {.name = NAME("selector"), .schema = &map_type}};
TYPE(service_spec, "ServiceSpec");

static const struct field service_fields[] = {
    {.name = NAME("metadata"), .schema = &meta_type},
    {.name = NAME("spec"), .schema = &service_spec_type}};
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
