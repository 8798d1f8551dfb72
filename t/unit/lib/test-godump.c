#include "value/godump.h"

#include "base/array.h"
#include "tap.h"

TEST(godump)
{
	static const struct {
		const char *text, *want;
	} t[] = {
	    {"Job.batch \"j\" is invalid: spec.template: Invalid value: "
	     "core.PodTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:\"}\\\"{\", "
	     "Labels:map[string]string{\"a\":\"b\"}}, "
	     "Spec:core.PodSpec{Volumes:"
	     "[]core.Volume(nil)}}: field is immutable",
		"Job.batch \"j\" is invalid: spec.template: Invalid value: "
		"core.PodTemplateSpec{...}: field is immutable"},
	    {"Invalid value: rbac.RoleRef{Name:`}`}: cannot change roleRef, "
	     "and "
	     "&v1.LabelSelector{MatchLabels:map[string]string{}}: no",
		"Invalid value: rbac.RoleRef{...}: cannot change roleRef, and "
		"&v1.LabelSelector{...}: no"},
	    {"Invalid value: {\"matchLabels\":{\"app\":\"two\"}}: no",
		"Invalid value: {\"matchLabels\":{\"app\":\"two\"}}: no"},
	    {"cut: core.Pod{Spec:core.PodSpec{",
		"cut: core.Pod{Spec:core.PodSpec{"},
	    {"must match a{3}, a.b{3} or x.Y",
		"must match a{3}, a.b{3} or x.Y"},
	    {"Invalid value: {\"labels\":{\"a\":\"}\\\"{\",\"a-long-name\":"
	     "\"01234567890123456789012345678901234567890123456789\"},"
	     "\"Spec\":{\"Volumes\":null}}: field is immutable",
		"Invalid value: {...}: field is immutable"},
	    {"", ""},
	};

	for (size_t i = 0; i < COUNT(t); i++) {
		struct buf b = BUF_INIT;

		godump_shorten(&b, span_str(t[i].text));
		is(buf_str(&b), t[i].want, t[i].want);
		buf_release(&b);
	}
}
