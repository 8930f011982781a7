"""The peers that live in Python, timed next to the Rust ones.

Started with a suite, the type of its numbers (f64 or f32) and raw files in the machine's byte order: the numbers, for
`dot` a second file of them, for `group` then the keys as 32-bit integers. Says in one line of JSON what is there, then
answers each line "ENGINE LOOPS" with one line of JSON: the nanoseconds that LOOPS calls took, and the bits of the
result (of a running sum the last one, of groups that of key 0). So the caller can take turns between its own engines
and these. Threads are set by the environment: OMP_NUM_THREADS and others, POLARS_MAX_THREADS.
"""

import array
import json
import math
import os
import struct
import sys
import time

try:
    import numpy
except ImportError:
    numpy = None
try:
    import polars
except ImportError:
    polars = None


def main():
    suite, dtype, *paths = sys.argv[1:]
    code, word = {"f64": ("d", "Q"), "f32": ("f", "I")}[dtype]
    engines = dict(peers(suite, code, paths))
    say(
        engines=sorted(engines),
        python=sys.version.split()[0],
        numpy=numpy and numpy.__version__,
        polars=polars and polars.__version__,
    )
    for line in sys.stdin:
        name, loops = line.split()
        engine, result = engines[name]
        try:
            start = time.perf_counter_ns()
            for _ in range(int(loops)):
                value = engine()
            ns = time.perf_counter_ns() - start
            say(ns=ns, bits="%x" % struct.unpack("<" + word, struct.pack("<" + code, result(value))))
        except (ArithmeticError, ValueError) as fault:
            say(error=str(fault))


def peers(suite, code, paths):
    """Pairs of a name, and a pair of what to call and how to read a number off what it returns."""
    if suite == "sum":
        data = array.array(code)
        with open(paths[0], "rb") as file:
            data.fromfile(file, os.path.getsize(paths[0]) // data.itemsize)
        if code == "d":
            yield "math.fsum", (lambda: math.fsum(data), float)
        if numpy is not None:
            x = numpy.frombuffer(data, dtype=code) if len(data) else numpy.zeros(0, dtype=code)
            yield "numpy.sum", (x.sum, float)
        return
    if numpy is None:
        return
    x = numpy.fromfile(paths[0], dtype=code)
    if suite == "scan":
        y = numpy.empty_like(x)
        yield "numpy.cumsum", (lambda: numpy.cumsum(x, out=y), lambda y: float(y[-1]) if len(y) else 0.0)
    elif suite == "dot":
        y = numpy.fromfile(paths[1], dtype=code)
        yield "numpy.dot", (lambda: numpy.dot(x, y), float)
    elif suite.startswith("norm"):
        kind = {"1": 1, "2": 2, "inf": numpy.inf}[suite[4:]]
        yield "numpy.linalg.norm", (lambda: numpy.linalg.norm(x, kind), float)
    elif suite == "group":
        keys = numpy.fromfile(paths[1], dtype="I")
        groups = int(keys.max()) + 1

        def add_at():
            sums = numpy.zeros(groups, dtype=code)
            numpy.add.at(sums, keys, x)
            return sums

        yield "numpy.add.at", (add_at, lambda sums: float(sums[0]))
        if code == "d":
            yield "numpy.bincount", (lambda: numpy.bincount(keys, x, groups), lambda sums: float(sums[0]))
        if polars is not None:
            table = polars.DataFrame({"key": keys, "x": x})
            first = polars.col("key") == 0
            yield "polars", (
                lambda: table.group_by("key").agg(polars.col("x").sum()),
                lambda sums: sums.filter(first)["x"][0],
            )


def say(**answer):
    print(json.dumps(answer), flush=True)


main()
