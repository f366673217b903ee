"""Why a launch is slow, a faster schedule, and a page of it all."""

import os
import tempfile

import numpy as np

# What is found here is not kept for other programs; leave this out to keep it.
folder = tempfile.TemporaryDirectory()
os.environ["RIDGE_WISDOM"] = folder.name + "/wisdom"
import ridge  # noqa: E402


@ridge.stencil
def blur(u):
    return 0.25 * (u[0, 1] + u[0, -1] + u[1, 0] + u[-1, 0])


a = np.random.default_rng(1).random((1000, 1200))
b = np.zeros_like(a)
diagnoses = ridge.doctor(blur, a, out=b, schedule="threads=1 store=plain")
print(diagnoses)

found = ridge.tune(blur, a, out=b, seconds=5, most=4)
print(found)
blur(a, out=b)  # schedule="auto" is what was found
assert blur.record.schedule == found.schedule

ridge.report([diagnoses.record, blur.measure(a, out=b)]).save(folder.name + "/report.html")
