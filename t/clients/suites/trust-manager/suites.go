// Package suites pins a suite that needs a newer controller-runtime than the
// others: see ../packages.
package suites

import (
	_ "github.com/cert-manager/trust-manager/test/integration/bundle"
)
