"""The class of a failure, from the text of tests/sql/engine.py. The worst come first."""

import re

CRASH, INTERNAL, DIFFERENT, REFUSED = "crash", "internal error", "different", "refused by name"
ANSWERED = "answered though DuckDB refuses"
MEMORY = "out of memory"  # of the engine, by name
ORDER = [CRASH, INTERNAL, DIFFERENT, ANSWERED, REFUSED, MEMORY]
EXIT_CODE = re.compile(r"exit code (-?\d+)")
MISSING = re.compile(r"error: (?:statement \d+: )?(.*?) (?:is|are) not supported yet", re.S)


def outcome(reason):
    code = EXIT_CODE.search(reason)
    code = int(code[1]) if code else 0
    if code < 0 or code >= 128:
        return CRASH
    if code == 70:
        return INTERNAL
    if "exit code 0, not 2" in reason:
        return ANSWERED
    if code == 2 and " of the memory limit of " in reason:
        return MEMORY
    return REFUSED if code == 2 and MISSING.search(reason) else DIFFERENT


def missing(reason):
    """The unsupported feature, without the details of the query."""
    name = MISSING.search(reason)[1]
    if found := re.search(r" is of type (.*), which$", name):
        return f"the type {re.sub(r'[0-9]+', 'N', found[1])}"
    if found := re.match(r"joins \((\w+ JOIN|CROSS PRODUCT)", name):
        return f"{found[1]}"
    if found := re.match(r"window functions", name):
        return found[0]
    if found := re.match(r"(the (?:aggregate|function|comparison|filter|table function) \w+)", name):
        return found[1]
    return name if len(name) < 60 else name[:57] + "..."


def signature(reason):
    """The first line of a message without numbers, equal for failures with the same cause."""
    return re.sub(r"[0-9]+", "N", re.sub(r"line \d+: |exit code \d+(, not 2; '.*?' )?", "", reason.partition("\n")[0]))


def fault(reason):
    """The part that must not change while a statement is reduced: the class, and the message of an internal error."""
    kind = outcome(reason)
    return kind, signature(reason) if kind == INTERNAL else ""


def without_literals(sql):
    """Equal for statements that differ only in their literals."""
    return re.sub(r"\b(DATE|TIMESTAMP|INTERVAL)? ?'[^']*'(::\w+)?|-?\b[0-9][0-9.]*(::\w+)?|\b(NULL|true|false)\b(::\w+)?", "?", sql)
