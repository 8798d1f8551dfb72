// The Java client of fabric8: what a test or an operator does with it, a line
// for each step, the same on every API server. The first step that fails ends
// it with 1.
//
//	Client KUBECONFIG USER jdk|vertx
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

public class Client {
  static final String NAMESPACE = "java";
  // Nothing waits longer.
  static final int PATIENCE = 60;

  final KubernetesClient client;
  final String user;

  Client(KubernetesClient client, String user) {
    this.client = client;
    this.user = user;
  }

  interface Action {
    void run() throws Exception;
  }

  static void equal(Object want, Object got) {
    if (!want.equals(got)) {
      throw new AssertionError("want " + want + ", got " + got);
    }
  }

  static void refused(int code, String reason, Action action) throws Exception {
    try {
      action.run();
    } catch (KubernetesClientException e) {
      equal(code, e.getCode());
      equal(reason, e.getStatus().getReason());
      return;
    }
    throw new AssertionError("not refused: " + code + " " + reason);
  }

  // The next events, in their order
  static void events(BlockingQueue<String> queue, String... want) throws Exception {
    List<String> got = new ArrayList<>();
    while (got.size() < want.length) {
      String event = queue.poll(PATIENCE, TimeUnit.SECONDS);
      if (event == null) {
        break;
      }
      got.add(event);
    }
    equal(List.of(want), got);
  }

  NonNamespaceOperation<ConfigMap, ?, Resource<ConfigMap>> configMaps() {
    return client.configMaps().inNamespace(NAMESPACE);
  }

  static ConfigMapBuilder configMap(String name) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace(NAMESPACE)
        .endMetadata().addToData("a", "1");
  }

  Resource<ConfigMap> one() {
    return configMaps().withName("one");
  }

  void version() {
    equal("1", client.getKubernetesVersion().getMajor());
  }

  void whoAmI() {
    equal(user, client.resource(new SelfSubjectReview()).create().getStatus().getUserInfo()
        .getUsername());
  }

  void createReadList() throws Exception {
    client.namespaces().resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE)
        .endMetadata().build()).create();
    ConfigMap made = configMaps().resource(configMap("one").editMetadata().addToLabels("app", "x")
        .endMetadata().build()).create();
    equal(made.getMetadata().getUid(), one().get().getMetadata().getUid());
    configMaps().resource(configMap("two").build()).create();
    refused(409, "AlreadyExists",
        () -> configMaps().resource(configMap("one").build()).create());
    List<ConfigMap> items = client.configMaps().inNamespace(NAMESPACE).withLabel("app", "x")
        .list().getItems();
    equal(1, items.size());
    equal(Map.of("a", "1"), items.get(0).getData());
  }

  void replace() throws Exception {
    ConfigMap old = one().get();
    ConfigMap changed = new ConfigMapBuilder(old).withData(Map.of("a", "2")).build();
    equal(Map.of("a", "2"), configMaps().resource(changed).update().getData());
    refused(409, "Conflict", () -> configMaps().resource(changed)
        .lockResourceVersion(old.getMetadata().getResourceVersion()).update());
    equal(Map.of("a", "2", "e", "1"),
        one().edit(m -> new ConfigMapBuilder(m).addToData("e", "1").build()).getData());
  }

  void pages() {
    List<String> names = new ArrayList<>();
    String next = null;
    do {
      var page = client.configMaps().inNamespace(NAMESPACE).list(new ListOptionsBuilder()
          .withLimit(1L).withFieldSelector("metadata.name!=kube-root-ca.crt")
          .withContinue(next).build());
      page.getItems().forEach(m -> names.add(m.getMetadata().getName()));
      next = page.getMetadata().getContinue();
    } while (next != null && !next.isEmpty());
    equal(List.of("one", "two"), names);
  }

  Map<String, String> patched(PatchType type, String patch) {
    return one().patch(PatchContext.of(type), patch).getData();
  }

  void patches() throws Exception {
    equal(Map.of("b", "3"), patched(PatchType.JSON,
        "[{\"op\":\"replace\",\"path\":\"/data\",\"value\":{\"b\":\"3\"}}]"));
    refused(422, "Invalid", () -> patched(PatchType.JSON,
        "[{\"op\":\"test\",\"path\":\"/data/b\",\"value\":\"4\"}]"));
    equal(Map.of("c", "4"),
        patched(PatchType.JSON_MERGE, "{\"data\":{\"b\":null,\"c\":\"4\"}}"));
    equal(Map.of("c", "4", "d", "5"),
        patched(PatchType.STRATEGIC_MERGE, "{\"data\":{\"d\":\"5\"}}"));
    var apply = configMaps().resource(configMap("one").withData(Map.of("d", "6")).build());
    refused(409, "Conflict", () -> apply.fieldManager("me").serverSideApply());
    equal(Map.of("c", "4", "d", "6"),
        apply.fieldManager("me").forceConflicts().serverSideApply().getData());
  }

  void watch() throws Exception {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    var watch = configMaps().withName("w").watch(new Watcher<ConfigMap>() {
      @Override
      public void eventReceived(Action action, ConfigMap m) {
        queue.add(action + " " + m.getMetadata().getName());
      }

      @Override
      public void onClose(WatcherException e) {
        queue.add("error " + e);
      }

      @Override
      public void onClose() {
        queue.add("closed");
      }
    });
    configMaps().resource(configMap("w").build()).create();
    configMaps().resource(configMap("w").withData(Map.of()).build()).update();
    configMaps().withName("w").delete();
    events(queue, "ADDED w", "MODIFIED w", "DELETED w");
    watch.close();
    events(queue, "closed");
  }

  void informer() throws Exception {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    var informer = client.configMaps().inNamespace(NAMESPACE).withLabel("app", "i")
        .inform(new ResourceEventHandler<ConfigMap>() {
          @Override
          public void onAdd(ConfigMap m) {
            queue.add("add " + m.getMetadata().getName());
          }

          @Override
          public void onUpdate(ConfigMap old, ConfigMap m) {
            queue.add("update " + old.getData() + " " + m.getData());
          }

          @Override
          public void onDelete(ConfigMap m, boolean unknown) {
            queue.add("delete " + m.getMetadata().getName());
          }
        });
    try (informer) {
      ConfigMap i = configMap("i").editMetadata().addToLabels("app", "i").endMetadata().build();
      configMaps().resource(i).create();
      events(queue, "add i");
      equal(1, informer.getStore().list().size());
      configMaps().resource(new ConfigMapBuilder(i).withData(Map.of("a", "2")).build()).update();
      events(queue, "update {a=1} {a=2}");
      configMaps().withName("i").delete();
      events(queue, "delete i");
      equal(true, informer.isWatching());
    }
  }

  static final String WIDGETS = """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: widgets.java.example.com}
      spec:
        group: java.example.com
        scope: Namespaced
        names: {plural: widgets, kind: Widget}
        versions:
        - name: v1
          served: true
          storage: true
          subresources:
            status: {}
            scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  properties: {size: {type: integer, minimum: 0, default: 1}}
                status:
                  type: object
                  properties: {size: {type: integer}}
      """;

  void definition() {
    client.load(new ByteArrayInputStream(WIDGETS.getBytes())).create();
    client.apiextensions().v1().customResourceDefinitions().withName("widgets.java.example.com")
        .waitUntilCondition(d -> d != null && d.getStatus() != null
            && d.getStatus().getConditions() != null
            && d.getStatus().getConditions().stream().anyMatch(
                c -> c.getType().equals("Established") && c.getStatus().equals("True")),
            PATIENCE, TimeUnit.SECONDS);
  }

  static GenericKubernetesResource widget(String name, Map<String, Object> spec) {
    return new GenericKubernetesResourceBuilder().withApiVersion("java.example.com/v1")
        .withKind("Widget").withNewMetadata().withName(name).withNamespace(NAMESPACE)
        .endMetadata().addToAdditionalProperties("spec", spec).build();
  }

  void customResources() throws Exception {
    refused(422, "Invalid", () -> client.resource(widget("bad", Map.of("size", -1))).create());
    GenericKubernetesResource w = client.resource(widget("one", Map.of())).create();
    equal(Map.of("size", 1), w.getAdditionalProperties().get("spec"));
    w.setAdditionalProperty("spec", Map.of("size", 2));
    w = client.resource(w).update();
    equal(2L, w.getMetadata().getGeneration());
    w.setAdditionalProperty("status", Map.of("size", 2));
    w = client.resource(w).updateStatus();
    equal(Map.of("size", 2), w.getAdditionalProperties().get("status"));
    w = client.resource(widget("two", Map.of("size", 3))).fieldManager("me").serverSideApply();
    equal("me", w.getMetadata().getManagedFields().get(0).getManager());
    equal(2, client.genericKubernetesResources("java.example.com/v1", "Widget")
        .inNamespace(NAMESPACE).list().getItems().size());
  }

  void scale() {
    client.apps().deployments().inNamespace(NAMESPACE).resource(new DeploymentBuilder()
        .withNewMetadata().withName("d").endMetadata()
        .withNewSpec()
        .withNewSelector().addToMatchLabels("app", "x").endSelector()
        .withNewTemplate().withNewMetadata().addToLabels("app", "x").endMetadata()
        .withNewSpec().addNewContainer().withName("c").withImage("i").endContainer().endSpec()
        .endTemplate().endSpec().build()).create();
    client.apps().deployments().inNamespace(NAMESPACE).withName("d").scale(3);
    equal(3, client.apps().deployments().inNamespace(NAMESPACE).withName("d").get().getSpec()
        .getReplicas());
  }

  void waitFor() {
    // A thread of the client waits by a watch while this one writes.
    var late = CompletableFuture.supplyAsync(() -> configMaps()
        .withName("late").waitUntilCondition(m -> m != null && "2".equals(m.getData().get("a")),
            PATIENCE, TimeUnit.SECONDS));
    configMaps().resource(configMap("late").build()).create();
    configMaps().resource(configMap("late").withData(Map.of("a", "2")).build()).update();
    equal(Map.of("a", "2"), late.join().getData());
  }

  void delete() throws Exception {
    configMaps().withName("two").delete();
    equal(true, configMaps().withName("two").get() == null);
    client.configMaps().inNamespace(NAMESPACE).withLabel("app", "x").delete();
    equal(true, one().get() == null);
    client.load(new ByteArrayInputStream(WIDGETS.getBytes())).delete();
    client.namespaces().withName(NAMESPACE).withTimeout(PATIENCE, TimeUnit.SECONDS).delete();
    equal(true, client.namespaces().withName(NAMESPACE).get() == null);
  }

  static void step(String name, Action action) {
    try {
      action.run();
    } catch (Throwable e) {
      System.err.print(name + ": ");
      e.printStackTrace();
      System.exit(1);
    }
    System.out.println(name);
  }

  void run() {
    step("version", this::version);
    step("who am I", this::whoAmI);
    step("create, read, list", this::createReadList);
    step("replace", this::replace);
    step("pages", this::pages);
    step("patches", this::patches);
    step("watch", this::watch);
    step("informer", this::informer);
    step("a CRD", this::definition);
    step("custom resources", this::customResources);
    step("scale", this::scale);
    step("wait for a condition", this::waitFor);
    step("delete", this::delete);
  }

  // The HTTP client, which has WebSockets of its own
  static HttpClient.Factory factory(String name) {
    return name.equals("jdk") ? new JdkHttpClientFactory() : new VertxHttpClientFactory();
  }

  public static void main(String[] arguments) {
    Config config = Config.fromKubeconfig(new File(arguments[0]));
    config.setConnectionTimeout(PATIENCE * 1000);
    config.setRequestTimeout(PATIENCE * 1000);
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config)
        .withHttpClientFactory(factory(arguments[2])).build()) {
      new Client(client, arguments[1]).run();
    }
    System.exit(0);
  }
}
