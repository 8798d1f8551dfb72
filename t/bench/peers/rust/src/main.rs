//! The operator of README.md on kube-rs, as its book writes one: a Controller
//! that owns the Deployments and applies them (server-side), and a reflector
//! of the Pods, of which it keeps the metadata alone.
//!
//! CONCURRENCY=10: reconciliations at a time; without it, no limit.
//! COMPARE=1: keeps the Deployments too, and applies only what differs.

use std::{env, sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};
use kube::{
    Api, Client, CustomResource, Resource, ResourceExt,
    api::{Patch, PatchParams},
    core::PartialObjectMeta,
    runtime::{
        WatchStreamExt,
        controller::{Action, Config, Controller},
        reflector::{self, ObjectRef, Store},
        watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const APP: &str = "app=memcached";
const NAME: &str = "memcached_cr";

#[derive(CustomResource, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "cache.example.com",
    version = "v1alpha1",
    kind = "Memcached",
    status = "MemcachedStatus",
    namespaced
)]
struct MemcachedSpec {
    size: i32,
}

#[derive(Deserialize, Serialize, Clone, Debug, Default, JsonSchema)]
struct MemcachedStatus {
    nodes: Option<Vec<String>>,
}

struct Operator {
    client: Client,
    pods: Store<PartialObjectMeta<Pod>>,
    deployments: Option<Store<Deployment>>,
}

fn desired(m: &Memcached) -> Deployment {
    let labels = json!({"app": "memcached", NAME: m.name_any()});
    serde_json::from_value(json!({
        "metadata": {
            "name": m.name_any(),
            "namespace": m.namespace(),
            "labels": labels,
            "ownerReferences": [m.controller_owner_ref(&())],
        },
        "spec": {
            "replicas": m.spec.size,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{
                    "name": "memcached",
                    "image": "memcached:1.4.36-alpine",
                    "command": ["memcached", "-m=64", "-o", "modern", "-v"],
                    "ports": [{"name": "memcached", "containerPort": 11211}],
                }]},
            },
        },
    }))
    .expect("it is a Deployment")
}

/// Whether the Deployment that is there has all that is wanted.
fn as_wanted(there: &Deployment, wanted: &Deployment) -> bool {
    let read = |d: &Deployment| {
        let spec = d.spec.clone()?;
        let pod = spec.template.spec?;
        let c = pod.containers.into_iter().next()?;
        let port = c.ports?.into_iter().next()?;
        Some((
            d.labels().clone(),
            d.owner_references().to_vec(),
            spec.replicas,
            spec.template.metadata?.labels,
            (c.name, c.image, c.command, port.name, port.container_port),
        ))
    };
    read(there) == read(wanted)
}

async fn reconcile(m: Arc<Memcached>, op: Arc<Operator>) -> Result<Action, kube::Error> {
    let (name, namespace) = (m.name_any(), m.namespace().unwrap_or_default());
    let params = PatchParams::apply("memcached").force();
    if m.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }

    // Before a list is complete, what is there seems not to be.
    let _ = op.pods.wait_until_ready().await;
    if let Some(deployments) = &op.deployments {
        let _ = deployments.wait_until_ready().await;
    }

    let wanted = desired(&m);
    let there = op
        .deployments
        .as_ref()
        .and_then(|d| d.get(&ObjectRef::new(&name).within(&namespace)));
    if !there.is_some_and(|d| as_wanted(&d, &wanted)) {
        Api::<Deployment>::namespaced(op.client.clone(), &namespace)
            .patch(&name, &params, &Patch::Apply(&wanted))
            .await?;
    }

    let mut nodes: Vec<String> = op
        .pods
        .state()
        .iter()
        .filter(|p| p.namespace().as_deref() == Some(&namespace))
        .filter(|p| p.labels().get(NAME) == Some(&name))
        .map(|p| p.name_any())
        .collect();
    nodes.sort();
    let old = m.status.as_ref().and_then(|s| s.nodes.as_deref());
    if nodes != old.unwrap_or_default() {
        let status = json!({
            "apiVersion": Memcached::api_version(&()),
            "kind": Memcached::kind(&()),
            "status": {"nodes": nodes},
        });
        Api::<Memcached>::namespaced(op.client.clone(), &namespace)
            .patch_status(&name, &params, &Patch::Apply(&status))
            .await?;
    }
    Ok(Action::await_change())
}

fn failed(m: Arc<Memcached>, error: &kube::Error, _: Arc<Operator>) -> Action {
    eprintln!("{}: {error}", m.name_any());
    Action::requeue(Duration::from_secs(1))
}

fn of_pod(pod: PartialObjectMeta<Pod>) -> Option<ObjectRef<Memcached>> {
    let name = pod.labels().get(NAME)?;
    Some(ObjectRef::new(name).within(&pod.namespace()?))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let everything = watcher::Config::default;
    let concurrency = env::var("CONCURRENCY").map_or(Ok(0), |n| n.parse())?;

    let (pods, writer) = reflector::store();
    let api = Api::<PartialObjectMeta<Pod>>::all(client.clone());
    let pod_events = watcher(api, everything().labels(APP))
        .default_backoff()
        .reflect(writer)
        .touched_objects();

    let mut controller = Controller::new(Api::<Memcached>::all(client.clone()), everything());
    let mut deployments = None;
    let api = Api::<Deployment>::all(client.clone());
    if env::var_os("COMPARE").is_some() {
        let (store, writer) = reflector::store();
        let events = watcher(api, everything())
            .default_backoff()
            .modify(|d| d.managed_fields_mut().clear())
            .reflect(writer)
            .touched_objects();
        deployments = Some(store);
        controller = controller.owns_stream(events);
    } else {
        controller = controller.owns(api, everything());
    }

    controller
        .watches_stream(pod_events, of_pod)
        .with_config(Config::default().concurrency(concurrency))
        .shutdown_on_signal()
        .run(reconcile, failed, Arc::new(Operator { client, pods, deployments }))
        .for_each(|_| async {})
        .await;
    Ok(())
}
