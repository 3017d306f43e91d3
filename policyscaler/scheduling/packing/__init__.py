"""Packings: which pods share which new nodes.

`problem` says what is to be packed, `signatures` what a node under construction can still
become, `open_nodes` keeps the nodes under construction, `greedy` and `incremental` fill them.
"""
