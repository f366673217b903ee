"""Gauge configurations in numpy, written from the descriptions of the formats: what `ridge gauge` is compared with."""

import struct
import zlib

import numpy as np


def random_links(size, seed=1, spread=0.4):
    """Links [t, z, y, x, mu, 3, 3] near 1, special unitary."""
    rng = np.random.default_rng(seed)
    shape = (*reversed(size), 4, 3, 3)
    noise = rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape)
    q, r = np.linalg.qr(np.eye(3) + spread * noise)
    diagonal = np.diagonal(r, axis1=-2, axis2=-1)
    q = q * (diagonal / abs(diagonal))[..., None, :]
    return q / np.linalg.det(q)[..., None, None] ** (1 / 3)


def plaquette(links):
    total = 0
    for mu in range(4):
        for nu in range(mu + 1, 4):
            u, v = links[..., mu, :, :], links[..., nu, :, :]
            path = u @ np.roll(v, -1, axis=3 - mu)
            back = v @ np.roll(u, -1, axis=3 - nu)
            total += np.einsum("...ij,...ij", path, back.conj()).real.sum()
    return total / (18 * np.prod(links.shape[:4]))


def link_trace(links):
    return np.einsum("...ii", links).real.mean() / 3


def raw(links, point="IEEE64BIG", rows=3):
    order = ">" if point.endswith("BIG") else "<"
    number = np.dtype(f"{order}c{8 if '32' in point else 16}")
    return links[..., :rows, :].astype(number).tobytes()


def checksum(data, point="IEEE64BIG"):
    """The sum of 32-bit words; which half of a number comes first does not matter."""
    words = np.frombuffer(data, ">u4" if point.endswith("BIG") else "<u4")
    return int(words.sum(dtype=np.uint64)) & 0xFFFFFFFF


def write_nersc(file, links, point="IEEE64BIG", rows=3, more=(), **changed):
    data = raw(links, point, rows)
    header = {"HDR_VERSION": "1.0", "DATATYPE": "4D_SU3_GAUGE_3x3" if rows == 3 else "4D_SU3_GAUGE"}
    for d in range(4):
        header[f"DIMENSION_{d + 1}"] = links.shape[3 - d]
    header |= {"CHECKSUM": f"{checksum(data, point):x}", "LINK_TRACE": repr(float(link_trace(links))),
               "PLAQUETTE": repr(float(plaquette(links))), **dict(more), "FLOATING_POINT": point, **changed}
    lines = [f"{key} = {value}" for key, value in header.items() if value is not None]
    file.write_bytes("\n".join(["BEGIN_HEADER", *lines, "END_HEADER", ""]).encode() + data)


def read_nersc(file):
    """Its header, and its links as they are stored."""
    text, _, data = file.read_bytes().partition(b"END_HEADER\n")
    lines = text.decode().splitlines()
    assert lines[0] == "BEGIN_HEADER"
    header = dict(line.split(" = ", 1) for line in lines[1:])
    rows = 3 if header["DATATYPE"].endswith("3x3") else 2
    point = header["FLOATING_POINT"]
    number = np.dtype(f"{'>' if point.endswith('BIG') else '<'}c{8 if '32' in point else 16}")
    size = [int(header[f"DIMENSION_{d}"]) for d in (4, 3, 2, 1)]
    assert int(header["CHECKSUM"], 16) == checksum(data, point)
    return header, np.frombuffer(data, number).reshape(*size, 4, rows, 3)


def rotated(word, by):
    return ((word << by) | (word >> (32 - by))) & 0xFFFFFFFF if by else word


def scidac_checksum(data, sites):
    a = b = 0
    each = len(data) // sites
    for i in range(sites):
        crc = zlib.crc32(data[i * each:(i + 1) * each])
        a ^= rotated(crc, i % 29)
        b ^= rotated(crc, i % 31)
    return a, b


def lime_record(kind, data, flags=0):
    header = struct.pack(">IHHQ", 0x456789AB, 1, flags, len(data)) + kind.encode().ljust(128, b"\0")
    return header + data + b"\0" * (-len(data) % 8)


def write_ildg(file, links, bits=64, field="su3gauge", sums=None):
    data = raw(links, f"IEEE{bits}BIG")
    nt, nz, ny, nx = links.shape[:4]
    a, b = sums or scidac_checksum(data, nt * nz * ny * nx)
    form = (f"<ildgFormat><version>1.0</version><field> {field} </field>\n<precision>{bits}</precision>"
            f"<lx>{nx}</lx><ly>{ny}</ly><lz>{nz}</lz><lt>{nt}</lt></ildgFormat>")
    sums = f"<scidacChecksum><version>1.0</version><suma>{a:x}</suma><sumb>{b:x}</sumb></scidacChecksum>"
    file.write_bytes(lime_record("xlf-info", b"plaquette = unknown\n", 0xC000) +
                     lime_record("ildg-format", form.encode(), 0x8000) + lime_record("ildg-binary-data", data) +
                     lime_record("scidac-checksum", sums.encode(), 0x4000))


def lime_records(file):
    data = file.read_bytes()
    at, records = 0, {}
    while at < len(data):
        magic, version, _, size = struct.unpack(">IHHQ", data[at:at + 16])
        assert (magic, version) == (0x456789AB, 1)
        records[data[at + 16:at + 144].rstrip(b"\0").decode()] = data[at + 144:at + 144 + size]
        at += 144 + (size + 7) // 8 * 8
    assert at == len(data)
    return records
