"""Pure scheduling: which pods can share which machines, and at what price.

Requirements, taints, DaemonSet overhead, columns of offerings, and the packings. It reads model
values and returns model values; which pods and pools there are, and what policy says, it is told.
"""
