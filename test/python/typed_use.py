"""What a user's program sees of the types: checked by mypy and pyright, not run."""

from typing import Any, Optional

from typing_extensions import assert_type

import ridge


@ridge.stencil
def heat(u: Any, rate: Any) -> Any:
    return u[0, 0, 0] + rate * u[0, 0, 1]


@ridge.pairs(targets=1, sources=1, sums=1)
def near(t: Any, s: Any) -> Any:
    return [ridge.rsqrt((s[0] - t[0]) ** 2 + 1.0)]


@ridge.chain(edge="periodic")
def smooth(u: Any) -> Any:
    return u[0] + 0.1 * (u[1] - u[-1])


def use(a: Any, b: Any) -> None:
    assert_type(heat, ridge.Stencil)
    assert_type(near, ridge.Pairs)
    assert_type(smooth, ridge.Chain)
    assert_type(smooth.batch(), ridge.Chain)
    record = heat.measure(a, out=b, rate=0.1, schedule="streaming")
    assert_type(record, ridge.Record)
    assert_type(record.seconds, Optional[float])
    assert_type(record.schedule, str)
    assert_type(heat.measure_all(a, out=b, rate=0.1), ridge.Records)
    assert_type(ridge.tune(heat, a, out=b, rate=0.1, seconds=30), ridge.Tuned)
    assert_type(ridge.tune("laplacian", size=(8, 8, 8)).gain, float)
    assert_type(ridge.doctor(heat, a, rate=0.1).record, ridge.Record)
    in_time = ridge.sweeps(heat, boundary={"x": "periodic"}, spacing=(1, 1, 0.5))
    assert_type(in_time, ridge.Sweeps)
    assert_type(in_time.steps_done, int)
    assert_type(ridge.sweeps(heat, points=(8, 8, 8)).mine, tuple[slice, ...])
    assert_type(ridge.ranks().size, int)
    assert_type(ridge.report([record]), ridge.Report)
    assert_type(ridge.bench("laplacian", size=8)[0].fraction, Optional[float])
    assert_type(ridge.devices(), list[str])
    assert_type(ridge.stencil(source="", name="Heat"), ridge.Stencil)
