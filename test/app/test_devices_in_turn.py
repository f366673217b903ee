"""Of tests that only their device tells apart, one runs in each turn."""

from types import SimpleNamespace

from devices_in_turn import in_turn

DEVICES = ["cpu", "simt:32", "simt:64"]


def item(name, device=None, marked=False, **others):
    """What pytest has of a test; `others` are the indices of its other parameters."""
    made = SimpleNamespace(name=name, nodeid=f"test_x.py::{name}[{device}-{others}]",
                           get_closest_marker=lambda mark: marked and mark == "in_turn")
    if device:
        made.callspec = SimpleNamespace(params={"device": device}, indices={"device": DEVICES.index(device), **others})
    return made


def test_each_device_has_its_turn():
    items = [item("test_sums", device, size=size) for size in range(2) for device in DEVICES[:2]]
    items += [item("test_waves", device) for device in DEVICES]
    seen = {}
    for turn in range(6):
        run, left = in_turn(items, turn)
        assert sorted(map(id, run + left)) == sorted(map(id, items))
        assert len(run) == 3
        for one in run:
            seen.setdefault(one.nodeid, []).append(turn)
    assert set(seen) == {one.nodeid for one in items}


def test_what_more_than_the_device_tells_apart_runs():
    items = [item("test_plain"), item("test_rows", "cpu", words=0), item("test_rows", "simt:32", words=1)]
    for turn in range(6):
        assert in_turn(items, turn) == (items, [])


def test_each_second_parameter_of_what_takes_long_has_its_turn():
    items = [item("test_long", marked=True, shape=shape) for shape in range(3)]
    items += [item("test_waves", device, marked=True, shape=shape) for shape in range(3) for device in DEVICES[:2]]
    seen = {}
    for turn in range(6):
        run, left = in_turn(items, turn)
        assert sorted(map(id, run + left)) == sorted(map(id, items))
        assert {one.name for one in run} == {"test_long", "test_waves"}
        assert len(left) >= 5
        for one in run:
            seen.setdefault(one.nodeid, []).append(turn)
    assert set(seen) == {one.nodeid for one in items}
