"""`lanewise index` builds, queries, changes and checks index files."""

import csv
import random
from collections import defaultdict

import pytest


@pytest.fixture
def orders(lanewise, tmp_path):
    """orders.csv with 5,000 rows and its index; returns {(customer, day): row numbers}."""
    random.seed(3)
    rows = [(random.choice(["anna", "bo", "", "Zoë"]) + str(random.randrange(300)), random.randrange(5)) for _ in range(5000)]
    with open(tmp_path / "orders.csv", "w", newline="") as file:
        csv.writer(file).writerows([("customer", "day"), *rows])
    assert lanewise("index", "build", "orders.csv", "--key", "customer,day", "-o", "orders.index") == (0, "", "")
    rows_of = defaultdict(list)
    for number, key in enumerate(rows):
        rows_of[key].append(number)
    return rows_of


def matches(lanewise, tmp_path, keys):
    """The matches of `index query`: {position: row numbers}."""
    with open(tmp_path / "keys.csv", "w", newline="") as file:
        csv.writer(file).writerows([("extra", "day", "customer"), *[(1, day, customer) for customer, day in keys]])
    code, _, error = lanewise("index", "query", "orders.index", "--keys", "keys.csv", "--column", "customer,day", "-o", "out.csv")
    assert (code, error) == (0, "")
    found = defaultdict(list)
    with open(tmp_path / "out.csv", newline="") as file:
        for row in csv.DictReader(file):
            assert (row["customer"], int(row["day"])) == keys[int(row["position"])]
            found[int(row["position"])].append(int(row["row"]))
    return found


def test_query_finds_all_rows_of_each_key(lanewise, tmp_path, orders):
    keys = [*list(orders)[:100], ("nobody", 1), ("anna1", 99)]
    found = matches(lanewise, tmp_path, keys)
    for position, key in enumerate(keys):
        assert found[position] == orders.get(key, []), key


def test_insert_and_erase(lanewise, tmp_path, orders):
    gone, more = list(orders)[0], list(orders)[1]
    (tmp_path / "gone.csv").write_text(f"customer,day\n{gone[0]},{gone[1]}\n")
    (tmp_path / "more.csv").write_text(f"customer,day\n{more[0]},{more[1]}\n")
    assert lanewise("index", "erase", "orders.index", "--from", "gone.csv")[1] == f"{len(orders[gone])} entries removed\n"
    assert lanewise("index", "insert", "orders.index", "--from", "more.csv", "--first-row", "7000")[1] == "1 entry added\n"
    found = matches(lanewise, tmp_path, [gone, more])
    assert found == {1: orders[more] + [7000]}
    code, out, _ = lanewise("index", "verify", "orders.index")
    assert code == 0 and out.startswith(f"{5001 - len(orders[gone]):,} entries")


def test_names_may_hold_commas(lanewise, tmp_path):
    (tmp_path / "in.csv").write_text("a\n1\n3\n")
    (tmp_path / "gone.csv").write_text('"a,b",c\n1,2\n3,4\n')
    assert lanewise("index", "build", "in.csv", "--key", "a", "-o", "in.index") == (0, "", "")
    assert lanewise("index", "erase", "in.index", "--from", "gone.csv") == (0, "2 entries removed\n", "")


def test_stats_and_formats(lanewise, tmp_path, orders):
    code, out, _ = lanewise("index", "stats", "orders.index")
    assert code == 0 and "VARCHAR, BIGINT" in out and "5,000" in out and "8 bytes each" in out
    assert lanewise("index", "query", "orders.index", "--keys", "orders.csv", "-o", "out.parquet")[0] == 0
    code, out, _ = lanewise("sql", "-c", "SELECT count(*) FROM 'out.parquet'", "--format", "csv")
    assert out.splitlines()[1] == str(sum(len(rows) ** 2 for rows in orders.values()))


def test_mistakes_are_named(lanewise, tmp_path, orders):
    (tmp_path / "null.csv").write_text("k,j\n1,1\n,2\n")

    def error_of(*arguments):
        code, _, error = lanewise("index", *arguments)
        assert code == 2, error
        return error

    assert "line 3, column k: NULL" in error_of("build", "null.csv", "--key", "k", "-o", "null.index")
    assert not (tmp_path / "null.index").exists()
    assert lanewise("index", "build", "null.csv", "--key", "k", "--nulls", "-o", "null.index")[0] == 0
    assert "no column 'nope'; it has k, j" in error_of("build", "null.csv", "--key", "nope", "-o", "x.index")
    assert "no column 'nope'" in error_of("erase", "orders.index", "--from", "orders.csv", "--column", "nope,day")
    (tmp_path / "words.csv").write_text("customer,day\nanna,soon\n")
    assert "'words.csv', line 2, column day: soon is not a value of BIGINT" in error_of("insert", "orders.index", "--from", "words.csv")
    assert lanewise("index", "query", "orders.index", "--keys", "words.csv")[0] == 0
    assert "missing.csv" in error_of("query", "orders.index", "--keys", "missing.csv")
    assert "is not an index" in error_of("stats", "orders.csv")
    assert "No such file" in error_of("verify", "nowhere.index")
    assert "equal" in error_of("build", "orders.csv", "--key", "day", "--unique", "-o", "x.index")
    assert "2 columns" in error_of("query", "orders.index", "--keys", "null.csv", "--column", "k,j,k")
    data = bytearray((tmp_path / "orders.index").read_bytes())
    data[3 * 65536 + 100] ^= 4
    (tmp_path / "orders.index").write_bytes(data)
    assert "group 3 (bytes 196608 to 262144)" in error_of("verify", "orders.index")
    (tmp_path / "orders.index").write_bytes(data[:-1])
    assert "truncated" in error_of("stats", "orders.index")


def test_query_on_a_device(lanewise, tmp_path):
    (tmp_path / "n.csv").write_text("k\n" + "".join(f"{i % 50}\n" for i in range(200)))
    assert lanewise("index", "build", "n.csv", "--key", "k", "-o", "n.index")[0] == 0
    code, here, _ = lanewise("index", "query", "n.index", "--keys", "n.csv")
    assert code == 0
    code, there, error = lanewise("index", "query", "n.index", "--keys", "n.csv", "--device", "cuda")
    assert there == here if code == 0 else (code == 2 and "NVIDIA" in error)  # no GPU here
    for wrong in ("auto", "abacus", "cuda:x"):
        assert lanewise("index", "query", "n.index", "--keys", "n.csv", "--device", wrong)[0] == 2
