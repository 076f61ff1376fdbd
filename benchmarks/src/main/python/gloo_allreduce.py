"""All-reduces of PyTorch by Gloo over loopback: one member, as benchmarks/run allreduce starts it.

Arguments: RANK MEMBERS PORT SIZE:WARM_UP:COUNT ... with sizes in bytes of float32. Prints the version, and then for each size
the bytes and the median microseconds of an all-reduce. Elements are checked before each size.
"""

import statistics
import sys
import time

import torch
import torch.distributed as group


def check(tensor, rank, members):
    """Small whole numbers, whose sums are exact."""
    pattern = torch.arange(tensor.numel(), dtype=torch.float32) % 7
    tensor.copy_(pattern + rank)
    group.all_reduce(tensor)
    if not torch.equal(tensor, members * pattern + members * (members - 1) // 2):
        sys.exit("an all-reduce of Gloo has wrong elements")
    tensor.zero_()


def timed(tensor, count):
    """Microseconds of each."""
    instants = [time.perf_counter_ns()]
    for _ in range(count):
        group.all_reduce(tensor)
        instants.append(time.perf_counter_ns())
    return [(end - begin) / 1e3 for begin, end in zip(instants, instants[1:])]


def main():
    rank, members, port = (int(word) for word in sys.argv[1:4])
    torch.set_num_threads(1)
    group.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=members)
    print("version", torch.__version__, flush=True)
    for size, warm_up, count in (map(int, word.split(":")) for word in sys.argv[4:]):
        tensor = torch.zeros(size // 4)
        check(tensor, rank, members)
        group.barrier()
        timed(tensor, warm_up)
        print("time", size, statistics.median(timed(tensor, count)), flush=True)
    group.barrier()
    # Left to the interpreter's end, its threads may still run then, which ends the process by a signal.
    group.destroy_process_group()


main()
