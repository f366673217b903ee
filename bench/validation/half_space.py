"""What a flat half space sends back by angle: acoustic waves, and light on a dielectric in both polarisations.

    python bench/validation/half_space.py RIDGE [DEVICE] [--small]

A packet of plane waves, whose width along the interface is a wavelength, runs towards it. The root of the energy that comes
back stands beside that of Fresnel's coefficients (for sound Rayleigh's), taken for each wave of the packet.
"""

import numpy as np

from common import Problem


class Packet:
    """Waves exp(i (k x + q y - w t)) of one k; y is the axis towards the interface, in its first medium of speed c."""

    def __init__(self, ny, nx, wave, c):
        self.k = 2 * np.pi / nx
        q0 = np.sqrt((2 * np.pi / wave) ** 2 - self.k**2)
        y = np.arange(ny)
        self.width, self.begin = 2.5 * wave / (q0 * wave / (2 * np.pi)) ** 0.5, ny * 0.27
        shape = np.exp(-(((y - self.begin) / self.width) ** 2)) * np.exp(1j * q0 * y)
        self.q = 2 * np.pi * np.fft.fftfreq(ny)
        self.parts = np.fft.fft(shape) * (self.q > 0)
        self.omega = c * np.hypot(self.k, self.q)
        self.angle = np.degrees(np.arctan(self.k / q0))
        self.down = c * q0 / np.hypot(self.k, q0)  # speed towards the interface

    def field(self, nx, factor=1, x=0.0, y=0.0, t=0.0):
        """Re of the packet times `factor` of each wave, at points (x, y) aside and time t."""
        column = np.fft.ifft(self.parts * factor * np.exp(1j * (self.q * y - self.omega * t)))
        return np.real(column[:, None] * np.exp(1j * self.k * (np.arange(nx) + x))[None, :])

    def mean(self, coefficient):
        """The root of the mean energy that comes back."""
        weight = np.abs(self.parts) ** 2
        return np.sqrt((weight * np.abs(coefficient) ** 2).sum() / weight.sum())


def across(packet, c1, c2):
    """q of both media."""
    return packet.q + 0j, np.sqrt((packet.omega / c2) ** 2 - packet.k**2 + 0j)


def acoustic(problem, ny, nx, wave, c2, rho2):
    packet, dt = Packet(ny, nx, wave, 1.0), 0.3 / max(c2, 1)
    behind = np.arange(ny)[:, None] >= ny // 2
    spread = lambda a, b: np.broadcast_to(np.where(behind, b, a), (ny, nx)).astype(float)  # noqa: E731
    start = {"p": packet.field(nx), "c": spread(1, c2), "rho": spread(1, rho2),
             "vx": packet.field(nx, packet.k / packet.omega.clip(1e-9), x=0.5, t=-dt / 2),
             "vy": packet.field(nx, packet.q / packet.omega.clip(1e-9), y=0.5, t=-dt / 2)}  # fmt: skip
    q1, q2 = across(packet, 1, c2)
    with np.errstate(invalid="ignore"):
        right = np.nan_to_num((rho2 * q1 - q2) / (rho2 * q1 + q2))
    return start, "p", dt, packet, right


def light(problem, ny, nx, wave, eps, along_z):
    """Ez along the interface, or Hz with E in the plane of incidence."""
    packet, dt = Packet(ny, nx, wave, 1.0), 0.3
    behind = np.arange(ny)[:, None] >= ny // 2
    start = {"eps": np.broadcast_to(np.where(behind, eps, 1), (ny, nx)).astype(float)}
    k, q = packet.k / packet.omega.clip(1e-9), packet.q / packet.omega.clip(1e-9)
    if along_z:  # magnetic fields are half a step behind
        start.update(ez=packet.field(nx), hx=packet.field(nx, q, y=0.5, t=-dt / 2), hy=packet.field(nx, -k, x=0.5, t=-dt / 2))
    else:
        start.update(hz=packet.field(nx, x=0.5, y=0.5, t=-dt / 2), ex=packet.field(nx, -q, x=0.5), ey=packet.field(nx, k, y=0.5))
    q1, q2 = across(packet, 1, 1 / np.sqrt(eps))
    ratio = 1 if along_z else eps
    with np.errstate(invalid="ignore"):
        right = np.nan_to_num((ratio * q1 - q2) / (ratio * q1 + q2))
    return start, "ez" if along_z else "hz", dt, packet, right


def comes_back(problem, system, case):
    start, field, dt, packet, right = case
    ny = len(start[field])
    steps = int(2 * (ny // 2 - packet.begin) / packet.down / dt)
    problem.evolve(system, "--steps", steps, "--every", steps, "--dt", dt, "--boundary", "x=periodic", **start)
    _, after = problem.read(field)
    found = np.sqrt((after[: ny // 2] ** 2).sum() / (start[field] ** 2).sum())
    return found, packet.mean(right), packet.angle


def cases(problem, degrees, wave):
    nx = round(wave / np.sin(np.radians(degrees)))
    ny = 2 * round(14 * wave * (1 if degrees < 55 else 1.6))
    return {"sound on a fast half space": ("acoustic", acoustic(problem, ny, nx, wave, 1.5, 1.8)),
            "sound on a slow half space": ("acoustic", acoustic(problem, ny, nx, wave, 0.7, 0.6)),
            "light, E along the interface": ("maxwell", light(problem, ny, nx, wave, 2.25, True)),
            "light, E across": ("maxwell", light(problem, ny, nx, wave, 2.25, False))}  # fmt: skip


def main():
    problem = Problem(__doc__)
    waves = (7, 14) if problem.small else (12, 24)
    for degrees in (35,) if problem.small else (10, 20, 30, 40, 50, 60, 70):
        coarse, fine = (cases(problem, degrees, wave) for wave in waves)
        for name in fine:
            (before, exact, _), (found, right, angle) = (comes_back(problem, *one[name]) for one in (coarse, fine))
            errors = abs(before - exact), abs(found - right)
            # The scheme is of order 2, at interfaces too: a quarter of the error is left, and what packets differ by.
            problem.compare(f"{name}, {angle:.1f} degrees", found, right, errors[0] / 4 + 0.001)
    problem.end()


main()
