"""Kubernetes' own kinds: what decisions look at arrives in the model."""

from datetime import timedelta

from policyscaler.manifests.loading import load_text
from policyscaler.model.nodes import Taint

RICH_POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, annotations: {karpenter.sh/do-not-disrupt: 30m}}
spec:
  hostNetwork: true
  priorityClassName: high
  overhead: {cpu: 250m}
  resources: {requests: {cpu: 2}}
  nodeSelector: {team: a}
  terminationGracePeriodSeconds: 5
  schedulingGates: [{name: wait}]
  resourceClaims: [{name: gpu, resourceClaimName: gpu}]
  initContainers:
    - {name: log, restartPolicy: Always, resources: {requests: {cpu: 100m}}}
    - {name: once}
  containers:
    - name: app
      resources: {limits: {cpu: 1, memory: 1Gi}}
      ports: [{containerPort: 80}, {containerPort: 90, hostPort: 91, protocol: UDP, hostIP: 192.0.2.1}]
  tolerations:
    - {key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
    - {operator: Exists}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions: [{key: size, operator: Gt, values: ["3"]}]
          - matchFields: [{key: metadata.name, operator: In, values: [n1]}]
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 5
          preference: {matchExpressions: [{key: zone, operator: Exists}]}
    podAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 7
          podAffinityTerm: {topologyKey: zone, labelSelector: {matchLabels: {app: web}}}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - topologyKey: kubernetes.io/hostname
          labelSelector: {matchExpressions: [{key: app, operator: In, values: [web]}]}
  topologySpreadConstraints:
    - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}
  volumes:
    - {name: data, persistentVolumeClaim: {claimName: data-0}}
    - {name: scratch, ephemeral: {volumeClaimTemplate: {spec: {storageClassName: fast}}}}
    - {name: shm, emptyDir: {medium: Memory}}
    - {name: tmp, emptyDir: {}}
status:
  phase: Pending
  nominatedNodeName: n2
  resize: Infeasible
  containerStatuses: [{name: app, allocatedResources: {cpu: 500m}}]
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]
"""


def only(text, field):
    result = load_text(text)
    assert not result.findings, [str(finding) for finding in result.findings]
    (value,) = getattr(result, field)
    return value


def test_pod_with_everything():
    pod = only(RICH_POD, "pods")
    spec = pod.spec
    assert pod.unschedulable
    assert pod.resize_infeasible
    assert (pod.nominated, pod.allocated) == ("n2", {"app": {"cpu": 500}})
    assert [(c.name, c.sidecar) for c in spec.init_containers] == [("log", True), ("once", False)]
    ports = [(p.port, p.protocol, p.ip) for p in spec.containers[0].host_ports]
    assert ports == [(80, "TCP", "0.0.0.0"), (91, "UDP", "192.0.2.1")]  # noqa: S104 - the API's default
    assert (spec.overhead, spec.requests) == ({"cpu": 250}, {"cpu": 2000})
    assert [t.seconds for t in spec.tolerations] == [300, None]
    assert len(spec.required_terms) == 2
    assert spec.required_terms[1].fields[0].values == ("n1",)
    assert spec.preferred_terms[0].weight == 5
    near, apart = spec.pod_affinity
    assert (near.weight, near.anti, near.selector.match_labels) == (7, False, {"app": "web"})
    assert (apart.weight, apart.anti, apart.topology_key) == (None, True, "kubernetes.io/hostname")
    assert [(s.max_skew, s.hard) for s in spec.spread] == [(2, False)]
    kinds = [(v.name, v.claim, v.ephemeral, v.storage_class, v.memory_backed) for v in spec.volumes]
    assert kinds == [
        ("data", "data-0", False, "", False),
        ("scratch", "", True, "fast", False),
        ("shm", "", False, "", True),
    ]
    assert spec.scheduling_gates == ("wait",)
    assert spec.resource_claims == ("gpu",)
    assert spec.termination_grace_seconds == 5


def test_node():
    node = only(
        """\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {a: b}}
spec:
  providerID: example:///n1
  unschedulable: true
  taints: [{key: a, value: b, effect: NoSchedule, timeAdded: "2026-01-31T08:00:00Z"}]
status:
  capacity: {cpu: "4", memory: 16Gi, pods: 58}
  conditions: [{type: Ready, status: "False"}]
""",
        "nodes",
    )
    assert node.allocatable == node.capacity == {"cpu": 4000, "memory": 16 * 2**30, "pods": 58}
    assert node.taints == (Taint(key="a", value="b", effect="NoSchedule"),)
    assert (node.ready, node.unschedulable, node.provider_id) == (False, True, "example:///n1")


def test_jobs_and_their_run_time():
    template = "{metadata: {annotations: {policyscaler.dev/run-time: 10m}}, spec: {containers: [{name: a}]}}"
    job = only(
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec: {{parallelism: 3, template: {template}}}\n",
        "jobs",
    )
    assert (job.parallelism, job.completions, job.run_time) == (3, 3, timedelta(minutes=10))
    cron = only(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec:\n"
        "  schedule: '*/5 * * * *'\n  timeZone: Europe/Rome\n  concurrencyPolicy: Forbid\n"
        f"  jobTemplate: {{spec: {{template: {template}}}}}\n",
        "cron_jobs",
    )
    assert (cron.schedule, cron.time_zone, cron.concurrency) == (
        "*/5 * * * *",
        "Europe/Rome",
        "Forbid",
    )
    assert cron.job.run_time == timedelta(minutes=10)


def test_unreadable_run_time_is_an_error_at_its_annotation():
    text = """\
apiVersion: batch/v1
kind: Job
metadata: {name: j, annotations: {policyscaler.dev/run-time: soon}}
spec: {template: {spec: {containers: [{name: a}]}}}
"""
    (error,) = load_text(text).errors
    assert error.path == "metadata.annotations[policyscaler.dev/run-time]"
    assert error.position.line == 3


def test_deployment_strategies():
    text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  strategy: %s\n"
    text += "  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a}]}}\n"
    rolling = only(text % "{rollingUpdate: {maxSurge: 1, maxUnavailable: 10%}}", "workloads")
    assert (rolling.max_surge, rolling.max_unavailable) == ("1", "10%")
    recreate = only(text % "{type: Recreate}", "workloads")
    assert (recreate.max_surge, recreate.max_unavailable) == ("0", "100%")
    assert rolling.selector.match_labels == {"a": "b"}


def test_volumes_and_classes():
    storage = only(
        """\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a, b]}]}]
""",
        "storage_classes",
    )
    assert storage.binds_late
    assert storage.topologies[0].expressions[0].values == ("a", "b")
    volume = only(
        """\
apiVersion: v1
kind: PersistentVolume
metadata: {name: v}
spec:
  csi: {driver: disk.example.com, volumeHandle: x}
  nodeAffinity:
    required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}
""",
        "volumes",
    )
    assert (volume.driver, volume.terms[0].expressions[0].key) == ("disk.example.com", "zone")
    claim = only(
        """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c, namespace: shop}
spec: {storageClassName: fast, volumeName: v}
status: {phase: Bound}
""",
        "volume_claims",
    )
    assert (claim.meta.key, claim.volume, claim.phase) == (("shop", "c"), "v", "Bound")


def test_disruption_budget():
    budget = only(
        """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: b}
spec: {maxUnavailable: 1, selector: {matchLabels: {a: b}}, unhealthyPodEvictionPolicy: AlwaysAllow}
""",
        "disruption_budgets",
    )
    assert (budget.max_unavailable, budget.min_available) == ("1", "")
    assert budget.always_evict_unhealthy
    assert budget.meta.namespace == "default"
