// One binary that is etcd, kube-apiserver or kube-controller-manager, by the name
// it is called with: one link step instead of three.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"

	_ "k8s.io/component-base/logs/json/register"
)

func run(name string) int {
	var command *cobra.Command

	switch name {
	case "etcd":
		etcdmain.Main(os.Args)
		return 0
	case "kube-apiserver":
		command = apiserver.NewAPIServerCommand()
	case "kube-controller-manager":
		command = manager.NewControllerManagerCommand()
	default:
		fmt.Fprintf(os.Stderr, "%s: not a name of this program\n", name)
		return 100
	}
	return cli.Run(command)
}

func main() {
	os.Exit(run(filepath.Base(os.Args[0])))
}
