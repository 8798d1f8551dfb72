package v1

import (
	"slices"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// What controller-gen would generate, in fewer words.

func (in *Lighthouse) DeepCopy() *Lighthouse {
	out := &Lighthouse{TypeMeta: in.TypeMeta}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if in.Spec.Period != nil {
		period := *in.Spec.Period
		out.Spec.Period = &period
	}
	out.Spec.Keepers = slices.Clone(in.Spec.Keepers)
	if in.Status.Conditions != nil {
		out.Status.Conditions = make([]meta.Condition, len(in.Status.Conditions))
		for i := range in.Status.Conditions {
			in.Status.Conditions[i].DeepCopyInto(&out.Status.Conditions[i])
		}
	}
	return out
}

func (in *Lighthouse) DeepCopyObject() runtime.Object {
	return in.DeepCopy()
}

func (in *LighthouseList) DeepCopyObject() runtime.Object {
	out := &LighthouseList{TypeMeta: in.TypeMeta}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopy())
	}
	return out
}
