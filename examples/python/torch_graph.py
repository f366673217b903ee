"""Tensors of torch: a stencil between torch's own operations, on a GPU in a captured graph.

Without a GPU the tensors lie on the host."""

import torch

import ridge


@ridge.stencil
def heat(u, rate):
    return u[0, 0, 0] + rate * (u[0, 0, 1] + u[0, 0, -1] + u[0, 1, 0] + u[0, -1, 0]
                                + u[1, 0, 0] + u[-1, 0, 0] - 6 * u[0, 0, 0])


device = "cuda" if torch.cuda.is_available() else "cpu"
u = torch.zeros((64, 64, 64), dtype=torch.float64, device=device)
after = torch.zeros_like(u)


def step():
    heat(u, out=after, rate=0.1)  # torch's current stream, its memory, no waiting
    u.copy_(after)


step()  # compiled and bound
if device == "cuda":
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        heat(u, out=after, rate=0.1)
        u.copy_(after)
    step = graph.replay
u.zero_()
u[32, 32, 32] = 1
for _ in range(20):
    step()
spread = float(u.sum())
assert abs(spread - 1) < 1e-12, "nothing has reached the edge, so nothing is lost"
print(f"{heat.record.device}: {spread}")
