#!/usr/bin/env python3
"""Shows which tasks run, and which wait."""

from autoscale import read_tasks

tasks = read_tasks()
running = {task: host for task, host in tasks.items() if host is not None}
print("Running Tasks:", len(running))
for task, host in sorted(running.items()):
    print(f"  {task} on {host}")
print("Pending Tasks:", len(tasks) - len(running))
for task in sorted(set(tasks) - set(running)):
    print(f"  {task}")
