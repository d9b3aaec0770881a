"""The version, for the package and for the header `User-Agent`."""

__version__ = "0.1.0"
