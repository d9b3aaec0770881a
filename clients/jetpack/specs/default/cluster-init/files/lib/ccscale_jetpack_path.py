"""Run at the start of a Python: replaces `jetpack.autoscale` of CycleCloud's `jetpack`, and nothing else of it."""

import os
import sys


class _Autoscale:
    @staticmethod
    def find_spec(name, _path=None, _target=None):
        if name != "jetpack.autoscale":
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location(name, os.path.join(os.path.dirname(__file__), "jetpack", "autoscale.py"))


sys.meta_path.insert(0, _Autoscale)
