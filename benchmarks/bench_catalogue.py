"""What loading the AWS catalogue costs: CPU time and memory, in a fresh process.

Measured after the imports of numpy and msgspec, which the product pays once in any case.
"""

import resource
import time
import tracemalloc

import msgspec
import numpy as np

BASELINE = (np.__version__, msgspec.__version__)
STARTED = time.process_time()

# ruff: noqa: E402 - the imports below are part of what is measured
from policyscaler_aws.catalogue import build_catalogue
from policyscaler_aws.settings import AwsSettings
from policyscaler_aws.spec import EC2NodeClassSpec, ImageTerm

IMPORTED = time.process_time()


def a_class(alias: str) -> EC2NodeClassSpec:
    """Returns a class with the default images of a family."""
    return EC2NodeClassSpec(ami_selector_terms=(ImageTerm(alias=f"{alias}@latest"),))


def main() -> None:
    """Loads the catalogue of one class and of a second, and prints what each cost."""
    settings = AwsSettings()
    start = time.process_time()
    catalogue = build_catalogue(a_class("al2023"), settings)
    first = time.process_time()
    build_catalogue(a_class("bottlerocket"), settings)
    second = time.process_time()
    tracemalloc.start()
    third = build_catalogue(a_class("al2"), settings)
    kept, _ = tracemalloc.get_traced_memory()
    rows = sum(len(kind.offerings) for kind in third.types)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"catalogue            {len(catalogue.types)} types, {rows} offerings")
    print(f"imports              {(IMPORTED - STARTED) * 1000:6.1f} ms CPU")
    print(f"first class          {(first - start) * 1000:6.1f} ms CPU (bar: 150)")
    print(f"second class         {(second - first) * 1000:6.1f} ms CPU")
    print(f"imports + first      {(IMPORTED - STARTED + first - start) * 1000:6.1f} ms CPU")
    print(f"each further class   {kept / 2**20:6.1f} MiB")
    print(f"peak of the process  {peak:6.1f} MiB")


if __name__ == "__main__":
    main()
