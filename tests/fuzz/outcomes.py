"""The class of a failure, from the text that tests/sql/engine.py gives for it. The worst come first."""

import re

CRASH, INTERNAL, DIFFERENT, REFUSED = "crash", "internal error", "different", "refused by name"
ANSWERED = "answered though DuckDB refuses"
ORDER = [CRASH, INTERNAL, DIFFERENT, ANSWERED, REFUSED]
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
    return REFUSED if code == 2 and MISSING.search(reason) else DIFFERENT


def missing(reason):
    """The thing that is not supported, without what belongs to the one query only."""
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
    """The first line of a message without numbers, for failures that are one."""
    return re.sub(r"[0-9]+", "N", re.sub(r"line \d+: |exit code \d+(, not 2; '.*?' )?", "", reason.partition("\n")[0]))


def fault(reason):
    """What must stay while a statement is made smaller: the class, and the message of an internal error."""
    kind = outcome(reason)
    return kind, signature(reason) if kind == INTERNAL else ""


def without_literals(sql):
    """For statements that differ in their literals only."""
    return re.sub(r"\b(DATE|TIMESTAMP|INTERVAL)? ?'[^']*'(::\w+)?|-?\b[0-9][0-9.]*(::\w+)?|\b(NULL|true|false)\b(::\w+)?", "?", sql)
