"""The cache of kernels that are compiled on demand, and what becomes of a bad one."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess

import pytest

from user_kernels import cache, env, heat, sources  # noqa: F401 -- fixtures
from user_kernels import HEAT, is_description, is_header, want_headers


def copy_of(cache, folder):
    """A copy whose files may be changed, but for the compiled headers, which are large."""
    def copy(source, target):
        linked = source.endswith(".so") and is_header(pathlib.Path(source))
        return (os.link if linked else shutil.copy2)(source, target)

    return shutil.copytree(cache, folder, copy_function=copy)


def damage(cache, ending, change, also=None):
    """Changes the executors that are cached, and of what takes longer, descriptions and compiled headers, those that
    `also` says."""
    files = [f for f in cache.iterdir()
             if f.suffix == ending and (also and also(f) or not (is_header(f) or is_description(f)))]
    assert 0 < len(files) < sum(f.suffix == ending for f in cache.iterdir())
    assert also is not is_description or any(map(also, files))
    for file in files:
        if is_header(file):  # which may be shared with the cache that this one is a copy of
            content = file.read_bytes()
            file.unlink()
            file.write_bytes(content)
        change(file)


def test_a_damaged_cache_costs_a_compilation(ridge, env, cache, heat, tmp_path):
    words = ("bench", heat, "--device", "cpu", "--size", "20x20x20", "--repeat", 1, "--no-roof", "--json")
    ridge.good(*words, env=env)
    want_headers(cache)
    ridge.good(*words, "--schedule", "depth=2", env=env)
    for i, (ending, change, *also) in enumerate([
            (".so", lambda f: f.write_bytes(f.read_bytes()[:1000]), is_header),
            (".so", lambda f: f.write_bytes(b""), is_description),
            (".txt", lambda f: f.write_text("nonsense")),
            (".txt", lambda f: f.write_text(f.read_text().replace("schema", "scheme")))]):
        damaged = copy_of(cache, tmp_path / f"damaged{i}")
        damage(damaged, ending, change, *also)
        for tally in damaged.glob("*.wanted") if i > 0 else ():
            tally.unlink()  # no header is compiled beforehand but that which was damaged
        (record,) = ridge.good(*words, env={**env, "RIDGE_CACHE": str(damaged)}).records()
        assert record["compiled"] == "now" and record["check"]["ok"]


def test_headers_of_other_descriptions_are_wanted_too(ridge, tmp_path):
    """Those of kernels that are stored in 16 bits, as those of Python's: compiled beforehand from the sixth on."""
    env = {**os.environ, "RIDGE_CACHE": str(tmp_path / "cache"), "RIDGE_CXX": "/bin/false"}
    ridge.bad("bench", "laplacian", "--store-as", "fp16", "--device", "cpu", "--size", "20x20x20", code=1, says="/bin/false",
              env=env)
    assert len(list((tmp_path / "cache").glob("*.wanted"))) == 1


def test_a_full_cache_keeps_kernels_rather_than_headers(ridge, tmp_path):
    """Of 1 GB. What is as large as compiled headers goes first, that used longest ago before others."""
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)

    def entry(name, size, used):
        (cache / f"{name}.so").write_bytes(b"")
        os.truncate(cache / f"{name}.so", size)  # which takes no room
        (cache / f"{name}.txt").write_text("object 0\nkey\n" + name)
        os.utime(cache / f"{name}.txt", (used, used))

    kernels, headers = [f"kernel{i}" for i in range(40)], [f"headers{i}" for i in range(10)]
    for i, name in enumerate(kernels):
        entry(name, 50_000, 1_000_000_000 + i)
    for i, name in enumerate(headers):
        entry(name, 110_000_000, 1_100_000_000 + i)

    def gone_after(kernel, precision):
        words = ("--precision", precision, "--schedule", "depth=4", "--device", "cpu", "--size", "20x20x20")
        (record,) = ridge.good("bench", kernel, *words, "--repeat", 1, "--no-roof", "--json",
                               env={**os.environ, "RIDGE_CACHE": str(cache)}).records()
        assert record["compiled"] == "now"
        left = {file.stem for file in cache.glob("*.so")}
        return [name for name in kernels + headers if name not in left]

    (cache / "headers0.so").unlink()
    assert gone_after("laplacian", "fp64") == ["headers0"]  # 992 MB
    entry("headers0", 110_000_000, 1_100_000_000)
    assert gone_after("laplacian", "fp32") == headers[:4]
    for i, name in enumerate(kernels):  # 360 MB and 660
        entry(name, 9_000_000, 1_000_000_000 + i)
    assert gone_after("laplacian4", "fp64") == kernels[:3] + headers[:4]


# A built-in kernel under a schedule that is not compiled ahead: no description has to be.
ON_DEMAND = ("bench", "laplacian", "--schedule", "depth=4 store=plain", "--device", "cpu", "--size",
             "20x20x20", "--repeat", 1, "--no-roof", "--json")


@pytest.mark.parametrize("mode, says", [(0o777, "everybody may write"), (0o775, "its group may write"),
                                        (0o1770, "its group may write")])
def test_a_cache_open_to_others_is_not_used(ridge, tmp_path, mode, says):
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(mode)
    # A compiler that fails at once: which folder it is does not depend on what is compiled.
    env = {**os.environ, "RIDGE_CACHE": str(cache), "RIDGE_CXX": "/bin/false"}
    result = ridge(*ON_DEMAND, env=env)
    assert says in result.err.splitlines()[0]
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("name", ['quo"te', "back\\slash"])
def test_a_cache_that_no_source_can_name_is_not_used(ridge, tmp_path, name):
    env = {**os.environ, "RIDGE_CACHE": str(tmp_path / name), "RIDGE_CXX": "/bin/false"}
    result = ridge(*ON_DEMAND, env=env)
    assert "C++ cannot name it: it has a quotation mark" in result.err.splitlines()[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode, used", [(0o755, True), (0o1777, True), (0o777, False), (0o770, False)])
def test_a_cache_below_a_folder_that_others_may_write_to(ridge, tmp_path, mode, used):
    """They could put another in its place, but where it has the sticky bit."""
    above = tmp_path / "above"
    above.mkdir()
    if os.geteuid() == 0:
        os.chown(above, 0, 12345)  # a group that is not the user's own
    elif mode == 0o770:
        pytest.skip("only root has a group of others to give")
    above.chmod(mode)
    env = {**os.environ, "RIDGE_CACHE": str(above / "cache"), "RIDGE_CXX": "/bin/false"}
    result = ridge(*ON_DEMAND, env=env)
    assert ("may write to" in result.err) is not used, result.err


@pytest.mark.parametrize("folder", ["read only", "impossible", "a file"])
def test_a_cache_that_takes_nothing_costs_a_compilation(ridge, tmp_path, folder):
    cache = tmp_path / "cache"
    if folder == "read only":
        if os.geteuid() == 0:  # may write to all folders but those of the system's own
            cache = "/sys/kernel"
        else:
            cache.mkdir(0o500)
    elif folder == "impossible":
        cache = "/proc/none/cache"
    else:
        cache.write_text("")
    # The other folders are refused before anything is compiled, with the same line.
    compiler = {} if folder == "read only" else {"RIDGE_CXX": "/bin/false"}
    result = ridge(*ON_DEMAND, env={**os.environ, "RIDGE_CACHE": str(cache), **compiler})
    line, *more = result.err.splitlines()
    if folder == "read only":
        (record,) = result.records()
        assert record["compiled"] == "now" and record["check"]["ok"]
        assert more == []
    assert line.startswith("ridge: what is compiled now is not kept") and "RIDGE_CACHE" in line


def test_a_full_disk_is_a_clear_failure_or_does_not_matter(ridge, env, tmp_path):
    """Files may have no more than so many bytes, as if the disk had no more left."""
    small = tmp_path / "cache"
    for room in 0, 30_000, 2_000_000:
        def limit(room=room):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

        result = ridge(*ON_DEMAND, env={**env, "RIDGE_CACHE": str(small)}, preexec_fn=limit)
        if result.code == 0:  # the compiled headers alone did not fit
            assert result.records()[0]["check"]["ok"] and result.err == ""
        else:
            assert result.code == 1 and result.out == ""
            (line,) = result.err.splitlines()
            assert "is the disk full?" in line, line
        assert room > 0 or result.code == 1
    # Nothing wrong is left behind.
    (record,) = ridge.good(*ON_DEMAND, env={**env, "RIDGE_CACHE": str(small)}).records()
    assert record["check"]["ok"]


def test_a_cache_of_another_machine_is_not_used(ridge, env, cache, tmp_path):
    """A cache on a shared disk: objects that were compiled for another processor."""
    ridge.good(*ON_DEMAND, env=env)
    other = copy_of(cache, tmp_path / "other")
    changed = 0
    for note in other.glob("*.txt"):
        text = note.read_text()
        if "\nflags" in text and not is_header(note):
            note.write_text(text.replace("\nflags", "\nflags of another:", 1))
            changed += 1
    assert changed > 0
    (record,) = ridge.good(*ON_DEMAND, env={**env, "RIDGE_CACHE": str(other)}).records()
    assert record["compiled"] == "now" and record["check"]["ok"]


def test_many_processes_compile_once_what_one_was_killed_over(ridge, env, tmp_path):
    """A compilation that is killed leaves nothing wrong, nor do others wait for it."""
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    (tmp_path / "heat.hpp").write_text(HEAT.replace("0.25", "0.3125")) # which nothing has compiled yet
    words = [ridge.program, "bench", f"{tmp_path / 'heat.hpp'}:Heat", "--device", "cpu", "--size",
             "20x20x20", "--repeat", "1", "--no-roof", "--json"]
    process = subprocess.Popen(words, env={**env, "RIDGE_CXX": str(slow)})
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    process.kill()
    process.wait()
    running = [subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True)
               for _ in range(16)]
    outputs = [p.communicate(timeout=300)[0] for p in running]
    assert all(p.returncode == 0 for p in running)
    assert sum('"compiled": "now"' in out for out in outputs) == 1
    assert all(record["check"]["ok"] for out in outputs for record in json.loads(out))
