"""A simulated world on a virtual clock, and the loops that carry plans out in it.

The actors of the world (scheduler, kubelets, workload controllers, provider) know nothing of the
planner; the engine's loops know the planner only as a function from snapshot to plan.
"""
