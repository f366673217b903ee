"""Processes that are forked while another thread is in a call."""

import subprocess

import pytest
from test_process import script

BESIDE = """
import time
from ridge import lattice

forked = forked_beside
out = np.zeros_like(u)
in_time = ridge.sweeps(forked, boundary="periodic")
field = lattice.field(np.ones((4, 8, 3), complex), "colour_vector")
call = {call}
call()
stop = False

def loop():
    while not stop:
        call()

thread = threading.Thread(target=loop)
thread.start()
children = []
for i in range(6):
    time.sleep(0.01 + 0.007 * (i % 3))
    child = os.fork()
    if child == 0:
        try:
            ok = right(forked(u, schedule="threads=2")) and right(forked(u, device="simt:32"))
            in_time.run(u.copy(), steps=2)
        except ridge.Failure as e:
            os._exit(3 if "was forked while another thread" in str(e) else 4)
        os._exit(0 if ok else 1)
    children.append(child)
ends = []
last = time.monotonic() + 100
while children and time.monotonic() < last:
    for child in list(children):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            children.remove(child)
            ends.append(os.waitstatus_to_exitcode(status))
    time.sleep(0.01)
for child in children:
    os.kill(child, 9)
    ends.append("hangs")
stop = True
thread.join()
assert right(forked(u))
print(*ends)
"""


@pytest.mark.parametrize("call, allowed", [
    ("lambda: forked(u, out=out, schedule='threads=2')", {"0"}),
    ("lambda: forked(u, out=out, device='simt:32')", {"0"}),
    ("lambda: forked(u.copy(), schedule='threads=2')", {"0", "3"}),
    ("lambda: forked.measure(u, out=out, repeat=3)", {"0", "3"}),
    ("lambda: in_time.run(u.copy(), steps=50)", {"0", "3"}),
    ("lambda: lattice.norm2(field)", {"0", "3"}),
], ids=["launch", "launch on simt", "binding", "measure", "sweeps", "lattice"])
def test_children_compute_or_say_why_not(call, allowed):
    done = subprocess.run(script("forked_beside", BESIDE.format(call=call)), capture_output=True, text=True,
                          timeout=400, check=False)
    assert done.returncode == 0, done.stderr
    ends = done.stdout.split()
    assert len(ends) == 6 and set(ends) <= allowed, ends


def test_the_interpreter_of_a_child_ends():
    """Its own end waits for no call of its parent's threads."""
    text = """
import time
u = np.zeros((200, 300))
thread = threading.Thread(target=lambda: [forked_beside(u, device="simt:32") for _ in range(20)])
forked_beside(u, device="simt:32")
thread.start()
time.sleep(0.05)
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
    thread.join()
"""
    assert subprocess.run(script("forked_beside", text), timeout=400, check=False).returncode == 0
