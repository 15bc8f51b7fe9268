"""Queries in parts over Parquet files, read group by group: the answers equal DuckDB's over all files."""

import duckdb
import lanewise as lw
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lanewise import _files
from lanewise._files import parquet_files
from lanewise._split import answer, named_columns, split
from test_split import QUERIES, TABLE, same

FILES = 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of 500 rows, and one without rows."""
    path = tmp_path_factory.mktemp("input")
    for number in range(FILES):
        pq.write_table(TABLE.slice(number * 500, 500), path / f"{number}.parquet")
    return path


def key(row):
    return [(value is None, str(value)) for value in row if not isinstance(value, float)]


@pytest.mark.parametrize("query", QUERIES)
def test_files_are_the_whole(folder, query):
    files = parquet_files(folder)
    plan = split(query, files.schema)
    rows = pa.concat_tables([files.answer(plan.partial, [file], {}, threads=1) for group in files.groups for file in group])
    for merge in filter(None, (plan.final, plan.top)):
        rows = answer(merge, rows)
    expected = duckdb.sql(f"WITH input AS (FROM '{folder}/*.parquet') {query}").fetchall()
    got = [tuple(row.values()) for row in rows.to_pylist()]
    if "ORDER BY" not in query:
        got, expected = sorted(got, key=key), sorted(expected, key=key)
    assert len(got) == len(expected) and all(all(map(same, a, b)) for a, b in zip(got, expected))


def count(paths):
    files = parquet_files(paths)
    return sum(files.answer("SELECT count(*) AS n FROM input", group, {}, threads=1)["n"][0].as_py() for group in files.groups)


def test_paths(folder, tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    for name in ["in/a.parquet", "in/.hidden.parquet", "in/b.txt", "_kept.parquet", "c[1]'{x,y}.parquet", "c1.parquet"]:
        pq.write_table(TABLE.slice(0, 10), tmp_path / name)
    assert count(folder) == count(f"{folder}/*.parquet") == count([f"{folder}/{number}.parquet" for number in range(FILES)]) == TABLE.num_rows
    assert count(tmp_path) == 30 and count(tmp_path / "c[1]'{x,y}.parquet") == 10 and count(f"{tmp_path}/*.parquet") == 30
    monkeypatch.chdir(folder)
    assert parquet_files("0.parquet").groups == [[str(folder / "0.parquet")]]


def test_small_files_share_a_task(folder, monkeypatch):
    assert list(map(len, parquet_files(folder).groups)) == [FILES]
    monkeypatch.setattr(_files, "_BYTES", (folder / "0.parquet").stat().st_size * 2 + 100)
    assert list(map(len, parquet_files(folder).groups)) == [2, 2, 1]
    monkeypatch.setattr(_files, "_BYTES", 1)
    assert list(map(len, parquet_files(folder).groups)) == [1] * FILES


def test_types_of_the_first_file(tmp_path):
    pq.write_table(pa.table({"x": pa.array([1, 2], pa.int64()), "t": ["a", None]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"more": [1], "t": ["b"], "x": pa.array([3], pa.int16())}), tmp_path / "1.parquet")
    files = parquet_files(tmp_path)
    rows = pa.concat_tables([files.answer("SELECT * FROM input", [file], {}, threads=1) for group in files.groups for file in group])
    assert rows.to_pydict() == {"x": [1, 2, 3], "t": ["a", None, "b"]} and rows.schema == files.schema


def test_partitioned_folders(tmp_path):
    for year in (2025, 2026):
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(pa.table({"x": [year % 10]}), tmp_path / f"year={year}" / "part.parquet")
    files = parquet_files(tmp_path)
    rows = pa.concat_tables([files.answer("SELECT year, x FROM input", group, {}, threads=1) for group in files.groups])
    assert sorted(rows.to_pylist(), key=str) == [{"year": 2025, "x": 5}, {"year": 2026, "x": 6}]


@pytest.mark.parametrize("paths, kind, message", [
    ([], lw.OperationalError, "empty"), ("nowhere/*.parquet", lw.OperationalError, "nowhere"), ("pytest.ini", lw.Error, "pytest.ini|magic"),
    ("https://example.invalid/x.parquet", lw.Error, "httpfs"),
])  # fmt: skip
def test_wrong_paths(paths, kind, message, monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)
    with pytest.raises(kind, match=message):
        parquet_files(paths)


def test_a_missing_column_is_an_error(tmp_path):
    pq.write_table(pa.table({"x": [1], "t": ["a"]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"x": [1]}), tmp_path / "1.parquet")
    files = parquet_files(tmp_path)
    with pytest.raises(lw.SqlError, match='1.parquet" does not have a column named "t"'):
        files.answer("SELECT t FROM input", [str(tmp_path / "1.parquet")], {}, threads=1)


@pytest.mark.parametrize("query, names", [
    ("SELECT count(*) FROM input", "k"), ("SELECT D FROM input WHERE x > 1 ORDER BY g LIMIT 1", "gxd"), ("SELECT * FROM input", "kgxdbm"),
    ("SELECT input.b FROM input", "b"), ("SELECT input FROM input", "kgxdbm"), ("SELECT i FROM input AS i", "kgxdbm"), ("SELECT p FROM input AS i(p)", "kgxdbm"),
    ("SELECT x FROM input JOIN names USING (k)", "kx"), ("SELECT x FROM input NATURAL JOIN names", "kgxdbm"), ("SELECT #2 FROM input", "kgxdbm"),
    ("SELECT sum(x) FILTER (b) FROM input WHERE g IN (SELECT m FROM names) GROUP BY ALL", "gxbm"), ("SELECT COLUMNS('x') FROM input", "kgxdbm"),
])  # fmt: skip
def test_named_columns(query, names):
    assert "".join(named_columns(query, TABLE.schema)) == names
