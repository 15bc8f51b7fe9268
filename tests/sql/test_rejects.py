"""Rows that read_csv could not read, in the tables of store_rejects: as DuckDB stores them."""

import corpus
import duckdb
import engine
import pytest

OPTIONS = "columns = {'a': 'INT', 'b': 'INT'}, header = false, auto_detect = false, delim = ',', store_rejects = true"
COUNTS = "SELECT count(*) AS n, count(DISTINCT scan_id) AS scans FROM reject_errors"
ROWS = "SELECT line, column_name, error_type::VARCHAR AS error, csv_line FROM reject_errors JOIN reject_scans USING (scan_id, file_id)"
SCRIPTS = {
    "twice": ["FROM read_csv('one.csv', {})", "FROM read_csv('one.csv', {})", COUNTS, ROWS],
    "in a transaction": ["BEGIN", "FROM read_csv('one.csv', {})", "FROM read_csv('two.csv', {})", "COMMIT", COUNTS, ROWS],
    "after DROP": ["FROM read_csv('one.csv', {})", "DROP TABLE reject_errors", "DROP TABLE reject_scans", "FROM read_csv('one.csv', {})", COUNTS],
    "CREATE TABLE AS": ["CREATE TABLE t AS FROM read_csv('two.csv', {})", COUNTS, ROWS],
    "a view": ["CREATE VIEW v AS FROM read_csv('two.csv', {})", "FROM v", "FROM v", COUNTS, ROWS],
    "own names": ["FROM read_csv('two.csv', {}, rejects_table = 'wrong', rejects_scan = 'scans')", "SELECT line FROM wrong", "SELECT count(*) AS n FROM scans"],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_rejects(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.csv").write_text("1,2\nx,3\n")
    (tmp_path / "two.csv").write_text("1,2\ny,3\n5,6\n4,z\n")
    statements = [statement.replace("{}", OPTIONS) for statement in SCRIPTS[name]]
    blocks = [corpus.Block("query" if sql.startswith(("SELECT", "FROM")) else "statement", False, "", sql, line) for line, sql in enumerate(statements)]
    with duckdb.connect() as connection:
        expected = corpus.duckdb_answers(connection, blocks)
    assert not engine.failures(blocks, expected)
