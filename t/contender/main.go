// contender: the leader election of an operator written in Go, as client-go and
// with it controller-runtime do it. While it leads it holds a lock on a file:
// if somebody else has that, it says so.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
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

// What the Lease guards; closed before that is given up.
var file *os.File

func lead(ctx context.Context) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		fmt.Println("two at a time")
	} else {
		fmt.Println("leading")
	}
	<-ctx.Done()
}

func main() {
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	die(err)
	config.Timeout = *deadline / 2
	leases, err := coordination.NewForConfig(config)
	die(err)
	file, err = os.OpenFile(*lock, os.O_RDWR|os.O_CREATE, 0o600)
	die(err)
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() {
		<-signals
		file.Close()
		cancel()
	}()
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: "default", Name: *name},
			Client:     leases,
			LockConfig: resourcelock.ResourceLockConfig{Identity: fmt.Sprintf("go_%d", os.Getpid())},
		},
		LeaseDuration:   *duration,
		RenewDeadline:   *deadline,
		RetryPeriod:     *retry,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: lead,
			OnStoppedLeading: func() {},
		},
	})
	if ctx.Err() == nil {
		die(fmt.Errorf("lost the lease"))
	}
}
