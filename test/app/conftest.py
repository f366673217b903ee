"""What the tests of the `ridge` command share: running it, and writing and reading its files."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import h5py
import pytest

from over_ranks import ENVIRONMENT, MPIRUN

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pytest_configure(config):
    config.addinivalue_line("markers", "beside: of ranks that compute little, which may run beside other tests")


def place_of(wing):
    """Where its commands stand in lists (cmake/RidgeWings.cmake)."""
    file = wing / "place"
    return (int(file.read_text()) if file.exists() else 50, wing.name)


def commands_of(wings, call="add_command"):
    """Those that wings add, or, with `extend`, those of the house that are there where a wing adds to them."""
    texts = [file.read_text() for wing in wings for file in sorted((wing / "command").glob("*.cpp"))]
    return [command for text in texts for command in re.findall(rf'\bline\.{call}\(\s*"(\w+)"', text)]


WINGS = sorted((ROOT / "wings").iterdir(), key=place_of)
# Those of this build, which may lie elsewhere.
BUILT = WINGS
if "RIDGE_WINGS" in os.environ:
    BUILT = [pathlib.Path(wing) for wing in os.environ["RIDGE_WINGS"].split(",") if wing]
OF_WINGS = commands_of(BUILT)
EXTENDED = sorted(set(commands_of(BUILT, "extend")))


def kernels_of(wings):
    """Names of the kernels in wings' headers, and of those that wings announce (KernelsAnnounced)."""
    files = [file for wing in wings for folder in ("include/ridge/lab/kernels/*/*.hpp", "src/*.cpp")
             for file in sorted(wing.glob(folder))]
    return [name for file in files for name in re.findall(r'(?:name = |kernel\w*[({]\s*)"([^"]+)"', file.read_text())]


NOT_BUILT = {*commands_of(WINGS), *commands_of(WINGS, "extend")} - {*OF_WINGS, *EXTENDED}
KERNELS_NOT_BUILT = set(kernels_of(WINGS)) - set(kernels_of(BUILT))


def is_built(words):
    """True where this build has a command and the kernel that follows it."""
    return words[0] not in NOT_BUILT and not KERNELS_NOT_BUILT.intersection(map(str, words[1:2]))


def built(commands):
    """The commands that this build has, out of a list of names or of words, or a dictionary of words by name."""
    if isinstance(commands, dict):
        return {name: words for name, words in commands.items() if is_built(words)}
    return [words for words in commands if is_built([words] if isinstance(words, str) else words)]


def without_waits(text):
    """What stderr says but for compilations that take long, as any does on a busy machine."""
    return "".join(line for line in text.splitlines(True) if not line.startswith("ridge: compiling "))


class Result:
    """How a run of the command ended."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err

    def records(self):
        assert self.code == 0, self.err
        return json.loads(self.out)


class Ridge:
    """The command. Its output is piped, never a terminal, unless a test says otherwise."""

    def __init__(self, program):
        self.program = program

    @staticmethod
    def require_built(words):
        """Skips the rest of a test of another wing's commands or kernels, or of what is the same for all."""
        if words and not is_built(words):
            pytest.skip(f"this build has no {' '.join(map(str, words[:2] if words[0] not in NOT_BUILT else words[:1]))}")

    def __call__(self, *words, cwd=None, limit=120, prefix=(), **options):
        self.require_built(words)
        done = subprocess.run(
            [*prefix, self.program, *map(str, words)],
            cwd=cwd, capture_output=True, text=True, timeout=limit, check=False, **options,
        )
        return Result(done.returncode, done.stdout, without_waits(done.stderr))

    def good(self, *words, **options):
        """Runs what must succeed without a word on stderr."""
        result = self(*words, **options)
        assert result.code == 0, result.err
        assert result.err == ""
        assert not control_characters(result.out)
        return result

    def bad(self, *words, code=2, says=(), **options):
        """Runs what must fail with one clear line on stderr, in which `says` is to be found."""
        result = self(*words, **options)
        assert result.code == code, (result.code, result.out, result.err)
        lines = result.err.splitlines()
        assert len(lines) == 1, result.err
        assert lines[0].startswith("ridge: ")
        assert not control_characters(result.err)
        for text in [says] if isinstance(says, str) else says:
            assert text in result.err, result.err
        return result

    def start(self, *words, **options):
        """Starts the command to be interrupted: SIGINT is not ignored, whoever runs the tests."""
        self.require_built(words)
        return subprocess.Popen(
            [self.program, *map(str, words)],
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )


def processor_seconds(process):
    """What a process has used, its ended children not counted."""
    with open(f"/proc/{process}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until_it_heeds_signals(run):
    """Waits until a run handles Ctrl-C itself, however long it takes to start."""
    end = time.monotonic() + 100
    while True:
        with open(f"/proc/{run.pid}/status", encoding="ascii") as status:
            caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
        if caught >> (signal.SIGINT - 1) & 1:
            return
        assert run.poll() is None and time.monotonic() < end
        time.sleep(0.01)


def let_it_work(run, seconds=0.2):
    """Waits until a run has used so much more of processors: by then it is at work, however busy the machine is."""
    begin, end = processor_seconds(run.pid), time.monotonic() + 100
    while processor_seconds(run.pid) < begin + seconds:
        assert run.poll() is None and time.monotonic() < end
        time.sleep(0.01)


def control_characters(text):
    return re.findall(r"[\x00-\x09\x0b-\x1f\x7f]", text)


@pytest.fixture(scope="session", autouse=True)
def no_wisdom(tmp_path_factory):
    """What was tuned on this machine is none of the tests' business."""
    os.environ["RIDGE_WISDOM"] = str(tmp_path_factory.mktemp("wisdom") / "none")


@pytest.fixture(scope="session", autouse=True)
def small_roofs():
    """How fast the memory is is not what these tests ask: its ceilings are measured on small arrays."""
    os.environ.setdefault("RIDGE_ROOF_MIB", "2")


@pytest.fixture(scope="session")
def ridge():
    program = pathlib.Path(os.environ.get("RIDGE", ROOT / "build" / "ridge")).resolve()
    if not program.exists():
        pytest.exit(f"there is no {program}: build it, or set RIDGE to it", returncode=2)
    return Ridge(str(program))


@pytest.fixture(scope="session")
def mpi(ridge):
    """Runs the command on so many ranks."""
    module = os.path.join(os.path.dirname(ridge.program), "lib", "ridge", "ridge_mpi.so")
    if MPIRUN is None or not os.path.exists(module):
        pytest.skip("there is no MPI here")

    def run(ranks, *words, limit=240, env=ENVIRONMENT, **options):
        return ridge(*words, prefix=(MPIRUN, "-n", str(ranks)), env=env, limit=limit, **options)

    run.program = ridge.program
    run.require_built = ridge.require_built
    return run


@pytest.fixture(scope="session")
def killed(ridge, tmp_path_factory):
    """Runs the command until so many changes of its files, 0 for all; returns how it ended."""
    library = tmp_path_factory.mktemp("killed") / "killed.so"
    source = pathlib.Path(__file__).with_name("killed.c")
    compiler = os.environ.get("CXX", "g++")
    subprocess.run([compiler, "-x", "c", "-shared", "-fPIC", "-O1", source, "-o", library, "-ldl"], check=True)

    def run(changes, *words):
        return ridge(*words, env={**os.environ, "LD_PRELOAD": str(library), "KILLED_AT": str(changes)})

    return run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, which is also the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def require_published_answers(ridge, script):
    """The small form of a validation."""
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / "validation" / f"{script}.py", ridge.program, "cpu", "--small"],
        capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "agrees", done.stdout + done.stderr


def left_in(folder):
    """Names of the files in a folder, hidden ones too."""
    return sorted(p.name for p in pathlib.Path(folder).iterdir())


def run_files(stem, *steps):
    """Names of the files of a run with snapshots of these steps."""
    return sorted([f"{stem}.{step:010}.h5" for step in steps] + [f"{stem}.h5", f"{stem}.xdmf"])


def as_one_file(name):
    """Makes of a run of bodies what earlier versions wrote: all snapshots in one file."""
    with h5py.File(name, "a") as h5:
        mass = h5["mass"][:]
        del h5["mass"]
        h5["mass"] = mass
        for step in list(h5["snapshots"]):
            file = h5["snapshots"].get(step, getlink=True).filename
            del h5["snapshots"][step]
            group = h5["snapshots"].create_group(step)
            group["mass"] = h5["mass"]
            with h5py.File(file) as snapshot:
                for dataset in snapshot.keys() - {"mass"}:
                    snapshot.copy(dataset, group)
                for attribute, value in snapshot.attrs.items():
                    if attribute != "run" and not attribute.startswith("box_"):
                        group.attrs[attribute] = value
            os.remove(file)


def rest_of_terminal(ours):
    """All that is still written to the other side of a pseudo-terminal, until it is closed."""
    seen = b""
    while True:
        try:
            got = os.read(ours, 4096)
        except OSError:
            return seen
        if not got:
            return seen
        seen += got


@pytest.fixture
def small_disk(folder, request):
    """A folder `disk` of so many bytes as the test's parameter says, in the way mount has them."""
    os.mkdir("disk")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={request.param}", "tmpfs", "disk"],
                             capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("mounting a small disk needs root")
    yield folder / "disk"
    subprocess.run(["umount", "disk"], check=True)
