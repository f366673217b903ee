"""What tests of the command over ranks share: mpirun -n N ridge ..."""

import os
import shutil
import subprocess
import time

MPIRUN = shutil.which(os.environ.get("RIDGE_MPIRUN", "mpirun"))
MPICH = MPIRUN is not None and "hydra" in os.path.realpath(MPIRUN)
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_pml": "ob1",  # the one of a machine without a fabric; to look for others takes 0.2 s a start
    "OMP_NUM_THREADS": "1",
}


def lines_of_ridge(err):
    return [line for line in err.splitlines() if line.startswith("ridge: ")]


def refused(result, *says, code=2):
    """One line, once, whatever the launcher adds. That of MPICH may return how ranks were ended."""
    assert result.code == code or (result.code != 0 and MPICH), (result.code, result.err)
    lines = lines_of_ridge(result.err)
    assert len(lines) == 1, result.err
    for text in says:
        assert text in lines[0], lines[0]


def mixed(mpi, *two):
    """Two ranks with words of their own."""
    words = [MPIRUN]
    for part in two:
        words += [":"] if len(words) > 1 else []
        words += ["-n", "1", mpi.program, *map(str, part)]
    done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, timeout=100,
                          check=False)

    class Ended:
        code, out, err = done.returncode, done.stdout, done.stderr
    return Ended


def descendants(process, program):
    """Processes that run the program below another, whatever the launcher puts between."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,args="], capture_output=True, text=True,
                            check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    below, found = {process}, []
    grown = True
    while grown:
        grown = False
        for pid, parent, *args in rows:
            if int(parent) in below and int(pid) not in below:
                below.add(int(pid))
                grown = True
                if args and args[0].startswith(program):
                    found.append(int(pid))
    return found


def running_ranks(mpi, words):
    """A run that lasts, its launcher and the processes of its ranks."""
    mpi.require_built(words)
    launcher = subprocess.Popen([MPIRUN, "-n", "3", mpi.program, *map(str, words)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=ENVIRONMENT)
    end = time.time() + 100
    ranks = []
    while len(ranks) < 3 and time.time() < end:
        time.sleep(0.2)
        ranks = descendants(launcher.pid, mpi.program)
    assert len(ranks) == 3, ranks
    return launcher, ranks


def runs(process):
    """Whether it has not ended; one that nobody waits for stays as a zombie."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
