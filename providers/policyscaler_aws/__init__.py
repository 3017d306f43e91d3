"""Amazon EC2 as a source of machines: EC2NodeClass and an offline catalogue.

Everything here is a pure function of the manifests, the settings and the facts in `data/`:
no network and no credentials.
"""
