// Package controller has the reconciler of Lighthouses.
package controller

import (
	"context"
	"fmt"
	"strings"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "kpipe/t/clients/suites/kubebuilder/api/v1"
)

const finalizer = "harbour.example.com/lamp"

// LighthouseReconciler keeps a ConfigMap for each Lighthouse.
type LighthouseReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

// +kubebuilder:rbac:groups=harbour.example.com,resources=lighthouses,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=harbour.example.com,resources=lighthouses/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=harbour.example.com,resources=lighthouses/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;update;patch;delete

func (r *LighthouseReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	l := &v1.Lighthouse{}
	if err := r.Get(ctx, req.NamespacedName, l); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !l.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(l, finalizer) {
			return ctrl.Result{}, r.Update(ctx, l)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(l, finalizer) {
		if err := r.Update(ctx, l); err != nil {
			return ctrl.Result{}, err
		}
	}
	m := &core.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: l.Namespace, Name: l.Name}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, m, func() error {
		m.Data = map[string]string{
			"period":  fmt.Sprint(*l.Spec.Period),
			"keepers": strings.Join(l.Spec.Keepers, " "),
		}
		return controllerutil.SetControllerReference(l, m, r.Scheme)
	}); err != nil {
		return ctrl.Result{}, err
	}
	before := l.DeepCopy()
	meta.SetStatusCondition(&l.Status.Conditions, metav1.Condition{
		Type: "Lit", Status: metav1.ConditionTrue, Reason: "Configured",
		ObservedGeneration: l.Generation,
	})
	return ctrl.Result{}, r.Status().Patch(ctx, l, client.MergeFrom(before))
}

// SetupWithManager registers the reconciler.
func (r *LighthouseReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Lighthouse{}).Owns(&core.ConfigMap{}).
		Named("lighthouse").Complete(r)
}
