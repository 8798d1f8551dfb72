// An operator with the Java Operator SDK, in small, and the test of it: a line
// for each step, the same on every API server. The first step that fails ends
// it with 1.
//
//	Operator KUBECONFIG
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

public class Operator {
  static final String NAMESPACE = "operator";
  // Nothing waits longer.
  static final int PATIENCE = 60;

  public static class Spec {
    public int size;
  }

  public static class Status {
    public int size;
  }

  @Group("operator.example.com")
  @Version("v1")
  public static class Widget extends CustomResource<Spec, Status> implements Namespaced {
    private static final long serialVersionUID = 1;
  }

  static final String WIDGETS = """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: widgets.operator.example.com}
      spec:
        group: operator.example.com
        scope: Namespaced
        names: {plural: widgets, kind: Widget}
        versions:
        - name: v1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  properties: {size: {type: integer}}
                status:
                  type: object
                  properties: {size: {type: integer}}
      """;

  // Keeps a ConfigMap for each Widget, and its size in the status.
  @ControllerConfiguration
  public static class WidgetReconciler implements Reconciler<Widget>, Cleaner<Widget> {
    volatile boolean cleaned;

    @Override
    public List<EventSource<?, Widget>> prepareEventSources(EventSourceContext<Widget> context) {
      return List.of(new InformerEventSource<>(
          InformerEventSourceConfiguration.from(ConfigMap.class, Widget.class).build(), context));
    }

    @Override
    public UpdateControl<Widget> reconcile(Widget widget, Context<Widget> context) {
      String name = widget.getMetadata().getName();
      Map<String, String> data = Map.of("size", String.valueOf(widget.getSpec().size));
      ConfigMap is = context.getSecondaryResource(ConfigMap.class).orElse(null);
      if (is == null || !data.equals(is.getData())) {
        ConfigMap wanted = new ConfigMapBuilder().withNewMetadata().withName(name)
            .withNamespace(NAMESPACE).endMetadata().withData(data).build();
        wanted.addOwnerReference(widget);
        context.getClient().resource(wanted).forceConflicts().serverSideApply();
      }
      Widget patch = new Widget();
      patch.setMetadata(
          new ObjectMetaBuilder().withName(name).withNamespace(NAMESPACE).build());
      patch.setStatus(new Status());
      patch.getStatus().size = widget.getSpec().size;
      return UpdateControl.patchStatus(patch);
    }

    @Override
    public DeleteControl cleanup(Widget widget, Context<Widget> context) {
      cleaned = true;
      return DeleteControl.defaultDelete();
    }
  }

  static void equal(Object want, Object got) {
    if (!want.equals(got)) {
      throw new AssertionError("want " + want + ", got " + got);
    }
  }

  static <T> T comes(Resource<T> resource, Predicate<T> condition) {
    return resource.waitUntilCondition(condition, PATIENCE, TimeUnit.SECONDS);
  }

  static Predicate<Widget> size(int size) {
    return w -> w != null && w.getStatus() != null && w.getStatus().size == size;
  }

  static void run(KubernetesClient client) {
    client.namespaces().resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE)
        .endMetadata().build()).create();
    client.load(new ByteArrayInputStream(WIDGETS.getBytes())).create();
    comes(client.apiextensions().v1().customResourceDefinitions()
        .withName("widgets.operator.example.com"), d -> d != null && d.getStatus() != null
            && d.getStatus().getConditions() != null
            && d.getStatus().getConditions().stream().anyMatch(
                c -> c.getType().equals("Established") && c.getStatus().equals("True")));
    WidgetReconciler reconciler = new WidgetReconciler();
    var operator = new io.javaoperatorsdk.operator.Operator(
        o -> o.withKubernetesClient(client).withCloseClientOnStop(false));
    operator.register(reconciler);
    operator.start();
    System.out.println("the operator starts");

    Resource<Widget> one = client.resources(Widget.class).inNamespace(NAMESPACE).withName("one");
    Resource<ConfigMap> map = client.configMaps().inNamespace(NAMESPACE).withName("one");
    Widget widget = new Widget();
    widget.setMetadata(new ObjectMetaBuilder().withName("one").withNamespace(NAMESPACE).build());
    widget.setSpec(new Spec());
    widget.getSpec().size = 1;
    client.resource(widget).create();
    Widget w = comes(one, size(1));
    equal(List.of("widgets.operator.example.com/finalizer"), w.getMetadata().getFinalizers());
    equal(Map.of("size", "1"), map.get().getData());
    System.out.println("a new object");

    one.edit(o -> {
      o.getSpec().size = 2;
      return o;
    });
    comes(one, size(2));
    equal(Map.of("size", "2"), map.get().getData());
    System.out.println("a change");

    String uid = map.get().getMetadata().getUid();
    map.delete();
    comes(map, m -> m != null && !m.getMetadata().getUid().equals(uid));
    System.out.println("what is missing comes back");

    one.delete();
    comes(one, o -> o == null);
    comes(map, m -> m == null);
    equal(true, reconciler.cleaned);
    System.out.println("a deletion, with a finalizer");

    operator.stop();
    client.load(new ByteArrayInputStream(WIDGETS.getBytes())).delete();
    client.namespaces().withName(NAMESPACE).delete();
  }

  public static void main(String[] arguments) {
    Config config = Config.fromKubeconfig(new File(arguments[0]));
    config.setConnectionTimeout(PATIENCE * 1000);
    config.setRequestTimeout(PATIENCE * 1000);
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config)
        .withHttpClientFactory(new VertxHttpClientFactory()).build()) {
      run(client);
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
    System.exit(0);
  }
}
