"""The peers that live in Python, timed next to the Rust ones.

Started with a raw file of numbers in the machine's byte order, and their type (f64 or f32). Says in one line of JSON
what is there, then answers each line "ENGINE LOOPS" with one line of JSON: the nanoseconds that LOOPS sums took, and
the bits of the sum. So the caller can take turns between its own engines and these.
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


def main():
    path, dtype = sys.argv[1:3]
    code, word = {"f64": ("d", "Q"), "f32": ("f", "I")}[dtype]
    data = array.array(code)
    with open(path, "rb") as file:
        data.fromfile(file, os.path.getsize(path) // data.itemsize)
    engines = {}
    if dtype == "f64":
        engines["math.fsum"] = lambda: math.fsum(data)
    if numpy is not None:
        view = numpy.frombuffer(data, dtype=code) if len(data) else numpy.zeros(0, dtype=code)
        engines["numpy.sum"] = view.sum
    say(engines=sorted(engines), numpy=numpy and numpy.__version__, python=sys.version.split()[0])
    for line in sys.stdin:
        name, loops = line.split()
        engine = engines[name]
        try:
            start = time.perf_counter_ns()
            for _ in range(int(loops)):
                value = engine()
            ns = time.perf_counter_ns() - start
            say(ns=ns, bits="%x" % struct.unpack("<" + word, struct.pack("<" + code, value)))
        except (ArithmeticError, ValueError) as fault:
            say(error=str(fault))


def say(**answer):
    print(json.dumps(answer), flush=True)


main()
