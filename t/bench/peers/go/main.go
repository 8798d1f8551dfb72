// The operator of README.md on controller-runtime, as kubebuilder lays one out:
// a typed kind, a manager with metrics and probes, CreateOrUpdate.
package main

import (
	"context"
	"flag"
	"os"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var (
	workers = flag.Int("workers", 1, "reconciliations at a time")
	chosen  = flag.Bool("select", false,
		"cache only what is labelled app=memcached, without managedFields")
	metrics = flag.String("metrics-bind-address", "127.0.0.1:0", "")
	probes  = flag.String("health-probe-bind-address", "127.0.0.1:0", "")
)

type reconciler struct {
	client.Client
	scheme *runtime.Scheme
}

func (r *reconciler) Reconcile(ctx context.Context,
	req ctrl.Request) (ctrl.Result, error) {
	m := &Memcached{}
	if err := r.Get(ctx, req.NamespacedName, m); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if m.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: m.Namespace, Name: m.Name,
	}}
	_, err := controllerutil.CreateOrUpdate(ctx, r, d, func() error {
		desired(m, d)
		return controllerutil.SetControllerReference(m, d, r.scheme)
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(m.Namespace),
		client.MatchingLabels(labelsOf(m.Name))); err != nil {
		return ctrl.Result{}, err
	}
	nodes := make([]string, 0, len(pods.Items))
	for i := range pods.Items {
		nodes = append(nodes, pods.Items[i].Name)
	}
	slices.Sort(nodes)
	if slices.Equal(nodes, m.Status.Nodes) {
		return ctrl.Result{}, nil
	}
	m.Status.Nodes = nodes
	return ctrl.Result{}, r.Status().Update(ctx, m)
}

// The Memcached of a Pod, by its label.
func ofPod(_ context.Context, pod client.Object) []reconcile.Request {
	name := pod.GetLabels()["memcached_cr"]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{
		Namespace: pod.GetNamespace(), Name: name,
	}}}
}

func cached() cache.Options {
	if !*chosen {
		return cache.Options{}
	}
	app := cache.ByObject{Label: labels.SelectorFromSet(
		labels.Set{"app": "memcached"})}
	return cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&appsv1.Deployment{}: app, &corev1.Pod{}: app,
		},
	}
}

func run() error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := addToScheme(scheme); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	m, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Cache:                  cached(),
		Metrics:                server.Options{BindAddress: *metrics},
		HealthProbeBindAddress: *probes,
	})
	if err != nil {
		return err
	}
	if err := m.AddHealthzCheck("healthz", healthz.Ping); err != nil {
		return err
	}
	if err := m.AddReadyzCheck("readyz", healthz.Ping); err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(m).
		For(&Memcached{}).
		Owns(&appsv1.Deployment{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(ofPod)).
		WithOptions(controller.Options{MaxConcurrentReconciles: *workers}).
		Complete(&reconciler{m.GetClient(), scheme})
	if err != nil {
		return err
	}
	return m.Start(ctrl.SetupSignalHandler())
}

func main() {
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(); err != nil {
		ctrl.Log.Error(err, "the operator ends")
		os.Exit(1)
	}
}
