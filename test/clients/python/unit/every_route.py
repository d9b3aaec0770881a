"""Calls every method of Cluster, and prints what each asks for as JSON: its name, the method, the path and the query."""

import inspect
import json

from ccscale import Cluster, Service

#: What a parameter of a path or a body is called with, by its name in Python.
GIVEN = {
    "arrays": [], "config": {}, "constraints": [], "jobs": [], "kind": "drain", "message": {}, "reason": "tests",
    "node_array": "node_array", "timeframe": None,
}
SELECTION = {"name": "x", "hostname": "x", "node_array": "x", "constraint": {"ncpus": 1}}


class Listening(Service):
    """Asks nobody, and remembers what it was asked."""

    def __init__(self):
        super().__init__("http://localhost")
        self.asked = []

    def call(self, method, path, query=None, body=None, headers=None):
        self.asked.append((method, path, sorted(name for name in query or {})))
        return {"next": None, **{name: [] for name in
            ("buckets", "clusters", "events", "intervals", "jobs", "limits", "lives", "nodes", "operations", "plans", "rejections", "samples")}}


def asked_by(name):
    service = Listening()
    of = Cluster("{cluster}", service=service) if hasattr(Cluster, name) else service
    method = getattr(of, name)
    positional, named = [], {}
    for each in inspect.signature(method).parameters.values():
        if each.kind is each.VAR_KEYWORD:
            named.update(SELECTION if each.name == "selection" else {})
        elif each.default is each.empty:
            positional.append(GIVEN.get(each.name, f"{{{each.name}}}"))
        elif each.kind is each.KEYWORD_ONLY and each.name in ("state", "source", "kind", "node", "where", "request_set"):
            named[each.name] = "x"
    answer = method(*positional, **named)
    if inspect.isgenerator(answer):
        list(answer)
    [(verb, path, query)] = service.asked
    return {"name": name, "method": verb, "path": path, "query": query}


methods = [name for name, _ in inspect.getmembers(Cluster, inspect.isfunction) if not name.startswith("_")]
print(json.dumps([asked_by(name) for name in [*methods, "clusters"] if name != "call"]))
