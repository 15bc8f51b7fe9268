"""A short run of compare_strings.py, and all letters of Unicode."""

import compare_strings
import duckdb


def test_functions_answer_as_duckdb(level):
    found, compared = compare_strings.compare(rows=150, rounds=2, seed=11, lanes=level)
    assert not found, "\n".join(found[:5])
    assert compared > 10_000


def test_every_code_point(tmp_path):
    path = tmp_path / "letters.parquet"
    connection = duckdb.connect()
    connection.execute(f"""COPY (SELECT i AS id, chr(i::INTEGER) AS t FROM range(1, 1114112) t(i)
                                 WHERE i NOT BETWEEN 55296 AND 57343) TO '{path}'""")
    query = f"""SELECT id % 64 AS id, sum(hash)::VARCHAR AS a FROM (
                  SELECT id, (unicode(lower(t)) * 3 + unicode(upper(t)) * 5 + length(trim(t)) * 7 + length(reverse('क' || t || 'a'))
                              + length_grapheme('e' || t || 'é' || t) * 11) * (id % 1000003) AS hash FROM '{path}')
                GROUP BY id % 64"""
    answers, fault = compare_strings.lanewise([query], "simd")
    assert fault is None
    assert answers[0] == sorted(connection.execute(query).fetchall())
