"""Checks that a program makes one after the other, each told in a line that the test reads."""

import sys
import traceback

from kubernetes import config

checks = []


def check(function):
    checks.append(function)
    return function


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def make_all():
    config.load_kube_config()
    failures = 0
    for function in checks:
        name = function.__name__.replace("_", " ")
        try:
            function()
            print(f"ok {name}", flush=True)
        except Exception:
            failures += 1
            traceback.print_exc()
            print(f"not ok {name}", flush=True)
    sys.exit(1 if failures else 0)
