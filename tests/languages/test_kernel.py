"""Tests of the mixing of 64 bits. The oracle is Java's SplittableRandom, which is splitmix64: its
first number is the seed plus the step, mixed."""

from __future__ import annotations

import numpy as np

from codeacumen.languages.kernel import STEP, mix_bits

# ``new SplittableRandom(seed).nextLong()``, unsigned, of OpenJDK 17.
FIRST = {
    0: 16294208416658607535,
    1: 10451216379200822465,
    42: 13679457532755275413,
    1234567: 6457827717110365317,
    1 << 63: 5196802822362493915,
    (1 << 64) - 1: 16490336266968443936,
    0x61C8864680B583EB: 0,
}


def test_mixed_agrees_with_java() -> None:
    seeds = np.array(list(FIRST), dtype=np.uint64)
    assert mix_bits(seeds + STEP).tolist() == list(FIRST.values())


def test_mixed_does_not_change_its_argument() -> None:
    seeds = np.array(list(FIRST), dtype=np.uint64)
    mix_bits(seeds)
    assert seeds.tolist() == list(FIRST)
    assert mix_bits(seeds[:0]).tolist() == []
    assert mix_bits(seeds[::2]).tolist() == mix_bits(seeds)[::2].tolist()
