"""Every command of docs/sources.md runs and ends well."""

import re
import shlex

import pytest
from conftest import ROOT

COMMANDS = re.findall(r"`ridge ([^`]+)`", (ROOT / "docs/sources.md").read_text())


def test_the_page_has_commands():
    assert len(COMMANDS) > 25


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(ridge, folder, command):
    # An emulated or busy machine may have a launch that the doctor cannot explain (exit 1): it says so.
    result = ridge(*shlex.split(command))
    explained = "cannot explain" in result.err + result.out
    assert result.code == 0 or (command.startswith("doctor") and result.code == 1 and explained), (
        command, result.code, result.err)
    assert result.out
