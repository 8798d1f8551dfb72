package controller

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "kpipe/t/clients/suites/kubebuilder/api/v1"
)

func period(n int32) *int32 { return &n }

var _ = Describe("Lighthouse Controller", func() {
	Context("When reconciling a resource", func() {
		name := types.NamespacedName{Namespace: "default", Name: "test-resource"}

		BeforeEach(func() {
			By("creating the custom resource for the Kind Lighthouse")
			Expect(k8sClient.Create(ctx, &v1.Lighthouse{
				ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name},
			})).To(Succeed())
		})

		AfterEach(func() {
			resource := &v1.Lighthouse{}
			Expect(k8sClient.Get(ctx, name, resource)).To(Succeed())
			By("Cleanup the specific resource instance Lighthouse")
			Expect(k8sClient.Delete(ctx, resource)).To(Succeed())
			r := &LighthouseReconciler{Client: k8sClient, Scheme: k8sClient.Scheme()}
			_, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: name})
			Expect(err).NotTo(HaveOccurred())
			Expect(errors.IsNotFound(k8sClient.Get(ctx, name, resource))).To(BeTrue())
		})

		It("should successfully reconcile the resource", func() {
			By("Reconciling the created resource")
			r := &LighthouseReconciler{Client: k8sClient, Scheme: k8sClient.Scheme()}
			_, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: name})
			Expect(err).NotTo(HaveOccurred())
			l := &v1.Lighthouse{}
			Expect(k8sClient.Get(ctx, name, l)).To(Succeed())
			Expect(*l.Spec.Period).To(BeEquivalentTo(5), "the default")
			Expect(meta.IsStatusConditionTrue(l.Status.Conditions, "Lit")).To(BeTrue())
			m := &core.ConfigMap{}
			Expect(k8sClient.Get(ctx, name, m)).To(Succeed())
			Expect(metav1.IsControlledBy(m, l)).To(BeTrue())
		})
	})

	It("should refuse what the schema forbids", func() {
		err := k8sClient.Create(ctx, &v1.Lighthouse{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "bad"},
			Spec:       v1.LighthouseSpec{Period: period(0)},
		})
		Expect(errors.IsInvalid(err)).To(BeTrue())
		Expect(err).To(MatchError(ContainSubstring("should be greater than or equal to 1")))
	})

	It("should reconcile in a manager", func() {
		mgr, err := ctrl.NewManager(cfg, ctrl.Options{
			Scheme: scheme.Scheme, Metrics: server.Options{BindAddress: "0"},
		})
		Expect(err).NotTo(HaveOccurred())
		r := &LighthouseReconciler{Client: mgr.GetClient(), Scheme: mgr.GetScheme()}
		Expect(r.SetupWithManager(mgr)).To(Succeed())
		go func() {
			defer GinkgoRecover()
			Expect(mgr.Start(ctx)).To(Succeed())
		}()
		l := &v1.Lighthouse{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "managed"},
			Spec:       v1.LighthouseSpec{Keepers: []string{"ann"}},
		}
		Expect(k8sClient.Create(ctx, l)).To(Succeed())
		keepers := func(g Gomega) string {
			m := &core.ConfigMap{}
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(l), m)).To(Succeed())
			return m.Data["keepers"]
		}
		Eventually(keepers).WithTimeout(time.Minute).Should(Equal("ann"))
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(l), l)).To(Succeed())
			l.Spec.Keepers = []string{"ann", "bob"}
			g.Expect(k8sClient.Update(ctx, l)).To(Succeed())
		}).WithTimeout(time.Minute).Should(Succeed())
		Eventually(keepers).WithTimeout(time.Minute).Should(Equal("ann bob"))
		Expect(k8sClient.Delete(ctx, l)).To(Succeed())
		Eventually(func() bool {
			return errors.IsNotFound(k8sClient.Get(ctx, client.ObjectKeyFromObject(l), l))
		}).WithTimeout(time.Minute).Should(BeTrue())
	})

	It("should let a user do what a role allows", func() {
		user, err := testEnv.AddUser(envtest.User{Name: "joe"}, nil)
		Expect(err).NotTo(HaveOccurred())
		joe, err := client.New(user.Config(), client.Options{Scheme: scheme.Scheme})
		Expect(err).NotTo(HaveOccurred())
		err = joe.List(ctx, &v1.LighthouseList{}, client.InNamespace("default"))
		Expect(errors.IsForbidden(err)).To(BeTrue())
	})
})
