"""The x86-64 machine code of functions in a program: their instructions and innermost loops."""

import os
import re
import subprocess
import sys
import unittest

SKIPPED = 77  # what ctest is told to take for it
PACKED = re.compile(r"^v?(add|sub|mul|div|sqrt|min|max|fn?m(add|sub)(132|213|231)?)p[sd]$")
SCALAR = re.compile(r"^v?(add|sub|mul|div|sqrt|min|max|fn?m(add|sub)(132|213|231)?)s[sd]$")
WHOLE_REGISTER = re.compile(r"%[yz]mm")


def functions(name_pattern):
    """Name and instructions (address, mnemonic, operands) of each function of `ridge` whose mangled
    name has the pattern."""
    text = subprocess.run(
        [os.environ.get("OBJDUMP", "objdump"), "-d", "-w", "--no-show-raw-insn",
         os.environ["RIDGE"]],
        capture_output=True, text=True, check=True).stdout
    found = {}
    name = None
    for line in text.splitlines():
        begin = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if begin:
            wanted = re.search(name_pattern, begin[1]) and not begin[1].endswith("@plt")
            name = begin[1] if wanted else None
            if name:
                found[name] = []
        elif name:
            parts = re.match(r"^\s*([0-9a-f]+):\s+(?:(?:data16|cs|notrack|bnd|lock|rep\S*)\s+)*(\S+)\s*(.*)$",
                             line)
            if parts:
                found[name].append((int(parts[1], 16), parts[2], parts[3]))
    return found


def mnemonics(functions_by_name, pattern):
    """The mnemonics of each of the functions whose name has the pattern, their parts for rare cases
    left out."""
    return {name: [i[1] for i in code] for name, code in functions_by_name.items()
            if re.search(pattern, name) and ".cold" not in name}


def successors(code):
    place = {address: i for i, (address, _, _) in enumerate(code)}
    after = [[] for _ in code]
    for i, (_, mnemonic, operands) in enumerate(code):
        if i + 1 < len(code) and mnemonic not in ("jmp", "ret"):
            after[i].append(i + 1)
        target = re.match(r"([0-9a-f]+) <", operands) if mnemonic.startswith("j") else None
        if target and int(target[1], 16) in place:
            after[i].append(place[int(target[1], 16)])
    return after


def cycles(nodes, after):
    """Strongly connected sets of nodes (Kosaraju), those of a single node left out."""
    order, seen = [], set()
    for root in nodes:
        stack = [(root, iter(after[root]))] if root not in seen else []
        seen.add(root)
        while stack:
            node, rest = stack[-1]
            following = next((n for n in rest if n in nodes and n not in seen), None)
            if following is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(after[following])))
    before = {n: [] for n in nodes}
    for n in nodes:
        for m in after[n]:
            if m in nodes:
                before[m].append(n)
    taken = set()
    for root in reversed(order):
        if root in taken:
            continue
        found, rest = {root}, [root]
        taken.add(root)
        while rest:
            for n in before[rest.pop()]:
                if n not in taken:
                    taken.add(n)
                    found.add(n)
                    rest.append(n)
        if len(found) > 1:
            yield found


def innermost_loops(code):
    """Instructions of each loop in which there is no other.

    Compilers move rare blocks out of a loop's addresses and enter loops in the middle, so loops are
    found by following jumps: cycles, and the cycles that remain without an entry. (One at a time: a
    cycle of several entries may be entered in the middle of a smaller one, which must remain.)
    """
    after = successors(code)
    work = list(cycles(set(range(len(code))), after))
    while work:
        loop = work.pop()
        entries = {m for n in range(len(code)) if n not in loop for m in after[n] if m in loop}
        smaller = list(cycles(loop - {min(entries or loop)}, after))
        work += smaller
        if not smaller:
            yield [code[i] for i in sorted(loop)]


def packed(loop):
    """Its instructions that compute with whole vector registers."""
    return [i for i in loop if PACKED.match(i[1]) and WHOLE_REGISTER.search(i[2])]


def scalar(loop):
    """Its instructions that compute with single numbers."""
    return [i for i in loop if SCALAR.match(i[1])]


def main():
    """Runs the tests of the calling file, or skips them on another architecture."""
    machine = subprocess.run([os.environ.get("OBJDUMP", "objdump"), "-f", os.environ["RIDGE"]],
                             capture_output=True, text=True, check=True).stdout
    if "x86-64" not in machine:
        print("the patterns are those of x86-64")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
