"""Field names as AWS and the kubelet spell them."""

from __future__ import annotations

from typing import Final

_CAPITALS: Final = {
    "api": "API", "ca": "CA", "cfs": "CFS", "cidr": "CIDR", "cpus": "CPUs", "dns": "DNS",
    "gc": "GC", "id": "ID", "ip": "IP", "iptables": "IPTables", "ipv6": "IPv6", "kms": "KMS",
    "oom": "OOM", "qos": "QOS", "qps": "QPS", "tls": "TLS", "ttl": "TTL", "url": "URL",
}  # fmt: skip


def field_name(name: str) -> str:
    """Returns the manifest's form of a snake-case name, with abbreviations in capitals.

    Example:
        >>> field_name("kms_key_id"), field_name("cpu_cfs_quota")
        ('kmsKeyID', 'cpuCFSQuota')
    """
    first, *rest = name.split("_")
    return first + "".join(_CAPITALS.get(word, word.capitalize()) for word in rest)
