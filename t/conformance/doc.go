// Package conformance pins Kubernetes' own end-to-end tests, which `build`
// compiles and `run` plays on kapi or on the control plane of t/cluster.
package conformance

import (
	_ "k8s.io/kubernetes/test/e2e"
)
