// kubectl: a program of its own, which starts in half of the time that the control
// plane's takes.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"

	_ "k8s.io/component-base/logs/json/register"
)

func main() {
	os.Exit(cli.Run(kubectl.NewDefaultKubectlCommand()))
}
