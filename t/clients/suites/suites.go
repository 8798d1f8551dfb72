// Package suites pins the modules whose tests run on kapi: see packages.
package suites

import (
	_ "github.com/fluxcd/pkg/ssa"
	_ "github.com/onsi/ginkgo/v2"
	_ "github.com/onsi/gomega"
	_ "github.com/ray-project/kuberay/ray-operator/controllers/ray"
	_ "sigs.k8s.io/controller-runtime"
)
