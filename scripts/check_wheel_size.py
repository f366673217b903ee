"""No wheel that scripts/split_wheel.py will make of a wheel has more than BYTES.

    check_wheel_size.py WHEEL BYTES [LEVELS]

The wheels made are no smaller than what is counted here, less the twentieth that advzip saves, and hold libraries of
the system, a megabyte. LEVELS: the processors that kernels of the cpu are counted for, where the wheel has
them for fewer. Exits with 1 and says the largest files.
"""

import sys
import zipfile

import split_wheel


def parts_of(wheel):
    """Of each wheel to come the sizes and names of its files."""
    parts = {}
    for m in zipfile.ZipFile(wheel).infolist():
        kind = split_wheel.kind_of(m.filename)
        parts.setdefault(f"ridge_{kind}" if kind else "ridge", []).append((m.compress_size, m.filename))
    return parts


def main():
    wheel, most = sys.argv[1], int(sys.argv[2])
    levels = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    for part, files in parts_of(wheel).items():
        size = sum(size for size, _ in files)
        if part == "ridge_cpu" and levels > len(files):
            size = size * levels // len(files)
        if size * 0.95 > most:
            largest = ", ".join(f"{name} {n}" for n, name in sorted(files)[:-6:-1])
            sys.exit(f"the wheel {part} will have more than {most} bytes: {size} before its libraries are "
                     f"added; the largest files are {largest}")
        print(f"{part}: {size} bytes of {most}")


if __name__ == "__main__":
    main()
