#!/usr/bin/env python3
"""Writes faults.jsonl in data/sum, data/dot and data/norm2, faults that users of other systems met, and data/norm2/folds.jsonl,
norms with every number of folds; all with the right bits.

usage: generate.py            rewrite the files
       generate.py --check    exit 1 if a file on disk differs from what would be written

Every expected value is computed here from integers alone, so it does not rest on any float addition of this machine or on
the Rust code under test: `exact_bits_hex` is the integer sum rounded once, `binned_bits_hex` the three-fold binned sum
from an integer model of the format. Where a fault report itself states the right bits, they are given beside the
case (`want`) and must agree. Needs the Python standard library only.
"""
import json
import math
import os
import struct
import sys
from collections import Counter

FORMATS = {
    "f64": dict(bits=64, precision=53, exponent=11, bias=1023, float=">d", int=">Q", width=40, last=51, top=985),
    "f32": dict(bits=32, precision=24, exponent=8, bias=127, float=">f", int=">I", width=13, last=20, top=116),
}
FOLDS = 3


# ---- bit patterns and exact integers --------------------------------------------------------------------------------
def bits_of(dtype, x):
    f = FORMATS[dtype]
    return struct.unpack(f["int"], struct.pack(f["float"], x))[0]


def decode(dtype, pattern):
    """A finite pattern as (signed integer, exponent of its unit)."""
    f = FORMATS[dtype]
    field = f["precision"] - 1
    exponent = (pattern >> field) & ((1 << f["exponent"]) - 1)
    mantissa = pattern & ((1 << field) - 1)
    if exponent:
        mantissa |= 1 << field
    else:
        exponent = 1
    negative = pattern >> (f["bits"] - 1)
    return (-mantissa if negative else mantissa), exponent - f["bias"] - field


def encode(dtype, total, unit):
    """total * 2^unit rounded once, ties to even; an exact zero is +0."""
    f = FORMATS[dtype]
    p = f["precision"]
    if total == 0:
        return 0
    sign, total = (1, -total) if total < 0 else (0, total)
    target = max(unit + total.bit_length() - p, 2 - f["bias"] - p)
    shift = target - unit
    if shift <= 0:
        mantissa = total << -shift
    else:
        mantissa, rest, half = total >> shift, total & ((1 << shift) - 1), 1 << (shift - 1)
        if rest > half or (rest == half and mantissa & 1):
            mantissa += 1
    if mantissa.bit_length() > p:
        mantissa, target = mantissa >> 1, target + 1
    if mantissa.bit_length() < p:
        out = mantissa
    else:
        field = min(target + p - 1 + f["bias"], (1 << f["exponent"]) - 1)
        infinite = field == (1 << f["exponent"]) - 1
        out = (field << (p - 1)) | (0 if infinite else mantissa - (1 << (p - 1)))
    return (sign << (f["bits"] - 1)) | out


def special(dtype, values):
    """The sum's bits where a value is not finite, else None."""
    f = FORMATS[dtype]
    infinity = ((1 << f["exponent"]) - 1) << (f["precision"] - 1)
    sign = 1 << (f["bits"] - 1)
    nan = infinity | 1 << (f["precision"] - 2)
    found = {v for v in values if v & ~sign >= infinity}
    if not found:
        return None
    return found.pop() if len(found) == 1 and not {v & ~sign for v in found} - {infinity} else nan


def exact(dtype, values):
    """values: {pattern: how often}."""
    known = special(dtype, values)
    if known is not None:
        return known
    unit = decode(dtype, 1)[1]
    return encode(dtype, sum(times * (m << (q - unit)) for (m, q), times in decoded(dtype, values)), unit)


def decoded(dtype, values):
    return [(decode(dtype, v), times) for v, times in values.items()]


# ---- the binned sum -------------------------------------------------------------------------------------------------
def binned(dtype, values):
    """Per fold: round what is left to the bin's unit, exact ties away from zero, and total the multiples as integers."""
    known = special(dtype, values)
    if known is not None:
        return known
    f = FORMATS[dtype]
    lowest = decode(dtype, 1)[1]
    terms = [((m, q), times) for (m, q), times in decoded(dtype, values) if m]
    if not terms:
        return 0
    index = min(min((f["bias"] + 1 - q - abs(m).bit_length()) // f["width"], f["last"]) for (m, q), _ in terms)
    units = [f["top"] - f["width"] * min(index + k, f["last"]) for k in range(FOLDS)]
    totals = [0] * FOLDS
    for (m, q), times in terms:
        left = m << (q - lowest)
        for k, unit in enumerate(units):
            u = unit - lowest
            count = (abs(left) + (1 << (u - 1))) >> u
            count = -count if left < 0 else count
            totals[k] += times * count
            left -= count << u
    return convert(dtype, index, units, totals)


def convert(dtype, index, units, totals):
    """Totals to a float in the format's own order of additions: quarters of a binade and rests, coarse to fine.

    The additions are doubles. Terms of the coarsest f64 bins are scaled down by 2^66 so that only the last step can overflow.
    """
    f = FORMATS[dtype]
    s = f["precision"] - 3
    carry = [(float(t >> s), u + s) for t, u in zip(totals, units)]
    rest = [(float(t & ((1 << s) - 1)), u) for t, u in zip(totals, units)]
    order = [carry[0]]
    if index == 0:
        order += [carry[1], rest[0]]
    for k in range(2 if index == 0 else 1, len(totals)):
        order += [carry[k], rest[k - 1]]
    order.append(rest[-1])

    down, scaled = 0, 0
    if dtype == "f64" and index <= 3:
        down = 66
        folds = max(min(len(totals), 3 - index), 0)
        scaled = len(order) if folds == len(totals) else max(1 if index else 3, 1 + 2 * (folds - 1))
    total = 0.0
    for at, (x, unit) in enumerate(order):
        if down and at == scaled:
            total *= 2.0**down
            if math.isinf(total):
                return bits_of(dtype, total)
            down = 0
        total += math.ldexp(x, unit - down)
    if down:
        total *= 2.0**down
    try:
        return bits_of(dtype, total)
    except OverflowError:
        return bits_of(dtype, math.copysign(math.inf, total))


# ---- the cases ------------------------------------------------------------------------------------------------------
INF = {"f64": "7ff0000000000000", "f32": "7f800000"}
NEG_INF = {"f64": "fff0000000000000", "f32": "ff800000"}
QUIET = {"f64": "7ff8000000000000", "f32": "7fc00000"}
MAX = {"f64": "7fefffffffffffff", "f32": "7f7fffff"}
ONE = {"f64": "3ff0000000000000", "f32": "3f800000"}
ZERO = {"f64": "0000000000000000", "f32": "00000000"}
OUT = []


def pattern(dtype, x):
    return format(bits_of(dtype, x), "016x" if dtype == "f64" else "08x")


def weyl(i):
    return bits_of("f32", float((i * 2654435761) % 2**32) / 2.0**32)


def expand(dtype, n, g):
    """A generator of this file as {pattern: how often} and, if it is short, the list."""
    if g["kind"] == "constant":
        counts = Counter({int(g["bits"], 16): n})
        for _, bits in g.get("inject", []):
            counts[int(g["bits"], 16)] -= 1
            counts[int(bits, 16)] += 1
        listed = [int(g["bits"], 16)] * n if n <= 100000 else None
        for at, bits in g.get("inject", []) if listed else []:
            listed[at] = int(bits, 16)
        return +counts, listed
    assert g["kind"] == "weyl" and dtype == "f32"
    listed = [weyl(i) for i in range(n)]
    return Counter(listed), listed


def fnv1a64(dtype, listed):
    h = 0xCBF29CE484222325
    for v in listed:
        for byte in v.to_bytes(FORMATS[dtype]["bits"] // 8, "little"):
            h = ((h ^ byte) * 0x100000001B3) % 2**64
    return h


def case(name, dtype, what, values=None, n=None, generator=None, want=None, want_binned=None, parts=None):
    row = {"name": name, "dtype": dtype}
    if generator is None:
        listed = [int(v, 16) for v in values]
        counts = Counter(listed)
        row |= {"n": len(values), "values_hex": values}
    else:
        counts, listed = expand(dtype, n, generator)
        row |= {"n": n, "generator": generator}
    if parts:
        row["parts"] = parts
    if listed is not None:
        row["input_fnv1a64"] = format(fnv1a64(dtype, listed), "016x")
    digits = "016x" if dtype == "f64" else "08x"
    row["exact_bits_hex"] = format(exact(dtype, counts), digits)
    row["binned_bits_hex"] = format(binned(dtype, counts), digits)
    assert want in (None, row["exact_bits_hex"]), (name, want, row)
    assert want_binned in (None, row["binned_bits_hex"]), (name, want_binned, row)
    row["what"] = what
    OUT.append(row)


def several(name, dtype, what, lists, wants, binned_too=()):
    for i, (values, want) in enumerate(zip(lists, wants, strict=True), 1):
        case(f"{name}_{i}", dtype, what, values, want=want, want_binned=want if i in binned_too else None)


def build():
    case(
        "S01_same_magnitude", "f32", "eight numbers of one magnitude summed differently once the array was sorted",
        ["c8e20688", "ca87d319", "ca587c50", "45f77f00", "ca6c8151", "c9a5cee5", "c8cd2d0f", "c8a4741e"],
        want="cb5c611f",
    )
    for i, (n, want) in enumerate([(16777217, "4b800000"), (16777219, "4b800002")], 1):
        case(
            f"S02_ones_past_2_24_{i}", "f32", "a sum of ones stopped growing at 2^24; here it ends in a tie to even",
            n=n, generator={"kind": "constant", "bits": ONE["f32"]}, want=want,
        )
    several(
        "S04_matrix_column", "f32", "a column's sum depended on whether it was read strided or copied first",
        [["4b800000", "3f800000", "3f800000", "3f800000"], ["3dcccccd", "3e4ccccd", "3e99999a", "bf19999a"]],
        ["4b800002", "b2000000"],
    )
    several(
        "S06_tie_to_even", "f32", "an exact half-way case was rounded away from even, as a zero rest counted as positive",
        [["4ac00000", "4a000002"], ["4ac00000", "4a000006"], ["4ac00000", "4a000002", "00000001"],
         ["4ac00000", "4a000006", "80000001"], ["cac00000", "ca000002"]],
        ["4b000000", "4b000002", "4b000001", "4b000001", "cb000000"],
    )
    top, negative, one = MAX["f64"], "ffefffffffffffff", ONE["f64"]
    several(
        "S08_range_limit", "f64", "finite data overflowed on the way although its total is representable",
        [[top, top, negative], [negative, top, top], [top, top, negative, negative, one], [top, "7c90000000000000"],
         [top, "7c90000000000000", "8000000000000001"], [top, "7c80000000000000"], [top, top]],
        [top, top, one, INF["f64"], top, top, INF["f64"]],
        binned_too=(1, 2),
    )
    case(
        "S10_near_the_limit", "f64", "values near the range limit gave a finite value, an infinity or a NaN from run to run",
        ["7fec008a3f721108", "3fee04189374bc6a", "0000000000000000", "8000000000000000", "7fe2b9e9a8886dae",
         "7fda187d94b654b5", "7fe4498eaeb8fc2e", "ffe769c20bf93951", "3fe028f5c28f5c29", "ffe6d77ad8159271",
         "3fd114e3bcd35a86", "ffee42d130773b76", "3f78c7e28240b780"],
        want="7fbc619a6444f034",
    )
    for t in ("f64", "f32"):
        what = "leaving early at a non-finite running sum hid what came after it"
        several(
            f"S11_{t}_early_exit", t, what,
            [[NEG_INF[t], INF[t]], [INF[t], NEG_INF[t]], [INF[t], MAX[t], MAX[t]],
             [NEG_INF[t], pattern(t, 1e308 if t == "f64" else 1e38)]],
            [QUIET[t], QUIET[t], INF[t], NEG_INF[t]], binned_too=(1, 2, 3, 4),
        )
        for tag, fill, last in (("far_infinity", ZERO[t], NEG_INF[t]), ("far_nan", ONE[t], QUIET[t])):
            case(
                f"S11_{t}_{tag}", t, what, n=2097154,
                generator={"kind": "constant", "bits": fill, "inject": [[0, INF[t]], [2097153, last]]},
                want=QUIET[t], want_binned=QUIET[t],
            )
        minus, two, three, four = (pattern(t, x) for x in (-1.0, 2.0, 3.0, 4.0))
        several(
            f"S12_{t}_no_inf_minus_inf", t, "a correction term computed inf - inf and turned an infinity into a NaN",
            [[INF[t], ZERO[t]], [ONE[t], INF[t], minus], [INF[t], four, NEG_INF[t]], [NEG_INF[t], ONE[t], two, three],
             [INF[t], INF[t]], [ZERO[t], QUIET[t]]],
            [INF[t], INF[t], QUIET[t], NEG_INF[t], INF[t], QUIET[t]], binned_too=(1, 2, 3, 4, 5, 6),
        )
    zero, minus_zero = ZERO["f64"], "8000000000000000"
    several(
        "S14_zero_sign", "f64", "an empty sum came out as -0; here every zero sum is +0, of -0.0 alone too",
        [[], [minus_zero], [minus_zero] * 2, [minus_zero, zero], [one, "bff0000000000000"],
         ["8000000000000001", "0000000000000001"], [zero]],
        [zero] * 7, binned_too=range(1, 8),
    )
    for n, want in [(1, "00000000"), (2, "3f1e377a"), (1024, "43ffaf4a"), (1025, "44000f1f"), (38400, "4695ff07"),
                    (38401, "4696000a"), (65536, "46ffff86"), (100000, "47435028")]:
        case(
            f"S16_weyl_{n}", "f32", "a running sum of well spread values differed on every run",
            n=n, generator={"kind": "weyl"}, want=want,
        )
    for n, want in [(1, "3fb999999999999a"), (2, "3fc999999999999a"), (3, "3fd3333333333334"), (6, "3fe3333333333334"),
                    (7, "3fe6666666666667"), (10, "3ff0000000000000"), (1000, "4059000000000000"),
                    (250000, "40d86a0000000000")]:
        case(
            f"S18_tenths_{n}", "f64", "copies of 0.1 gave different sums in two equal calls",
            n=n, generator={"kind": "constant", "bits": "3fb999999999999a"}, want=want,
        )
    case(
        "S25_small_constant", "f32", "a million copies of 1/255 lost 0.3 percent in a plain loop",
        n=1000000, generator={"kind": "constant", "bits": "3b808081"}, want="4575191a",
    )
    several(
        "S27_cancellation", "f64", "carries of mixed sign cancelled in the final step",
        [["7e70000000000000", one, "fe70000000000000"], ["4341c37937e08000", one, "c341c37937e08000"],
         ["7830000000000000", "07b0000000000000", "f830000000000000", "0000000000000001"],
         [one, "01a56e1fc2f8f359", "bff0000000000000"]],
        [one, one, "07b0000000000000", "01a56e1fc2f8f359"], binned_too=(2,),
    )
    case(
        "S29_partials", "f64", "partial sums merged in another order on each rank, and the ranks disagreed",
        ["4341c37937e08000", "c00c000000000000", one, "4000000000000000", "c341c37937e08000", "3fc0000000000000",
         "0000000000000001", "3ee4f8b588e368f1"],
        want="bfd7ffd60e94ee39", parts=[2, 2, 2, 2],
    )
    case(
        "E01_subnormals", "f64", "a library built with fast-math flushed subnormals in the whole process",
        ["0000000000000001"] * 3, want="0000000000000003",
    )
    several(
        "E05_one_nan", "f64", "the NaN of a sum had another sign or payload on another machine",
        [[INF["f64"], NEG_INF["f64"]], ["fff8000000000123", one], ["7ff0000000000001", one]],
        [QUIET["f64"]] * 3, binned_too=(1, 2, 3),
    )
    several(
        "E05_one_nan_f32", "f32", "the NaN of a sum had another sign or payload on another machine",
        [[INF["f32"], NEG_INF["f32"]], ["ffc00123", ONE["f32"]], ["7f800001", ONE["f32"]]],
        [QUIET["f32"]] * 3, binned_too=(1, 2, 3),
    )


# ---- dots -----------------------------------------------------------------------------------------------------------
def exact_products(dtype, x, y):
    """The products of two lists of patterns as integers and exponents; a special one as the pattern it is."""
    f = FORMATS[dtype]
    infinity = ((1 << f["exponent"]) - 1) << (f["precision"] - 1)
    sign = 1 << (f["bits"] - 1)
    nan = infinity | 1 << (f["precision"] - 2)
    for a, b in zip(x, y, strict=True):
        size_a, size_b = a & ~sign, b & ~sign
        if max(size_a, size_b) < infinity:
            (ma, qa), (mb, qb) = decode(dtype, a), decode(dtype, b)
            yield ma * mb, qa + qb
        else:
            is_nan = max(size_a, size_b) > infinity or 0 in (size_a, size_b)
            yield nan if is_nan else infinity | ((a ^ b) & sign)


def dot_case(name, dtype, what, x, y, want=None, want_binned=None):
    digits = "016x" if dtype == "f64" else "08x"
    listed_x, listed_y = [int(v, 16) for v in x], [int(v, 16) for v in y]
    products = list(exact_products(dtype, listed_x, listed_y))
    unit = 2 * decode(dtype, 1)[1]
    rounded = Counter(encode(dtype, *p) if isinstance(p, tuple) else p for p in products)
    whole = special(dtype, [p for p in products if not isinstance(p, tuple)])
    if whole is None:
        whole = encode(dtype, sum(m << (q - unit) for m, q in products), unit)
    row = {
        "name": name, "op": "dot", "dtype": dtype, "fold": FOLDS, "n": len(x), "values_hex": x, "values_hex_y": y,
        "input_fnv1a64": format(fnv1a64(dtype, listed_x), "016x"), "dot_bits_hex": format(binned(dtype, rounded), digits),
        "exact_bits_hex": format(whole, digits), "exact_rounded_products_bits_hex": format(exact(dtype, rounded), digits),
    }
    assert want in (None, row["exact_bits_hex"]), (name, want, row)
    assert want_binned in (None, row["dot_bits_hex"]), (name, want_binned, row)
    row["what"] = what
    OUT.append(row)


def build_dots():
    dot_case(
        "S23_dot_to_zero", "f32", "a dot whose exact value is zero came out as 1e-4 to 1e-3, different in every library",
        [ZERO["f32"]] + ["422064d0"] * 94, ["40000000", "c2c40000", "c2ac0000"] + ["40000000"] * 92, want=ZERO["f32"],
    )
    ten, tenth = pattern("f64", 10.0), pattern("f64", -0.1)
    dot_case(
        "E03_contraction", "f64", "a compiler contracted a product and a sum, and a zero became a tiny number",
        [ONE["f64"], ten], [ONE["f64"], tenth], want="bc90000000000000", want_binned=ZERO["f64"],
    )
    what = "the NaN of a dot had another sign or payload on another machine"
    for t, payload in (("f64", "fff8000000000123"), ("f32", "ffc00123")):
        one, zero, quiet = ONE[t], ZERO[t], QUIET[t]
        for i, (x, y) in enumerate(
            [([zero], [INF[t]]), ([one, one], [INF[t], NEG_INF[t]]), ([payload, one], [one, one]), ([INF[t]], [payload])], 1
        ):
            dot_case(f"E05_one_nan_of_a_dot_{t}_{i}", t, what, x, y, want=quiet, want_binned=quiet)
    top, small = MAX["f64"], "0000000000000001"
    dot_case(
        "S08_products_beyond_the_range", "f64", "products overflowed or vanished on the way although their sum is representable",
        [top, top, small, ten], [top, "ffefffffffffffff", small, tenth], want=pattern("f64", -1.0), want_binned=QUIET["f64"],
    )


# ---- norms ----------------------------------------------------------------------------------------------------------
def shortened(magnitude, bits):
    """Rounded to at most so many bits, ties to even, and the exponent gained: a float without a range."""
    shift = max(magnitude.bit_length() - bits, 0)
    kept, rest, half = magnitude >> shift, magnitude & ((1 << shift) - 1), 1 << shift >> 1
    return kept + (shift > 0 and (rest > half or (rest == half and kept & 1))), shift


def root(magnitude, unit):
    """The square root of magnitude * 2^unit as an integer of 200 bits or more, its lowest bit set if anything was cut off."""
    shift = max(400 - magnitude.bit_length(), 0)
    shift += (unit - shift) % 2
    cut = math.isqrt(magnitude << shift)
    return cut << 1 | (cut * cut != magnitude << shift), (unit - shift) // 2 - 1


def magnitudes(dtype, values):
    return [v & ~(1 << (FORMATS[dtype]["bits"] - 1)) for v in values]


def exact_norm(dtype, values):
    values = magnitudes(dtype, values)
    known = special(dtype, values)
    if known is not None:
        return known
    unit = decode(dtype, 1)[1]
    squares = sum((m << (q - unit)) ** 2 for m, q in (decode(dtype, v) for v in values))
    return encode(dtype, *root(squares, 2 * unit))


def binned_norm(dtype, values, folds):
    """Every value over the power of 2^W that is the largest not above the maximum, squared, rounded once, and deposited;
    the root of the converted total, rounded to 53 bits, times that power."""
    values = magnitudes(dtype, values)
    known = special(dtype, values)
    if known is not None:
        return known
    f = FORMATS[dtype]
    terms = [(m, q) for m, q in (decode(dtype, v) for v in values) if m]
    if not terms:
        return 0
    scale = max(q + m.bit_length() - 1 for m, q in terms) // f["width"] * f["width"]
    squares = []
    for m, q in terms:
        square, more = shortened(m * m, f["precision"])
        squares.append((square, 2 * (q - scale) + more))
    index = min((f["bias"] + 1 - q - m.bit_length()) // f["width"] for m, q in squares)
    units = [f["top"] - f["width"] * (index + k) for k in range(folds)]
    totals = [0] * folds
    lowest = min(q for _, q in squares) - f["top"] - 9999
    for m, q in squares:
        left = m << (q - lowest)
        for k, unit in enumerate(units):
            u = unit - lowest
            count = (abs(left) + (1 << (u - 1))) >> u
            count = -count if left < 0 else count
            totals[k] += count
            left -= count << u
    m, q = decode(dtype, convert(dtype, index, units, totals))
    r, unit = root(m, q)
    r, more = shortened(r, 53)
    return encode(dtype, r, unit + more + scale)


def norm_case(name, dtype, values, folds=FOLDS, what=None, want=None):
    digits = "016x" if dtype == "f64" else "08x"
    listed = [int(v, 16) for v in values]
    row = {
        "name": name, "op": "nrm2", "dtype": dtype, "fold": folds, "n": len(values), "values_hex": values,
        "input_fnv1a64": format(fnv1a64(dtype, listed), "016x"),
        "nrm2_bits_hex": format(binned_norm(dtype, listed, folds), digits),
        "exact_bits_hex": format(exact_norm(dtype, listed), digits),
    }
    assert want in (None, row["exact_bits_hex"]), (name, want, row)
    OUT.append(row | ({"what": what} if what else {}))


def build_norms():
    top, large, first = MAX["f64"], "7fe0000000000000", "6974e718d7d7625a"
    lists = [[first] * 2, ["698f5aa543c31387", "6994e718d7d7625a"], [ZERO["f64"], "1a90991a9bfa58c8"],
             ["0000000000000001"] * 2, [top], [top] * 2, [large] * 4]
    wants = ["697d8f9811335b57", "699a20df0dcd3af0", "1a90991a9bfa58c8", "0000000000000001", top, INF["f64"], INF["f64"]]
    for i, (values, want) in enumerate(zip(lists, wants, strict=True), 1):
        norm_case(
            f"S19_norm_in_range_{i}", "f64", values, want=want,
            what="the 2-norm overflowed, or became zero, although the type can hold it",
        )
    single = [["7f7fffff"], ["7f000000"] * 4, ["00000001"] * 2, ["00000001"], ["1a90991a", ZERO["f32"]], ["6974e718"] * 2]
    for i, values in enumerate(single, 1):
        norm_case(
            f"S19_norm_in_range_f32_{i}", "f32", values,
            what="the 2-norm overflowed, or became zero, although the type can hold it",
        )
    for t, payload in (("f64", "fff8000000000123"), ("f32", "ffc00123")):
        one, two, inf, quiet = ONE[t], pattern(t, 2.0), INF[t], QUIET[t]
        lists = [[inf, quiet], [quiet, inf], [inf, quiet, inf], [NEG_INF[t], one], [one, quiet, two], [], [inf, NEG_INF[t]]]
        for i, (values, want) in enumerate(zip(lists, [quiet, quiet, quiet, inf, quiet, ZERO[t], inf], strict=True), 1):
            norm_case(
                f"S21_nan_and_infinity_{t}_{i}", t, values, want=want,
                what="an early exit at the first special value made the norm depend on its place",
            )
        signalling = format(int(inf, 16) | 1, f"0{len(inf)}x")
        for i, values in enumerate([[payload, one], [signalling, one], [NEG_INF[t], payload]], 1):
            norm_case(
                f"E05_one_nan_of_a_norm_{t}_{i}", t, values, want=quiet,
                what="the NaN of a norm had another sign or payload on another machine",
            )


def build_norms_of_many_folds():
    """Values spread over 2^span, so that the later folds and what lies below them matter."""
    state = 0
    for t, most, spans in (("f64", 26, (30, 90, 500)), ("f32", 11, (10, 40, 120))):
        f = FORMATS[t]
        field, digits = f["precision"] - 1, f["bits"] // 4
        for folds in range(2, most + 1):
            span, values = spans[folds % 3], []
            top = f["bias"] + [0, -f["bias"] + span + 1, f["bias"], -7][folds % 4]
            for _ in range(24):
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                exponent = max(top - (state >> 33) % span, 0)
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                values.append(format((state >> 63) << (f["bits"] - 1) | exponent << field | state >> (64 - field), f"0{digits}x"))
            norm_case(f"nrm2_{t}_folds_{folds}_span_{span}", t, values, folds)


def text_of(build):
    OUT.clear()
    build()
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in OUT)


def main():
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    files = [("sum/faults", build), ("dot/faults", build_dots), ("norm2/faults", build_norms)]
    for name, build_file in [*files, ("norm2/folds", build_norms_of_many_folds)]:
        path, text = os.path.join(data, *name.split("/")) + ".jsonl", text_of(build_file)
        if "--check" in sys.argv[1:]:
            with open(path, encoding="utf-8") as f:
                if f.read() != text:
                    sys.exit(f"{path}:1: differs from what generate.py writes; run it and look at the difference")
        else:
            with open(path, "w", encoding="utf-8", newline="\n") as f:
                f.write(text)


if __name__ == "__main__":
    main()
