"""A program of two processes: torch_npu's collectives on the emulated HCCL, beside torch's sums.

Each process says what it found wrong, data type by data type; without a queue of tasks
(``TASK_QUEUE_ENABLE=0``) only what HCCL refused, because an error that comes from the queue can be
lost to torch_npu.
"""

from __future__ import annotations

import os
import sys
from datetime import timedelta

from conformance.devices import start

start("npu")

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

import ascend_array_api  # noqa: E402, F401  # it brings torch_npu

COUNT = 300_003  # of bytes: more than is sent at a time, and not a multiple of it
REDUCED = ("int8", "int16", "int32", "int64", "float16", "float32", "bfloat16")
MOVED = (*REDUCED, "uint8", "uint16", "uint32", "uint64", "float64", "bool")
UNLISTED = [("PRODUCT", "int16"), ("PRODUCT", "bfloat16")]
"""By operation; torch_npu itself refuses the others."""
OPERATIONS = {"SUM": torch.add, "PRODUCT": torch.mul, "MAX": torch.maximum, "MIN": torch.minimum}


def drawn(dtype: torch.dtype) -> list[torch.Tensor]:
    """Return what the two processes have, in both."""
    generator = torch.Generator().manual_seed(0)
    bits = torch.randint(0, 256, (2, COUNT // 8 * 8), generator=generator, dtype=torch.uint8)
    if dtype is torch.bool:
        return list((bits > 100)[:, :-1])
    if not dtype.is_floating_point:
        return list(bits.view(dtype)[:, :-1])
    values = torch.randn((2, COUNT // dtype.itemsize), generator=generator) * 300
    values[:, :4] = torch.tensor([0.0, torch.inf, -torch.inf, 1e-7])
    values[0, 5] = torch.nan
    return list(values.to(dtype))


def reduced(dtype: torch.dtype, rank: int) -> list[str]:
    """Return the reductions that are wrong."""
    both, wrong = drawn(dtype), []
    half = both[0].numel() // 2
    mine = both[rank][: 2 * half]
    for name, function in OPERATIONS.items():
        if (name, str(dtype)[6:]) in UNLISTED:
            continue
        expected = function(*both)[: 2 * half]
        operation = getattr(dist.ReduceOp, name)
        got = mine.npu()
        dist.all_reduce(got, operation)
        part = torch.empty(half, dtype=dtype, device="npu")
        dist.reduce_scatter_tensor(part, mine.npu(), operation)
        own = expected[rank * half : (rank + 1) * half]
        for what, a, b in (("all_reduce", got, expected), ("reduce_scatter", part, own)):
            same = (a.cpu() == b) | ((a.cpu() != a.cpu()) & (b != b))
            wrong += [] if bool(same.all()) else [f"{what} {name} {dtype}"]
    return wrong


def moved(dtype: torch.dtype, rank: int) -> list[str]:
    """Return what does not come as it was sent, bit by bit."""
    both = drawn(dtype)
    n = both[0].numel()
    mine = both[rank].npu()

    def empty(size: int) -> torch.Tensor:
        return torch.empty(size, dtype=dtype, device="npu")

    found = {}
    whole = empty(2 * n)
    getattr(dist, "all_gather_single", dist.all_gather_into_tensor)(whole, mine)
    found["all_gather"] = whole, torch.cat(both)
    copied = mine.clone()
    dist.broadcast(copied, 1)
    found["broadcast"] = copied, both[1]
    sizes = [[3, n - 3], [5, n - 5]]
    sent = [torch.split(t, s) for t, s in zip(both, sizes)]
    mixed = torch.cat([sent[0][rank], sent[1][rank]])
    got = empty(mixed.numel())
    dist.all_to_all_single(got, mine, [sizes[0][rank], sizes[1][rank]], sizes[rank])
    found["all_to_all"] = got, mixed
    mine_alone = [[n, 0], [0, 0]][rank]  # the other has nothing to send, and is sent nothing
    kept = empty(sum(mine_alone))
    dist.all_to_all_single(kept, mine[: sum(mine_alone)], mine_alone, mine_alone)
    found["all_to_all of one"] = kept, both[rank][: sum(mine_alone)]
    if rank == 0:
        dist.send(mine, 1)
    else:
        received = empty(n)
        dist.recv(received, 0)
        found["recv"] = received, both[0]
    return [
        f"{what} {dtype}"
        for what, (a, b) in found.items()
        if not torch.equal(a.cpu().view(torch.uint8), b.view(torch.uint8))
    ]


def main() -> int:
    """Try all, and end with 1 where anything is wrong."""
    rank = int(os.environ["RANK"])
    torch.npu.set_device(rank)
    dist.init_process_group("hccl", timeout=timedelta(seconds=60))
    if os.environ.get("TASK_QUEUE_ENABLE") == "0":
        return refused()
    wrong = [w for name in REDUCED for w in reduced(getattr(torch, name), rank)]
    wrong += [w for name in MOVED for w in moved(getattr(torch, name), rank)]
    dist.barrier()
    print(f"rank {rank}: {len(wrong)} wrong", *wrong, flush=True)
    return bool(wrong)


def refused() -> int:
    """Say what HCCL does; after it torch_npu does nothing more."""
    operation, name = UNLISTED[0]
    x = torch.ones(3, dtype=getattr(torch, name)).npu()
    try:
        dist.all_reduce(x, getattr(dist.ReduceOp, operation))
        torch.npu.synchronize()
    except RuntimeError as error:
        print("refused:", " ".join(str(error).split()), flush=True)
        return 0
    return 1


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # torch_npu would wait for what was refused
