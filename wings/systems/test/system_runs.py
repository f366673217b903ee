"""Runs of `ridge evolve` of a system on in.h5, and what their files hold."""

import h5py


def write(file="in.h5", **fields):
    with h5py.File(file, "w") as h5:
        for name, values in fields.items():
            h5[name] = values


def read(*names, step=-1, file="out.h5"):
    with h5py.File(file) as h5:
        steps = sorted(h5["snapshots"])
        group = h5["snapshots"][steps[step] if step < 0 else f"{step:010}"]
        found = [group[name][...] for name in names]
    return found[0] if len(found) == 1 else found


def evolve(ridge, system, *options, device="cpu", out="out.h5", **more):
    return ridge.good("evolve", system, "in.h5", "-o", out, "--overwrite", "--device", device,
                      *options, **more)


def places(file, *rows, columns="x,y,z"):
    with open(file, "w") as out:
        out.write(columns + "\n" + "".join(",".join(str(v) for v in row) + "\n" for row in rows))
