"""Random regular expressions and LIKE patterns, many of them empty in part."""


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


LIKE_PARTS = ["%", "%", "_", "a", "b", "B", "é", "É", "\\", "!", "ab", "%%", "__", ""]
ESCAPES = ["'!'", "'%'", "'_'", "'a'", r"'\'", "''", "'é'", "NULL"]


def random_like(random):
    pattern = quoted("".join(random.choice(LIKE_PARTS) for _ in range(random.randint(0, 5))))
    return f"({pattern} || chr(0) || '%')" if random.random() < 0.05 else pattern


ATOMS = ["a", "b", "ab", ".", "[ab]", "[^a]", "(?:)", "()", "(|a)", "(a|)", "(?:a|b)", "^", "$", "é",
         r"\x00", r"\w", r"\W", r"\b", r"\B", "(?i)a", "(?s).",
         "[[:alpha:]]", "(?:a*)", "B", r"\A", r"\z", "[a-c]", r"\pL", "(?i:É)", "_", "%", r"\.", r"\%"]
# Each matches the empty string, which optimisers of patterns forget.
EMPTY = ["^", "$", r"\A", r"\z", "(?:)", "()", "(|a)", "(a|)", "a{0}", "a*", "(?i)", r"\b", r"\B", "(?:^)", "(?:|)", "(?m)^", "(?s)"]
REPEATS = ["", "", "", "", "*", "+", "?", "{0}", "{0,1}", "{2}", "{1,}", "*?", "+?", "??"]


def random_regex(random, depth=2):
    if random.random() < 0.2:
        return "".join(random.choice(EMPTY) for _ in range(random.randint(1, 3))) + random.choice(["", "", "a", "b", ".", "$"])
    parts = []
    for _ in range(random.randint(1, 3)):
        if depth and random.random() < 0.25:
            inner = "|".join(random_regex(random, depth - 1) for _ in range(random.randint(1, 3)))
            atom = f"({random.choice(['', '?:'])}{inner})"
        else:
            atom = random.choice(ATOMS)
        repeats = ["", "", "*"] if atom in ("^", "$", r"\b", r"\B", r"\A", r"\z") else REPEATS
        parts.append(atom + random.choice(repeats))
    return random.choice(["", "", "", "^"]) + "".join(parts) + random.choice(["", "", "", "$"])
