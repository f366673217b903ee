"""The command as a whole: help, versions, unknown words, output that cannot be written."""

import resource
import subprocess

import pytest
from conftest import EXTENDED, OF_WINGS

COMMANDS = ["devices", "roof", "bench", "apply", "lab", "doctor", "count"]


def test_help_lists_the_commands(ridge):
    text = ridge.good("--help").out
    for command in COMMANDS:
        assert f"\n  {command} " in text


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(ridge, command):
    text = ridge.good(command, "--help").out
    assert "--json" in text
    assert ("--device" in text) == (command != "devices")


def test_version(ridge):
    assert ridge.good("--version").out.startswith("ridge ")


@pytest.mark.parametrize("words", [["--help"], ["devices"], ["apply", "--help"]])
def test_starts_at_once(ridge, words):
    def seconds():
        """Of a processor: how long others keep it does not count."""
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        ridge.good(*words)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        return end.ru_utime - begin.ru_utime + end.ru_stime - begin.ru_stime

    assert min(seconds() for _ in range(3)) < 0.2


THE_COMMANDS = "the commands are " + ", ".join([
    "lab", "bench", "schedules", "model", "tune", "doctor", "count", "apply", "evolve", *EXTENDED, *OF_WINGS, "devices",
    "roof", "report", "compare"])


@pytest.mark.parametrize(
    "words, says",
    [
        ([], THE_COMMANDS),
        (["fly"], "fly; " + THE_COMMANDS),
        (["--fly"], "--fly; " + THE_COMMANDS),
        (["devices", "--fly"], "--fly"),
        (["devices", "extra"], "extra"),
        (["roof", "--device"], "--device"),
        (["bench"], "KERNEL"),
        (["bench", "laplacian", "--repeat", "0"], "--repeat"),
        (["bench", "laplacian", "--repeat", "many"], "--repeat"),
        (["bench", "laplacian", "--repeat", "4.5"], "--repeat: '4.5' is not a whole number"),
        (["bench", "laplacian", "--repeat", "0x10"], "--repeat: '0x10' is not a whole number"),
        (["bench", "laplacian", "--repeat", "99999999999"], "'99999999999' is beyond -2147483648 to 2147483647"),
        (["apply", "laplacian"], "INPUT"),
        (["apply", "laplacian", "a.h5:/u"], "--output"),
    ],
)
def test_unknown_words_are_a_usage_error(ridge, words, says):
    ridge.bad(*words, says=[says, "--help"])


@pytest.mark.parametrize("command", [["roof"], ["bench", "laplacian"], ["lab"]])
@pytest.mark.parametrize("device", ["", "gpu", "cuda:", "cuda:-1", "cuda:99", "hip:99", "simt", "simt:16",
                                    "cpu:1", "CPU"])
def test_unknown_device(ridge, command, device):
    ridge.bad(*command, "--device", device, says=["cpu, simt:32, simt:64"])


def test_full_output_is_a_failure(ridge):
    with open("/dev/full", "w") as full:
        done = subprocess.run([ridge.program, "devices"], stdout=full, stderr=subprocess.PIPE,
                              text=True, check=False)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
