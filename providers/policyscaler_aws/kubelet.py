"""The kubelet's configuration as a table of fields.

A NodeClass may set any of them. The first group also changes how many pods fit on a node, or is
turned into flags; the others only reach the node, and only with an image family that passes them.
What is not set is None, for zero means something to the kubelet.

Source: the kubelet.config.k8s.io/v1beta1 API of Kubernetes.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from policyscaler.manifests.wire import Strict
from policyscaler_aws.spelling import field_name

Percent = Annotated[int, Meta(ge=0, le=100)]
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Texts = dict[str, str]


class Record(Strict, frozen=True, kw_only=True, rename=field_name, omit_defaults=True):
    """A part of the kubelet's configuration."""


class X509(Record, frozen=True, kw_only=True):
    """Client certificates."""

    client_ca_file: str | None = None


class WebhookAuthentication(Record, frozen=True, kw_only=True):
    """Tokens."""

    enabled: bool | None = None
    cache_ttl: str | None = None


class AnonymousAuthentication(Record, frozen=True, kw_only=True):
    """Requests without a name."""

    enabled: bool | None = None


class Authentication(Record, frozen=True, kw_only=True):
    """Who is calling."""

    x509: X509 | None = None
    webhook: WebhookAuthentication | None = None
    anonymous: AnonymousAuthentication | None = None


class WebhookAuthorization(Record, frozen=True, kw_only=True):
    """How long answers are remembered."""

    cache_authorized_ttl: str | None = None
    cache_unauthorized_ttl: str | None = None


class Authorization(Record, frozen=True, kw_only=True):
    """Who may."""

    mode: str | None = None
    webhook: WebhookAuthorization | None = None


class MemorySwap(Record, frozen=True, kw_only=True):
    """Swap for pods."""

    swap_behavior: str | None = None


class Logging(Record, frozen=True, kw_only=True):
    """How the kubelet logs."""

    format: str | None = None
    flush_frequency: str | int | None = None
    verbosity: int | None = None
    vmodule: tuple[dict[str, str | int], ...] | None = None
    options: dict[str, dict[str, str | bool]] | None = None


class PriorityGrace(Record, frozen=True, kw_only=True):
    """Shutdown time by priority."""

    priority: int
    shutdown_grace_period_seconds: int


class CrashLoopBackOff(Record, frozen=True, kw_only=True):
    """Pause between restarts."""

    max_container_restart_period: str | None = None


class ReservedMemory(Record, frozen=True, kw_only=True):
    """Memory kept per NUMA node."""

    numa_node: int
    limits: Texts | None = None


class Tracing(Record, frozen=True, kw_only=True):
    """Where traces go."""

    endpoint: str | None = None
    sampling_rate_per_million: int | None = None


class UserNamespaces(Record, frozen=True, kw_only=True):
    """IDs per pod."""

    ids_per_pod: int | None = None


class Kubelet(Record, frozen=True, kw_only=True):
    """The whole configuration, `MANAGED` first."""

    cluster_dns: tuple[str, ...] | None = None
    max_pods: Count | None = None
    pods_per_core: Count | None = None
    system_reserved: Texts | None = None
    kube_reserved: Texts | None = None
    eviction_hard: Texts | None = None
    eviction_soft: Texts | None = None
    eviction_soft_grace_period: Texts | None = None
    eviction_max_pod_grace_period: Count | None = None
    image_gc_high_threshold_percent: Percent | None = None
    image_gc_low_threshold_percent: Percent | None = None
    cpu_cfs_quota: bool | None = None

    api_version: str | None = None
    kind: str | None = None
    address: str | None = None
    allowed_unsafe_sysctls: tuple[str, ...] | None = None
    authentication: Authentication | None = None
    authorization: Authorization | None = None
    cgroup_driver: str | None = None
    cgroup_root: str | None = None
    cgroups_per_qos: bool | None = None
    cluster_domain: str | None = None
    config_map_and_secret_change_detection_strategy: str | None = None
    container_log_max_files: int | None = None
    container_log_max_size: str | None = None
    container_log_max_workers: int | None = None
    container_log_monitor_interval: str | None = None
    container_runtime_endpoint: str | None = None
    content_type: str | None = None
    cpu_cfs_quota_period: str | None = None
    cpu_manager_policy: str | None = None
    cpu_manager_policy_options: Texts | None = None
    cpu_manager_reconcile_period: str | None = None
    crash_loop_back_off: CrashLoopBackOff | None = None
    enable_contention_profiling: bool | None = None
    enable_controller_attach_detach: bool | None = None
    enable_debug_flags_handler: bool | None = None
    enable_debugging_handlers: bool | None = None
    enable_profiling_handler: bool | None = None
    enable_server: bool | None = None
    enable_system_log_handler: bool | None = None
    enable_system_log_query: bool | None = None
    enforce_node_allocatable: tuple[str, ...] | None = None
    event_burst: int | None = None
    event_record_qps: int | None = None
    eviction_minimum_reclaim: Texts | None = None
    eviction_pressure_transition_period: str | None = None
    fail_cgroup_v1: bool | None = None
    fail_swap_on: bool | None = None
    feature_gates: dict[str, bool] | None = None
    file_check_frequency: str | None = None
    hairpin_mode: str | None = None
    healthz_bind_address: str | None = None
    healthz_port: int | None = None
    http_check_frequency: str | None = None
    image_maximum_gc_age: str | None = None
    image_minimum_gc_age: str | None = None
    image_pull_credentials_verification_policy: str | None = None
    image_service_endpoint: str | None = None
    iptables_drop_bit: int | None = None
    iptables_masquerade_bit: int | None = None
    kernel_memcg_notification: bool | None = None
    kube_api_burst: int | None = None
    kube_api_qps: int | None = None
    kube_reserved_cgroup: str | None = None
    kubelet_cgroups: str | None = None
    local_storage_capacity_isolation: bool | None = None
    logging: Logging | None = None
    make_iptables_util_chains: bool | None = None
    max_open_files: int | None = None
    max_parallel_image_pulls: int | None = None
    memory_manager_policy: str | None = None
    memory_swap: MemorySwap | None = None
    memory_throttling_factor: float | None = None
    merge_default_eviction_settings: bool | None = None
    node_lease_duration_seconds: int | None = None
    node_status_max_images: int | None = None
    node_status_report_frequency: str | None = None
    node_status_update_frequency: str | None = None
    oom_score_adj: int | None = None
    pod_cidr: str | None = None
    pod_logs_dir: str | None = None
    pod_pids_limit: int | None = None
    port: int | None = None
    preloaded_images_verification_allowlist: tuple[str, ...] | None = None
    protect_kernel_defaults: bool | None = None
    provider_id: str | None = None
    qos_reserved: Texts | None = None
    read_only_port: int | None = None
    register_node: bool | None = None
    register_with_taints: tuple[Texts, ...] | None = None
    registry_burst: int | None = None
    registry_pull_qps: int | None = None
    reserved_memory: tuple[ReservedMemory, ...] | None = None
    reserved_system_cpus: str | None = None
    resolv_conf: str | None = None
    rotate_certificates: bool | None = None
    run_once: bool | None = None
    runtime_request_timeout: str | None = None
    seccomp_default: bool | None = None
    serialize_image_pulls: bool | None = None
    server_tls_bootstrap: bool | None = None
    show_hidden_metrics_for_version: str | None = None
    shutdown_grace_period: str | None = None
    shutdown_grace_period_by_pod_priority: tuple[PriorityGrace, ...] | None = None
    shutdown_grace_period_critical_pods: str | None = None
    single_process_oom_kill: bool | None = None
    static_pod_path: str | None = None
    static_pod_url: str | None = None
    static_pod_url_header: dict[str, tuple[str, ...]] | None = None
    streaming_connection_idle_timeout: str | None = None
    sync_frequency: str | None = None
    system_cgroups: str | None = None
    system_reserved_cgroup: str | None = None
    tls_cert_file: str | None = None
    tls_cipher_suites: tuple[str, ...] | None = None
    tls_min_version: str | None = None
    tls_private_key_file: str | None = None
    topology_manager_policy: str | None = None
    topology_manager_policy_options: Texts | None = None
    topology_manager_scope: str | None = None
    tracing: Tracing | None = None
    user_namespaces: UserNamespaces | None = None
    volume_plugin_dir: str | None = None
    volume_stats_agg_period: str | None = None


MANAGED: Final = frozenset(
    field_name(name)
    for name in Kubelet.__struct_fields__[: Kubelet.__struct_fields__.index("cpu_cfs_quota") + 1]
)
"""The fields that every image family can deliver, as a manifest spells them."""
