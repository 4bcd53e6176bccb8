"""Uses a cluster through the official Python client, as KUBECONFIG says, and reports each check in a line of its own."""

from checks import check, equal, make_all
from kubernetes import client, dynamic, watch
from kubernetes.client.rest import ApiException

NAMESPACE = "default"


def settings(name, data=None, labels=None):
    metadata = client.V1ObjectMeta(name=name, labels=labels)
    return client.V1ConfigMap(metadata=metadata, data=data or {})


def deployment(name):
    labels = {"app": name}
    container = client.V1Container(name="main", image="web:1")
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container])
    )
    selector = client.V1LabelSelector(match_labels=labels)
    spec = client.V1DeploymentSpec(replicas=2, selector=selector, template=template)
    return client.V1Deployment(metadata=client.V1ObjectMeta(name=name), spec=spec)


def refused(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except ApiException as refusal:
        return refusal.status
    raise AssertionError("it was not refused")


@check
def creates_reads_lists_replaces_and_deletes():
    core = client.CoreV1Api()
    created = core.create_namespaced_config_map(NAMESPACE, settings("first", {"a": "1"}))
    assert created.metadata.uid and created.metadata.creation_timestamp.year > 2000
    read = core.read_namespaced_config_map("first", NAMESPACE)
    equal(read, created)
    read.data = {"a": "2"}
    equal(core.replace_namespaced_config_map("first", NAMESPACE, read).data, {"a": "2"})
    assert "first" in [item.metadata.name for item in core.list_namespaced_config_map(NAMESPACE).items]
    equal(core.delete_namespaced_config_map("first", NAMESPACE).status, "Success")
    equal(refused(core.read_namespaced_config_map, "first", NAMESPACE), 404)


@check
def chooses_by_labels_and_fields_and_reads_in_parts():
    core = client.CoreV1Api()
    for number in (1, 2, 3):
        core.create_namespaced_config_map(NAMESPACE, settings(f"part-{number}", labels={"set": "parts"}))
    by_field = core.list_namespaced_config_map(NAMESPACE, field_selector="metadata.name=part-2")
    equal([item.metadata.name for item in by_field.items], ["part-2"])
    first = core.list_config_map_for_all_namespaces(label_selector="set=parts", limit=2)
    equal(len(first.items), 2)
    rest = core.list_config_map_for_all_namespaces(
        label_selector="set=parts", limit=2, _continue=first.metadata._continue
    )
    equal([item.metadata.name for item in rest.items], ["part-3"])
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="set")
    equal(core.list_namespaced_config_map(NAMESPACE, label_selector="set").items, [])


@check
def patches_in_two_ways():
    apps = client.AppsV1Api()
    created = apps.create_namespaced_deployment(NAMESPACE, deployment("patched"))
    equal(created.spec.strategy.rolling_update.max_surge, "25%")
    container = {"name": "sidecar", "image": "proxy:1"}
    body = {"spec": {"replicas": 3, "template": {"spec": {"containers": [container]}}}}
    patched = apps.patch_namespaced_deployment("patched", NAMESPACE, body)
    equal(patched.spec.replicas, 3)
    equal(sorted(each.name for each in patched.spec.template.spec.containers), ["main", "sidecar"])
    operations = [{"op": "replace", "path": "/spec/replicas", "value": 1}]
    equal(apps.patch_namespaced_deployment("patched", NAMESPACE, operations).spec.replicas, 1)


@check
def scales_and_writes_status():
    apps = client.AppsV1Api()
    apps.create_namespaced_deployment(NAMESPACE, deployment("scaled"))
    scale = apps.read_namespaced_deployment_scale("scaled", NAMESPACE)
    equal(scale.status.selector, "app=scaled")
    scale.spec.replicas = 4
    apps.replace_namespaced_deployment_scale("scaled", NAMESPACE, scale)
    apps.patch_namespaced_deployment_scale("scaled", NAMESPACE, {"spec": {"replicas": 5}})
    equal(apps.read_namespaced_deployment("scaled", NAMESPACE).spec.replicas, 5)
    status = {"status": {"conditions": [{"type": "Available", "status": "True"}]}}
    written = apps.patch_namespaced_deployment_status("scaled", NAMESPACE, status)
    equal([condition.type for condition in written.status.conditions], ["Available"])
    equal(apps.read_namespaced_deployment_status("scaled", NAMESPACE).status, written.status)


@check
def runs_daemon_sets_jobs_and_pods():
    labels = {"app": "agent"}
    spec = client.V1PodSpec(containers=[client.V1Container(name="main", image="agent:1")])
    template = client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels=labels), spec=spec)
    selector = client.V1LabelSelector(match_labels=labels)
    daemon_set = client.V1DaemonSet(
        metadata=client.V1ObjectMeta(name="agent"), spec=client.V1DaemonSetSpec(selector=selector, template=template)
    )
    created = client.AppsV1Api().create_namespaced_daemon_set(NAMESPACE, daemon_set)
    equal(created.spec.update_strategy.type, "RollingUpdate")
    equal(created.status.number_ready, 0)
    once = client.V1PodSpec(restart_policy="Never", containers=spec.containers)
    job = client.V1Job(
        metadata=client.V1ObjectMeta(generate_name="task-"),
        spec=client.V1JobSpec(template=client.V1PodTemplateSpec(spec=once)),
    )
    made = client.BatchV1Api().create_namespaced_job(NAMESPACE, job)
    assert made.metadata.name.startswith("task-")
    equal(made.spec.selector.match_labels, {"controller-uid": made.metadata.uid})
    core = client.CoreV1Api()
    pod = client.V1Pod(metadata=client.V1ObjectMeta(name="pod", labels=labels), spec=spec)
    equal(core.create_namespaced_pod(NAMESPACE, pod).status.phase, "Pending")
    gone = core.delete_namespaced_pod("pod", NAMESPACE, grace_period_seconds=0)
    equal(gone.metadata.name, "pod")


@check
def tells_refusals_apart():
    core = client.CoreV1Api()
    core.create_namespaced_config_map(NAMESPACE, settings("refused"))
    equal(refused(core.create_namespaced_config_map, NAMESPACE, settings("refused")), 409)
    equal(refused(core.create_namespaced_config_map, NAMESPACE, settings("Not_A_Name")), 422)
    stale = settings("refused")
    stale.metadata.resource_version = "1"
    equal(refused(core.replace_namespaced_config_map, "refused", NAMESPACE, stale), 409)
    equal(refused(core.create_namespaced_config_map, "nowhere", settings("lost")), 404)


@check
def watches_from_where_a_list_ended():
    core = client.CoreV1Api()
    version = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    labels = {"watched": "yes"}
    core.create_namespaced_config_map(NAMESPACE, settings("watched", {"step": "1"}, labels))
    core.patch_namespaced_config_map("watched", NAMESPACE, {"data": {"step": "2"}})
    core.delete_namespaced_config_map("watched", NAMESPACE)
    follower = watch.Watch()
    seen = []
    for event in follower.stream(
        core.list_namespaced_config_map,
        NAMESPACE,
        label_selector="watched=yes",
        resource_version=version,
        timeout_seconds=30,
    ):
        seen.append((event["type"], event["object"].data["step"]))
        if event["type"] == "DELETED":
            follower.stop()
    equal(seen, [("ADDED", "1"), ("MODIFIED", "2"), ("DELETED", "2")])


@check
def handles_objects_of_any_kind_through_discovery():
    known = dynamic.DynamicClient(client.ApiClient())
    services = known.resources.get(api_version="v1", kind="Service")
    body = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "any"},
        "spec": {"ports": [{"port": 80}], "selector": {"app": "any"}},
    }
    created = services.create(body=body, namespace=NAMESPACE)
    assert created.spec.clusterIP
    merge = "application/merge-patch+json"
    patched = services.patch(
        name="any", namespace=NAMESPACE, body={"metadata": {"labels": {"a": "b"}}}, content_type=merge
    )
    equal(patched.to_dict()["metadata"]["labels"], {"a": "b"})
    assert "any" in [item.metadata.name for item in services.get(namespace=NAMESPACE).items]
    services.delete(name="any", namespace=NAMESPACE)


@check
def reads_every_namespace_role_and_event():
    core = client.CoreV1Api()
    assert {"default", "kube-system"} <= {item.metadata.name for item in core.list_namespace().items}
    roles = [item.metadata.name for item in client.RbacAuthorizationV1Api().list_cluster_role().items]
    assert "cluster-admin" in roles
    core.list_event_for_all_namespaces()
    core.list_service_account_for_all_namespaces()
    equal(client.VersionApi().get_code().major, "1")


if __name__ == "__main__":
    make_all()
