"""Light of a line on a dielectric cylinder beside the series of Bessel functions of Mie's kind, in both polarisations.

    python bench/validation/mie.py RIDGE [DEVICE] [--small] [--picture PNG]

C. Balanis, Advanced Engineering Electromagnetics, ch. 11. A line outside radiates Ricker's wavelet; receivers lie around,
behind and in the cylinder, whose permittivity is 2.25 and whose edge is that of the points: a staircase, of order 1.
"""

import numpy as np
from scipy.special import h2vp, hankel2, jv, jvp

from common import Problem
from waves import draw, places, ricker

EPS, RADIUS, LINE = 2.25, 0.5, 1.3  # wavelengths
AROUND = ((1.2, 0), (1.2, 75), (1.2, 150), (0.3, 40))  # radius in wavelengths, degrees from the side away from the line


def exact(spectrum, omega, wave, along_z):
    """Fields of a line of i omega times `spectrum`, a row a receiver: Ez, or Hz whose line is magnetic."""
    k, inner = omega, omega * np.sqrt(EPS)
    a, line = RADIUS * wave, LINE * wave
    ratio = np.sqrt(EPS) if along_z else 1 / np.sqrt(EPS)
    n = np.arange(int(inner.max() * a) + 12)[:, None]
    outside, within = (jv(n, k * a), jvp(n, k * a)), (jv(n, inner * a), jvp(n, inner * a))
    away, of_line = (hankel2(n, k * a), h2vp(n, k * a)), hankel2(n, k * line)
    below = ratio * within[1] * away[0] - within[0] * away[1]
    with np.errstate(all="ignore"):  # long waves: Hankel functions of high orders overflow where their terms are nothing
        scattered = (within[0] * outside[1] - ratio * within[1] * outside[0]) / below
        inside = (outside[1] * away[0] - outside[0] * away[1]) / below
    found = []
    for radius, degrees in AROUND:
        r, angle = radius * wave, np.radians(180 - degrees)
        part = inside * jv(n, inner * r) if radius < RADIUS else scattered * hankel2(n, k * r)
        all_of_it = np.nan_to_num(np.where(n == 0, 1, 2) * np.cos(n * angle) * part * of_line).sum(axis=0)
        if radius > RADIUS:
            all_of_it = all_of_it + hankel2(0, k * np.sqrt(r * r + line * line - 2 * r * line * np.cos(angle)))
        found.append(-0.25j * all_of_it * spectrum)
    return np.array(found)


def traces(problem, wave, along_z):
    """Times, our traces, the exact ones and their misfits, for a number of points in a wavelength in vacuum."""
    n, dt, shift = 8 * wave, 0.5, 0.0 if along_z else 0.5  # Hz lies half a point behind along x and y
    middle = n // 2 + shift
    angles = np.radians([degrees for _, degrees in AROUND])
    radii = np.array([radius for radius, _ in AROUND]) * wave
    name = "ez" if along_z else "hz"
    places(problem, "s.csv", (middle - LINE * wave, middle, name), columns="x,y,array")
    places(problem, "r.csv", *((middle + r * np.cos(a), middle + r * np.sin(a), name) for r, a in zip(radii, angles)),
           columns="x,y,array")  # fmt: skip
    steps = int(6.0 * wave / dt)
    y, x = np.mgrid[:n, :n] - middle
    problem.evolve("maxwell", "--steps", steps, "--every", steps, "--dt", dt, "--source", "s.csv", "--wavelet",
                   f"ricker:{1 / wave!r}", "--receivers", "r.csv",
                   eps=np.where(np.hypot(x, y) < RADIUS * wave, EPS, 1.0))  # fmt: skip
    found = problem.traces("traces")[0]
    behind = dt / 2 if along_z else -dt / 2  # what is added to Hz behind a step the next one takes up
    t = np.arange(steps) * dt + behind
    many = 4 * steps
    slope = np.fft.rfft(ricker(np.arange(many) * dt, 1 / wave)[1]) / dt
    omega = 2 * np.pi * np.fft.rfftfreq(many, dt)
    heard = (omega > 0) & (np.abs(slope) > 1e-5 * np.abs(slope).max())
    spectra = np.zeros((len(AROUND), len(omega)), complex)
    spectra[:, heard] = exact(slope[heard] * np.exp(1j * omega[heard] * behind), omega[heard], wave, along_z)
    right = np.fft.irfft(spectra, many)[:, :steps]
    return t, found, right, np.linalg.norm(found - right, axis=1) / np.linalg.norm(right, axis=1)


def main():
    problem = Problem(__doc__, pictures=True)
    waves = (16, 32) if problem.small else (32, 64)
    for along_z in (True, False):
        name = "E along the cylinder" if along_z else "H along the cylinder"
        coarse = traces(problem, waves[0], along_z)[-1]
        t, found, right, misfits = traces(problem, waves[1], along_z)
        for (radius, degrees), misfit, before in zip(AROUND, misfits, coarse):
            place = f"{name}, at {radius:g} wavelengths, {degrees:g} degrees"
            # Yee's scheme is of order 2, a staircase of order 1 at least.
            problem.compare(f"{place}: misfit of {waves[1]} points a wavelength", misfit, 0, before * waves[0] / waves[1])
        if problem.options.picture and along_z:
            draw(problem.options.picture, t, found, right, "ridge evolve maxwell", "Ez of a line beside a dielectric cylinder")
    problem.end()


main()
