"""Records for the tests of `ridge report` and `ridge compare`."""

import json
import pathlib

RECORD = {
    "pattern": "stencil", "kernel": "laplacian", "device": "cuda:0", "device_name": "a GPU",
    "precision": "fp64", "size": [64, 32, 16], "schedule": "tile=4 store=plain",
    "schedule_name": "default", "seconds": 2e-3, "seconds_min": 1.9e-3, "seconds_max": 2.2e-3,
    "repeats": 15, "bytes_read": 1000000, "bytes_written": 500000, "flops": 3000000.0,
    "items": 300000, "convention": "each point once", "achieved": 7.5e8, "achieved_unit": "B/s",
    "roof": 1e9, "roof_name": "copy", "fraction": 0.75,
    "check": {"ok": True, "max_error": 1e-15, "against": "reference"},
}


def record(**change):
    return {**RECORD, **change}


def written(name, content):
    pathlib.Path(name).write_text(json.dumps(content))
    return name
