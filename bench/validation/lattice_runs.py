"""What the scripts of lattice gauge theory share: runs of the command, configurations, jackknife errors, the verdict."""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import time

SIZE = "16x16x16x32"


class Runs:
    """The words of a script: RIDGE DEVICE [--small] [--number N] [--seconds S] [--size S] [--folder F]."""

    def __init__(self, meaning, number, more=()):
        words = argparse.ArgumentParser(description=meaning)
        words.add_argument("ridge")
        words.add_argument("device")
        words.add_argument("--small", action="store_true", help="in seconds, on any device")
        words.add_argument("--number", type=int, default=number, help="of configurations, at most")
        words.add_argument("--seconds", type=float, default=math.inf, help="no configuration is begun later")
        words.add_argument("--size", default=SIZE, help="of configurations; another is no validation")
        words.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(), help="of configurations, kept")
        for name, value in more:
            words.add_argument(name, default=value)
        self.words = words.parse_args()
        self.begin = time.monotonic()

    def __call__(self, *words):
        return self.host(*words, "--device", self.words.device)

    def host(self, *words):
        """What needs no device."""
        done = subprocess.run([self.words.ridge, *map(str, words)], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return done.stdout

    def record(self, *words):
        return json.loads(self(*words, "--json"))[0]

    def file(self, name):
        return self.words.folder / name

    def configurations(self, beta):
        """Files, at least 60 sweeps apart after 400 from a hot start, each with four overrelaxations; made where they are
        not there, until the time is over."""
        last, size = None, self.words.size
        for n in range(self.words.number):
            if n > 1 and time.monotonic() - self.begin > self.words.seconds:
                return
            links = self.file(f"beta{beta}_{size}_{n}.nersc")
            if not links.exists():
                begin = ["--start", last] if last else ["--size", size, "--start", "hot", "--seed", 1]
                self("gauge", "heatbath", "--beta", beta, "--sweeps", 60 if last else 400, "-o", links, *begin)
            last = links
            yield links

    def solve(self, kind, links, *words):
        """Correlators by name from the source's time on, and the record."""
        out = self.file("propagator.h5")
        record = self.record("solve", kind, links, *words, "--no-roof", "--overwrite", "-o", out)
        found = {name[11:]: [float(c) for c in text.split()] for name, text in record.items()
                 if name.startswith("correlator_")}  # fmt: skip
        out.unlink()
        return found, record


def jackknife(samples, value):
    """value(samples), and its error from leaving out one after the other."""
    whole, n = value(samples), len(samples)
    if n < 2:
        return whole, math.inf
    parts = [value(samples[:i] + samples[i + 1 :]) for i in range(n)]
    return whole, math.sqrt((n - 1) / n * sum((p - whole) ** 2 for p in parts))


def mean(samples):
    return sum(samples) / len(samples)


def mean_of(correlators):
    return [mean(values) for values in zip(*correlators)]


def cosh_mass(correlators, first, last):
    """From cosh(m (t - T / 2)), the mean over times first to last."""
    both = mean_of(correlators)
    half = len(both) // 2
    folded = [(both[t] + both[-t % len(both)]) / 2 for t in range(half + 1)]
    masses = []
    for t in range(first, last):
        low, high = 1e-6, 5.0
        for _ in range(80):
            m = (low + high) / 2
            if math.cosh(m * (t - half)) / math.cosh(m * (t + 1 - half)) < folded[t] / folded[t + 1]:
                low = m
            else:
                high = m
        masses.append(low)
    return mean(masses)


def ratio_mass(correlators, first, last):
    """The logarithm of C(first) / C(last) over their distance."""
    values = mean_of(correlators)
    return math.log(values[first] / values[last]) / (last - first)


def verdict(rows):
    """Rows of name, ours, error, least and most that are printed (none: not found offline): a line each, then the sum.
    Ours agrees within two of its errors."""
    apart, undecided = [], False
    for name, ours, error, printed in rows:
        text = f"{name:28} {ours:.6g} +- {error:.2g}"
        if printed is None:
            print(f"{text}   printed: not found offline")
            continue
        least, most = printed
        off = max(least - ours, ours - most, 0)
        print(f"{text}   printed {least:g} to {most:g}")
        undecided = undecided or math.isinf(error)
        if off > 2 * error:
            apart.append(f"{name} by {off:.2g}" + (f" ({off / error:.1f} errors)" if error > 0 else ""))
    if undecided:
        print("undecided: one configuration has no error")
        return
    print("agrees" if not apart else f"differs by {apart[0]}" + "".join(f"; {one}" for one in apart[1:]))
