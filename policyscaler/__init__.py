"""policyscaler decides which machines a Kubernetes cluster should have.

It reads Karpenter's manifests unchanged; every decision is made by policy that a person can read,
test, rehearse and replace. The core is one pure function from a snapshot, policies and an instant
to a plan, and everything else carries data to it and its result away.
"""

__version__ = "0.1.0"
