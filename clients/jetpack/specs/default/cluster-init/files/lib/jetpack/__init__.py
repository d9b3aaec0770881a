"""Stands in for CycleCloud's package `jetpack` where a Python has none; only `jetpack.autoscale` is here."""

from pkgutil import extend_path

# With this folder on PYTHONPATH, the other modules of CycleCloud's package are still found.
__path__ = extend_path(__path__, __name__)
