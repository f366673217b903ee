"""What scripts of waves share: a wavelet, tables of places, pictures of traces."""

import numpy as np


def ricker(t, frequency):
    """Its value, delayed by 1.2 periods, and its derivative."""
    a = np.pi * frequency
    t = t - 1.2 / frequency
    e = np.exp(-((a * t) ** 2))
    return (1 - 2 * (a * t) ** 2) * e, (-6 * a**2 * t + 4 * a**4 * t**3) * e


def places(problem, file, *rows, columns="x,y,z"):
    text = "\n".join(",".join(f"{v}" for v in row) for row in rows)
    (problem.here / file).write_text(f"{columns}\n{text}\n")


def draw(file, t, found, exact, ours, title):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axis = plt.subplots(figsize=(7, 4), constrained_layout=True)
    for i, (one, right) in enumerate(zip(found, exact)):
        size = np.abs(right).max()
        axis.plot(t, right / size / 2 + i, "k", linewidth=2.5, alpha=0.3, label=None if i else "exact")
        axis.plot(t, one / size / 2 + i, "C3", linewidth=1, label=None if i else ours)
    axis.set(xlabel="time", ylabel="receiver", yticks=range(len(found)), title=title)
    axis.legend(loc="upper left")
    plt.savefig(file, dpi=100)
