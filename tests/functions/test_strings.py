"""A short run of compare_strings.py, and all letters of Unicode."""

import json
import subprocess
import unicodedata

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


def without_marks(text):
    """All marks dropped from the decomposed text."""
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.category(letter).startswith("M"))


def test_normal_forms_are_pythons():
    """Of all letters that have parts, and marks in all orders; Unicode's stability policy keeps them in later versions."""
    letters = [chr(code) for code in range(0x80, 0x110000) if unicodedata.normalize("NFD", chr(code)) != chr(code)]
    marks = [chr(code) for code in range(0x300, 0x370) if unicodedata.combining(chr(code))]
    texts = letters + [unicodedata.normalize("NFD", letter) for letter in letters]
    texts += [f"{letter}{marks[i % len(marks)]}{marks[i * 7 % len(marks)]}" for i, letter in enumerate("aeoAK" * 200 + "".join(letters[:3000]))]
    query = "SELECT nfc_normalize(t) AS nfc, strip_accents(t) AS stripped FROM read_csv('/dev/stdin', header = false, columns = {'t': 'VARCHAR'}, delim = chr(1), quote = '')"
    done = subprocess.run([compare_strings.PROGRAM, "sql", "--format", "ndjson", "--threads", "1", "-c", query], input="\n".join(texts), capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    assert len(rows) == len(texts) > 20_000
    found = [(text, row) for text, row in zip(texts, rows)
             if row["nfc"] != unicodedata.normalize("NFC", text) or row["stripped"] != unicodedata.normalize("NFC", without_marks(text))]
    assert not found, found[:5]
