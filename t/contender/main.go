// contender: an operator written with controller-runtime, as far as a Lease is
// concerned. While it leads it holds a lock on a file: if somebody else has
// that, it says so.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var (
	name     = flag.String("lease", "", "the name of the Lease")
	lock     = flag.String("lock", "", "the file to lock while leading")
	duration = flag.Duration("lease-duration", 15*time.Second, "")
	deadline = flag.Duration("renew-deadline", 10*time.Second, "")
	retry    = flag.Duration("retry-period", 2*time.Second, "")
)

func die(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "contender:", err)
		os.Exit(1)
	}
}

// The manager starts it when it leads, and gives the Lease up when it is over.
func lead(ctx context.Context) error {
	file, err := os.OpenFile(*lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		fmt.Println("two at a time")
	} else {
		fmt.Println("leading")
	}
	<-ctx.Done()
	return nil
}

func main() {
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	die(err)
	m, err := ctrl.NewManager(config, ctrl.Options{
		LeaderElection:                true,
		LeaderElectionID:              *name,
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 duration,
		RenewDeadline:                 deadline,
		RetryPeriod:                   retry,
		Metrics:                       server.Options{BindAddress: "0"},
	})
	die(err)
	die(m.Add(manager.RunnableFunc(lead)))
	die(m.Start(ctrl.SetupSignalHandler()))
}
