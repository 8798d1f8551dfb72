// An operator's tests by envtest of controller-runtime, in small: it starts a
// control plane from KUBEBUILDER_ASSETS and prints a line for each step, the
// same on every control plane. The first step that fails ends it with 1.
// Standard error gets the time and the memory.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	authentication "k8s.io/api/authentication/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	server "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

func widget(namespace, name string) *unstructured.Unstructured {
	w := &unstructured.Unstructured{}
	w.SetGroupVersionKind(widgetKind)
	w.SetNamespace(namespace)
	w.SetName(name)
	return w
}

// Nothing waits longer.
const patience = 60 * time.Second

func wait(ctx context.Context, what string, done func() (bool, error)) error {
	end := time.Now().Add(patience)
	for {
		ok, err := done()
		if ok && err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s: not within %s: %v", what, patience, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// memory is the sum of the most that each child has had.
func memory() (kib int) {
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, pid := range strings.Fields(string(text)) {
			status, _ := os.ReadFile("/proc/" + pid + "/status")
			for _, line := range strings.Split(string(status), "\n") {
				if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
					n, _ := strconv.Atoi(f[1])
					kib += n
				}
			}
		}
	}
	return kib
}

type reconciler struct{ client.Client }

// Reconcile keeps a ConfigMap for each Widget, and its size in the status.
func (r *reconciler) Reconcile(ctx context.Context, q ctrl.Request) (ctrl.Result, error) {
	w := widget("", "")
	if err := r.Get(ctx, q.NamespacedName, w); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	size, _, _ := unstructured.NestedInt64(w.Object, "spec", "size")
	m := &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Namespace: q.Namespace, Name: q.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, m, func() error {
		m.Data = map[string]string{"size": fmt.Sprint(size)}
		return controllerutil.SetControllerReference(w, m, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := unstructured.SetNestedField(w.Object, size, "status", "size"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Update(ctx, w)
}

type tester struct {
	ctx context.Context
	env *envtest.Environment
	cfg *rest.Config
	c   client.Client
}

func (t *tester) typed() error {
	if err := t.c.Create(t.ctx, &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: "shop"}}); err != nil {
		return err
	}
	m := &core.ConfigMap{
		ObjectMeta: meta.ObjectMeta{Namespace: "shop", Name: "m"},
		Data:       map[string]string{"k": "v"},
	}
	if err := t.c.Create(t.ctx, m); err != nil {
		return err
	}
	stale := m.DeepCopy()
	m.Data["k"] = "w"
	if err := t.c.Update(t.ctx, m); err != nil {
		return err
	}
	stale.Data["k"] = "x"
	if err := t.c.Update(t.ctx, stale); !errors.IsConflict(err) {
		return fmt.Errorf("an update of an old version: %v", err)
	}
	patch := client.MergeFrom(m.DeepCopy())
	m.Labels = map[string]string{"app": "shop"}
	if err := t.c.Patch(t.ctx, m, patch); err != nil {
		return err
	}
	var list core.ConfigMapList
	if err := t.c.List(t.ctx, &list, client.InNamespace("shop"), client.MatchingLabels{"app": "shop"}); err != nil {
		return err
	}
	if len(list.Items) != 1 || list.Items[0].Data["k"] != "w" {
		return fmt.Errorf("unexpected list: %v", list.Items)
	}
	return t.c.Delete(t.ctx, m)
}

func (t *tester) unstructured() error {
	w := widget("shop", "bad")
	_ = unstructured.SetNestedField(w.Object, int64(-1), "spec", "size")
	if err := t.c.Create(t.ctx, w); !errors.IsInvalid(err) {
		return fmt.Errorf("a size of -1: %v", err)
	}
	w = widget("shop", "one")
	_ = unstructured.SetNestedField(w.Object, int64(1), "spec", "size")
	if err := t.c.Create(t.ctx, w); err != nil {
		return err
	}
	_ = unstructured.SetNestedField(w.Object, int64(7), "status", "size")
	if err := t.c.Status().Update(t.ctx, w); err != nil {
		return err
	}
	got := widget("", "")
	if err := t.c.Get(t.ctx, client.ObjectKeyFromObject(w), got); err != nil {
		return err
	}
	if n, _, _ := unstructured.NestedInt64(got.Object, "status", "size"); n != 7 {
		return fmt.Errorf("the status has %d", n)
	}
	return nil
}

func (t *tester) user() error {
	user, err := t.env.AddUser(envtest.User{Name: "joe", Groups: []string{"system:masters", "dev"}}, nil)
	if err != nil {
		return err
	}
	set, err := kubernetes.NewForConfig(user.Config())
	if err != nil {
		return err
	}
	me, err := set.AuthenticationV1().SelfSubjectReviews().Create(t.ctx,
		&authentication.SelfSubjectReview{}, meta.CreateOptions{})
	if err != nil {
		return err
	}
	who := fmt.Sprint(me.Status.UserInfo.Username, me.Status.UserInfo.Groups)
	if who != "joe[dev system:masters system:authenticated]" {
		return fmt.Errorf("the server sees %s", who)
	}
	return nil
}

func (t *tester) stranger() error {
	cfg := rest.AnonymousClientConfig(t.cfg)
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	_, err = c.CoreV1().Secrets("default").List(t.ctx, meta.ListOptions{})
	if !errors.IsUnauthorized(err) && !errors.IsForbidden(err) {
		return fmt.Errorf("a client without certificate: %v", err)
	}
	return nil
}

func (t *tester) manager() error {
	m, err := ctrl.NewManager(t.cfg, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(m).For(widget("", "")).Owns(&core.ConfigMap{}).
		Complete(&reconciler{m.GetClient()})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(t.ctx)
	ended := make(chan error)
	go func() { ended <- m.Start(ctx) }()
	if err := t.follow(m.GetClient()); err != nil {
		stop()
		return err
	}
	stop()
	return <-ended
}

func (t *tester) follow(cached client.Client) error {
	w := widget("shop", "one")
	size := func(n int64) func() (bool, error) {
		return func() (bool, error) {
			var m core.ConfigMap
			if err := t.c.Get(t.ctx, client.ObjectKeyFromObject(w), w); err != nil {
				return false, err
			}
			if err := cached.Get(t.ctx, client.ObjectKeyFromObject(w), &m); err != nil {
				return false, err
			}
			got, _, _ := unstructured.NestedInt64(w.Object, "status", "size")
			return got == n && m.Data["size"] == fmt.Sprint(n), nil
		}
	}
	if err := wait(t.ctx, "the first size", size(1)); err != nil {
		return err
	}
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := t.c.Get(t.ctx, client.ObjectKeyFromObject(w), w); err != nil {
			return err
		}
		_ = unstructured.SetNestedField(w.Object, int64(2), "spec", "size")
		return t.c.Update(t.ctx, w)
	})
	if err != nil {
		return err
	}
	return wait(t.ctx, "the second size", size(2))
}

// There is no kube-controller-manager.
func (t *tester) alone() error {
	var accounts core.ServiceAccountList
	var n core.Namespace
	var m core.ConfigMap
	w := widget("shop", "one")
	if err := t.c.List(t.ctx, &accounts); err != nil {
		return err
	}
	if len(accounts.Items) != 0 {
		return fmt.Errorf("there is a ServiceAccount: %s", accounts.Items[0].Name)
	}
	if err := t.c.Delete(t.ctx, w); err != nil {
		return err
	}
	n.Name = "shop"
	if err := t.c.Delete(t.ctx, &n); err != nil {
		return err
	}
	if err := t.c.Get(t.ctx, client.ObjectKey{Name: "shop"}, &n); err != nil {
		return err
	}
	if n.Status.Phase != core.NamespaceTerminating {
		return fmt.Errorf("the namespace is %s", n.Status.Phase)
	}
	// Controllers of kapi work within milliseconds: they would have had the
	// time that some requests take.
	for range 20 {
		if err := t.c.Get(t.ctx, client.ObjectKeyFromObject(w), &m); err != nil {
			return fmt.Errorf("the owned ConfigMap: %w", err)
		}
	}
	return nil
}

func run() error {
	log.SetLogger(logr.Discard())
	began := time.Now()
	t := &tester{ctx: context.Background(), env: &envtest.Environment{
		CRDDirectoryPaths: os.Args[1:], ErrorIfCRDPathMissing: true}}
	cfg, err := t.env.Start()
	if err != nil {
		return err
	}
	defer func() { _ = t.env.Stop() }()
	ready := time.Since(began)
	t.cfg = cfg
	if t.c, err = client.New(cfg, client.Options{}); err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"typed client", t.typed},
		{"unstructured client, a CRD", t.unstructured},
		{"AddUser", t.user},
		{"no certificate, no access", t.stranger},
		{"a manager and its cache", t.manager},
		{"no controllers", t.alone},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Println(step.name)
	}
	kib := memory()
	if err := t.env.Stop(); err != nil {
		return err
	}
	fmt.Println("stop")
	fmt.Fprintf(os.Stderr, "ready %.2f s, all %.2f s, memory %.0f MB\n",
		ready.Seconds(), time.Since(began).Seconds(), float64(kib)/1000)
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
