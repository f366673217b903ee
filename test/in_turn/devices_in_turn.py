"""A plugin of pytest: tests that are the same on several devices run on one of them, and of those that are marked
`in_turn`, which take long, each second one of their parameters runs.

RIDGE_TEST_TURN is a number below 6, which continuous integration changes with each commit. Where only the parameter
`device` tells tests apart, that number and the test's name choose which of them runs. Without it, all run.
"""

import os


def in_turn(items, turn):
    """Those that run, and those that are left out."""
    devices = {}  # of a test and its other parameters
    for item in items:
        if device_of(item) is not None:
            devices.setdefault(but_for_device(item), []).append(device_of(item))
    run, left = [], []
    others = {}  # how many of a test's parameters there were, its devices counted once
    for item in items:
        among = devices.get(but_for_device(item), []) if device_of(item) is not None else []
        first = ord(item.name.removeprefix("test_")[0])
        due = not among or among[(first + turn) % len(among)] == device_of(item)
        if due and item.get_closest_marker("in_turn"):
            test = item.nodeid.partition("[")[0]
            others[test] = others.get(test, -1) + 1
            due = (others[test] + first + turn // 3) % 2 == 0
        (run if due else left).append(item)
    return run, left


def device_of(item):
    """That of a test on several kinds; None for one that has none, or whose devices are what it is about."""
    spec = getattr(item, "callspec", None)
    device = spec.params.get("device") if spec else None
    return device if device in ("cpu", "simt:32", "simt:64") else None


def but_for_device(item):
    """A test and its parameters but `device`. Those that are given beside it, row by row, are among them."""
    others = sorted((name, index) for name, index in item.callspec.indices.items() if name != "device")
    return item.nodeid.partition("[")[0], tuple(others)


def pytest_configure(config):
    config.addinivalue_line("markers", "in_turn: of its parameters each second one runs in continuous integration")


def pytest_collection_modifyitems(config, items):
    turn = os.environ.get("RIDGE_TEST_TURN", "")
    if not turn:
        return
    items[:], left = in_turn(items, int(turn))
    config.hook.pytest_deselected(items=left)
