"""Numbers whose hashes have the same upper half, from which the engine's tables of keys take places and tags."""

import re
from pathlib import Path

HEADER = Path(__file__).resolve().parents[2] / "engine/primitives/groups/hash.h"
SALT = [int(word, 16) for word in re.findall(r"0x[0-9a-f]{16}", HEADER.read_text())[:2]]
WORDS = 1 << 64


def hash_of(word):
    """hash::of_word()."""
    word = word * SALT[0] % WORDS
    return (word ^ word >> 32) * SALT[1] % WORDS


def word_of(value):
    """The word with this hash: each step of of_word() can be undone."""
    word = value * pow(SALT[1], -1, WORDS) % WORDS
    return (word ^ word >> 32) * pow(SALT[0], -1, WORDS) % WORDS


def colliding(count):
    """Different values of BIGINT."""
    words = [word_of(0x9ABCDEF0 << 32 | i * 2654435761 % (1 << 32)) for i in range(count)]
    assert {hash_of(word) >> 32 for word in words} == {0x9ABCDEF0}
    return [word - WORDS if word >> 63 else word for word in words]
