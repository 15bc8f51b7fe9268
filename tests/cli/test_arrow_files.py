"""Arrow IPC files and streams: in FROM, on standard input, and as output; compared with PyArrow."""

import datetime
import decimal
import subprocess
import uuid

import pyarrow as pa
import pyarrow.feather
import pytest
from conftest import PROGRAM

TABLE = pa.table({
    "i": pa.array([1, None, 3], pa.int32()),
    "s": ["apple", None, "a longer fruit than twelve bytes"],
    "d": pa.array(["x", "y", "x"]).dictionary_encode(),
    "f": [1.5, float("inf"), None],
    "n": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-3.00")], pa.decimal128(12, 2)),
    "t": pa.array([datetime.datetime(2026, 11, 25, 1, 2, 3), None, None], pa.timestamp("us")),
    "b": [True, False, None],
})
SHOWN = ('i,s,d,f,n,t,b\n1,apple,x,1.5,1.25,2026-11-25 01:02:03,true\n,,y,inf,,,false\n'
         '3,a longer fruit than twelve bytes,x,,-3.00,,\n')


def write(path, table, stream=False, compression=None, rows=None):
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(str(path), table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as out:
        out.write_table(table, max_chunksize=rows)


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("name", ["t.arrow", "t.ARROWS", "t.ipc"])
def test_from_files_and_streams(lanewise, tmp_path, name, compression):
    write(tmp_path / name, TABLE, stream=name == "t.ARROWS", compression=compression, rows=2)
    assert lanewise("sql", "--format", "csv", "-c", f"FROM '{name}'") == (0, SHOWN, "")


def test_from_feather(lanewise, tmp_path):
    pyarrow.feather.write_feather(TABLE, tmp_path / "t.feather")
    assert lanewise("sql", "--format", "csv", "-c", "SELECT sum(i) AS i FROM 't.feather' WHERE s LIKE '%fruit%'") == (0, "i\n3\n", "")
    pyarrow.feather.write_feather(TABLE.select(["f"]), tmp_path / "old.feather", version=1)
    code, _, error = lanewise("sql", "-c", "FROM 'old.feather'")
    assert code == 2 and "Feather file of version 1" in error


def test_from_standard_input(tmp_path):
    for stream in (False, True):
        write(tmp_path / "t", TABLE, stream)
        for given in ((tmp_path / "t").open("rb"), subprocess.Popen(["cat", tmp_path / "t"], stdout=subprocess.PIPE).stdout):
            done = subprocess.run([PROGRAM, "sql", "--format", "csv", "-c", "FROM '-'"], stdin=given, capture_output=True, text=True)
            assert (done.stdout, done.stderr) == (SHOWN, "")


def test_several_files_and_many_rows(lanewise, tmp_path):
    for part in range(3):
        rows = pa.table({"part": [part] * 100_000, "i": range(100_000), "s": [f"row {i}" for i in range(100_000)]})
        write(tmp_path / f"{part}.arrow", rows, compression="lz4", rows=10_000)
    query = "SELECT part, count(*) AS n, sum(i) AS i FROM '*.arrow' WHERE s LIKE '%7' GROUP BY part ORDER BY part"
    sums = "".join(f"{part},10000,{sum(range(7, 100_000, 10))}\n" for part in range(3))
    assert lanewise("sql", "--format", "csv", "-c", query) == (0, "part,n,i\n" + sums, "")
    in_order = "SELECT part, i FROM read_arrow('*.arrow') LIMIT 2 OFFSET 99999"
    assert lanewise("sql", "--format", "csv", "-c", in_order)[1] == "part,i\n0,99999\n1,0\n"
    assert lanewise("sql", "--format", "csv", "-c", "SELECT count(*) AS n FROM '0.arrow' JOIN '1.arrow' USING (i)")[1] == "n\n100000\n"


def test_files_that_are_wrong(lanewise, tmp_path):
    write(tmp_path / "good.arrow", TABLE.select(["i"]))
    write(tmp_path / "other.arrow", TABLE.select(["s"]))
    whole = (tmp_path / "good.arrow").read_bytes()
    (tmp_path / "short.arrow").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.arrow").write_text("not Arrow at all")
    write(tmp_path / "wide.arrow", pa.table({"l": pa.array([1], pa.decimal256(60, 0))}))
    for name, why in (("none.arrow", "No such file"), ("short.arrow", "'short.arrow'"), ("text.arrow", "is not an Arrow IPC file or stream"),
                      ("x*.arrow", "No files found"), ("*o*.arrow", "its columns are not those of './good.arrow'"), ("wide.arrow", "'l'")):
        code, out, error = lanewise("sql", "-c", f"FROM '{name}'")
        assert (code, out) == (2, "") and why in error, error


@pytest.mark.parametrize("name", ["out.arrow", "out.feather", "out.arrows"])
def test_output(lanewise, tmp_path, name):
    write(tmp_path / "t.arrow", TABLE)
    assert lanewise("sql", "-c", "FROM 't.arrow'", "-o", name) == (0, "", "")
    read = (pa.ipc.open_stream if name == "out.arrows" else pa.ipc.open_file)(str(tmp_path / name)).read_all()
    assert read.select([c for c in read.column_names if c != "d"]).to_pylist() == TABLE.drop_columns(["d"]).to_pylist()
    assert read["d"].to_pylist() == ["x", "y", "x"]
    assert lanewise("sql", "--format", "csv", "-c", f"FROM '{name}'") == (0, SHOWN, "")


def test_output_of_every_kind_of_type(lanewise, tmp_path):
    query = ("SELECT [1, 2] AS l, {'a': 1, 'b': 'x'} AS st, map {'k': 1} AS m, INTERVAL 3 DAY AS iv, DATE '2026-11-25' AS d, "
             "TIME '01:02:03' AS t, 'ab'::BLOB AS bl, 7::UTINYINT AS u, 170141183460469231731::HUGEINT AS h, NULL AS n, "
             "'00000000-0000-0000-0000-000000000001'::UUID AS id")
    assert lanewise("sql", "--fallback", "duckdb", "-c", query, "-o", "out.arrow")[0] == 0
    [row] = pa.ipc.open_file(str(tmp_path / "out.arrow")).read_all().to_pylist()
    assert (row["l"], row["st"], row["m"], row["n"]) == ([1, 2], {"a": 1, "b": "x"}, [("k", 1)], None)
    assert (row["d"], row["t"], row["bl"], row["u"]) == (datetime.date(2026, 11, 25), datetime.time(1, 2, 3), b"ab", 7)
    assert row["h"] == 170141183460469231731 and row["iv"].days == 3
    assert uuid.UUID(str(row["id"])).int == 1


def test_output_to_a_pipe(lanewise, tmp_path):
    done = subprocess.run([PROGRAM, "sql", "--format", "arrows", "-c", "SELECT 'x' AS s FROM range(3)"], capture_output=True, check=True)
    assert pa.ipc.open_stream(done.stdout).read_all().to_pylist() == [{"s": "x"}] * 3
    done = subprocess.run([PROGRAM, "sql", "--format", "arrow", "-c", "SELECT 1 AS i WHERE false"], capture_output=True, check=True)
    assert pa.ipc.open_file(done.stdout).read_all().num_rows == 0


def test_an_input_is_never_an_output(lanewise, tmp_path):
    write(tmp_path / "t.arrow", TABLE)
    before = (tmp_path / "t.arrow").read_bytes()
    code, _, error = lanewise("sql", "-c", "FROM 't.arrow'", "-o", "./t.arrow")
    assert code == 2 and "t.arrow" in error and (tmp_path / "t.arrow").read_bytes() == before


def test_other_commands(lanewise, tmp_path):
    write(tmp_path / "t.arrow", TABLE.slice(0, 1).select(["i", "s"]))
    assert lanewise("index", "build", "t.arrow", "--key", "i", "-o", "t.index")[0] == 0
    assert lanewise("index", "query", "t.index", "--keys", "t.arrow", "-o", "found.arrow")[::2] == (0, "")
    assert pa.ipc.open_file(str(tmp_path / "found.arrow")).read_all()["i"].to_pylist() == [1]
