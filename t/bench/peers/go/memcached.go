package main

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const image = "memcached:1.4.36-alpine"

var groupVersion = schema.GroupVersion{
	Group: "cache.example.com", Version: "v1alpha1",
}

type MemcachedSpec struct {
	Size int32 `json:"size"`
}

type MemcachedStatus struct {
	Nodes []string `json:"nodes,omitempty"`
}

type Memcached struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              MemcachedSpec   `json:"spec"`
	Status            MemcachedStatus `json:"status,omitempty"`
}

type MemcachedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Memcached `json:"items"`
}

// What controller-gen generates in an operator of kubebuilder.

func (m *Memcached) DeepCopyObject() runtime.Object {
	c := *m
	m.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	c.Status.Nodes = append([]string(nil), m.Status.Nodes...)
	return &c
}

func (l *MemcachedList) DeepCopyObject() runtime.Object {
	c := *l
	l.ListMeta.DeepCopyInto(&c.ListMeta)
	c.Items = make([]Memcached, len(l.Items))
	for i := range l.Items {
		c.Items[i] = *l.Items[i].DeepCopyObject().(*Memcached)
	}
	return &c
}

func addToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(groupVersion, &Memcached{}, &MemcachedList{})
	metav1.AddToGroupVersion(s, groupVersion)
	return nil
}

func labelsOf(name string) map[string]string {
	return map[string]string{"app": "memcached", "memcached_cr": name}
}

// desired sets in d what the Memcached decides; the rest is the API server's.
func desired(m *Memcached, d *appsv1.Deployment) {
	labels := labelsOf(m.Name)
	if d.Labels == nil {
		d.Labels = map[string]string{}
	}
	for k, v := range labels {
		d.Labels[k] = v
	}
	d.Spec.Replicas = &m.Spec.Size
	if d.CreationTimestamp.IsZero() { // immutable
		d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	}
	d.Spec.Template.Labels = labels
	if len(d.Spec.Template.Spec.Containers) != 1 {
		d.Spec.Template.Spec.Containers = make([]corev1.Container, 1)
	}
	c := &d.Spec.Template.Spec.Containers[0]
	c.Name = "memcached"
	c.Image = image
	c.Command = []string{"memcached", "-m=64", "-o", "modern", "-v"}
	if len(c.Ports) != 1 {
		c.Ports = make([]corev1.ContainerPort, 1)
	}
	c.Ports[0].Name = "memcached"
	c.Ports[0].ContainerPort = 11211
}
