package v1

import (
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LighthouseSpec says what is wanted.
type LighthouseSpec struct {
	// Seconds between two flashes
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:default=5
	// +optional
	Period *int32 `json:"period,omitempty"`

	// Who keeps it
	// +optional
	Keepers []string `json:"keepers,omitempty"`
}

// LighthouseStatus says what there is.
type LighthouseStatus struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []meta.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// Lighthouse is one at the coast.
type Lighthouse struct {
	meta.TypeMeta `json:",inline"`
	// +optional
	meta.ObjectMeta `json:"metadata,omitzero"`
	// +required
	Spec LighthouseSpec `json:"spec"`
	// +optional
	Status LighthouseStatus `json:"status,omitzero"`
}

// +kubebuilder:object:root=true

// LighthouseList is a list of them.
type LighthouseList struct {
	meta.TypeMeta `json:",inline"`
	meta.ListMeta `json:"metadata,omitzero"`
	Items         []Lighthouse `json:"items"`
}

func init() {
	SchemeBuilder.Register(&Lighthouse{}, &LighthouseList{})
}
