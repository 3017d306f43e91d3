"""Manifests in, values out: YAML, JSON and CSV to the model, with a position for every complaint.

Files are read into plain trees whose containers know where their entries stand (`trees`), trees
are checked against the fields of their kind (`checking`, `wire`), and what passes is built into
values of `model`. Versions that are no longer served are translated first, and the translation
is reported word for word. One bad object stops that object and never its neighbours.
"""
