"""What the stencils should give, by scipy in double precision."""

import numpy as np
from scipy import ndimage

SECOND_DIFFERENCE = {
    "laplacian": [1, -2, 1],
    "laplacian4": [-1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12],
    "laplacian6": [1 / 90, -3 / 20, 3 / 2, -49 / 18, 3 / 2, -3 / 20, 1 / 90],
    "laplacian8": [-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560],
}
RADIUS = {"laplacian": 1, "laplacian4": 2, "laplacian6": 3, "laplacian8": 4, "box27": 1}


def box27_weights(spacing):
    """-128 at the centre, 14, 3 and 1 at faces, edges and corners, over 30 h^2."""
    away = np.abs(np.indices((3, 3, 3)) - 1).sum(axis=0)
    return np.choose(away, [-128.0, 14.0, 3.0, 1.0]) / (30 * spacing**2)


def apply(kernel, values, spacing):
    """The kernel on a volume whose last axis is x; `spacing` is x first. 0 near the edge."""
    u = values.astype(np.float64)
    if kernel == "box27":
        out = ndimage.correlate(u, box27_weights(spacing[0]), mode="nearest")
    else:
        weights = np.array(SECOND_DIFFERENCE[kernel])
        out = sum(
            ndimage.correlate1d(u, weights / h**2, axis=u.ndim - 1 - axis, mode="nearest")
            for axis, h in enumerate(spacing)
        )
    return at_the_inside(out, RADIUS[kernel])


def at_the_inside(values, radius):
    """The values at least `radius` from every edge, 0 elsewhere."""
    out = np.zeros_like(values)
    inside = (slice(radius, -radius),) * values.ndim
    out[inside] = values[inside]
    return out


def tolerance(dtype, expected):
    """Rounding of a few dozen operations of that precision."""
    return 64 * np.finfo(dtype).eps * np.abs(expected).max()
