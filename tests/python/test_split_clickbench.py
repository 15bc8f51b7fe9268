"""ClickBench's 43 queries in parts over generated rows. ORDER BY has more keys than the originals, so that each has one answer; thresholds fit the rows."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from test_split import in_parts_of, same

ROWS = 20_000
RANDOM = np.random.default_rng(43)


def some(values, weights=None):
    return RANDOM.choice(values, ROWS, p=weights)


def column(kind, high):
    return pa.array(RANDOM.integers(0, high, ROWS), kind)


DAYS = RANDOM.integers(0, 31, ROWS)
SITES = [f"http{'s' * (i % 2)}://{'www.' * (i % 3 == 0)}site{i}.example/{'google' if i % 7 == 0 else 'page'}/{i}" for i in range(60)] + ["", "http://.google.example/x"]
INPUT = pa.table({
    "WatchID": column("int64", 2**40), "Title": pa.array(some(["", "Google maps", "News", "Wetter", "Ä"])), "EventDate": pa.array(DAYS + 15887, pa.int32()).cast(pa.date32()),
    "EventTime": pa.array((DAYS + 15887) * 86_400_000_000 + RANDOM.integers(0, 86_400, ROWS) * 1_000_000).cast(pa.timestamp("us")), "CounterID": column("int32", 64),
    "ClientIP": column("int32", 500), "RegionID": column("int32", 20), "UserID": column("int64", 900), "URL": pa.array(some(SITES)), "Referer": pa.array(some(SITES)),
    "IsRefresh": column("int16", 2), "ResolutionWidth": column("int16", 2000), "TraficSourceID": pa.array(RANDOM.integers(-1, 8, ROWS), "int16"),
    "SearchEngineID": column("int16", 4), "SearchPhrase": pa.array(some(["", "weather", "maps", "cars", "a b"], [0.6, 0.1, 0.1, 0.1, 0.1])),
    "AdvEngineID": column("int16", 3), "MobilePhone": column("int16", 5), "MobilePhoneModel": pa.array(some(["", "iPad", "X1", "ΩZ"])), "IsLink": column("int16", 2),
    "IsDownload": column("int16", 2), "DontCountHits": column("int16", 2), "URLHash": column("int64", 40), "RefererHash": column("int64", 40),
    "WindowClientWidth": column("int16", 30), "WindowClientHeight": column("int16", 30),
})  # fmt: skip

MONTH = "CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'"
QUERIES = [line.format(month=MONTH) for line in r"""
SELECT COUNT(*) FROM input
SELECT COUNT(*) FROM input WHERE AdvEngineID <> 0
SELECT SUM(AdvEngineID), COUNT(*), AVG(ResolutionWidth) FROM input
SELECT AVG(UserID) FROM input
SELECT COUNT(DISTINCT UserID) FROM input
SELECT COUNT(DISTINCT SearchPhrase) FROM input
SELECT MIN(EventDate), MAX(EventDate) FROM input
SELECT AdvEngineID, COUNT(*) FROM input WHERE AdvEngineID <> 0 GROUP BY AdvEngineID ORDER BY COUNT(*) DESC, 1
SELECT RegionID, COUNT(DISTINCT UserID) AS u FROM input GROUP BY RegionID ORDER BY u DESC, 1 LIMIT 10
SELECT RegionID, SUM(AdvEngineID), COUNT(*) AS c, AVG(ResolutionWidth), COUNT(DISTINCT UserID) FROM input GROUP BY RegionID ORDER BY c DESC, 1 LIMIT 10
SELECT MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM input WHERE MobilePhoneModel <> '' GROUP BY MobilePhoneModel ORDER BY u DESC, 1 LIMIT 10
SELECT MobilePhone, MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM input WHERE MobilePhoneModel <> '' GROUP BY MobilePhone, MobilePhoneModel ORDER BY u DESC, 1, 2 LIMIT 10
SELECT SearchPhrase, COUNT(*) AS c FROM input WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC, 1 LIMIT 10
SELECT SearchPhrase, COUNT(DISTINCT UserID) AS u FROM input WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY u DESC, 1 LIMIT 10
SELECT SearchEngineID, SearchPhrase, COUNT(*) AS c FROM input WHERE SearchPhrase <> '' GROUP BY SearchEngineID, SearchPhrase ORDER BY c DESC, 1, 2 LIMIT 10
SELECT UserID, COUNT(*) FROM input GROUP BY UserID ORDER BY COUNT(*) DESC, 1 LIMIT 10
SELECT UserID, SearchPhrase, COUNT(*) FROM input GROUP BY UserID, SearchPhrase ORDER BY COUNT(*) DESC, 1, 2 LIMIT 10
SELECT UserID, SearchPhrase, COUNT(*) FROM input GROUP BY UserID, SearchPhrase ORDER BY 1, 2 LIMIT 10
SELECT UserID, extract(minute FROM EventTime) AS m, SearchPhrase, COUNT(*) FROM input GROUP BY UserID, m, SearchPhrase ORDER BY COUNT(*) DESC, 1, 2, 3 LIMIT 10
SELECT UserID FROM input WHERE UserID = 435
SELECT COUNT(*) FROM input WHERE URL LIKE '%google%'
SELECT SearchPhrase, MIN(URL), COUNT(*) AS c FROM input WHERE URL LIKE '%google%' AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC, 1 LIMIT 10
SELECT SearchPhrase, MIN(URL), MIN(Title), COUNT(*) AS c, COUNT(DISTINCT UserID) FROM input WHERE Title LIKE '%Google%' AND URL NOT LIKE '%.google.%' AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC, 1 LIMIT 10
SELECT * FROM input WHERE URL LIKE '%google%' ORDER BY EventTime, WatchID LIMIT 10
SELECT SearchPhrase FROM input WHERE SearchPhrase <> '' ORDER BY EventTime, 1 LIMIT 10
SELECT SearchPhrase FROM input WHERE SearchPhrase <> '' ORDER BY SearchPhrase LIMIT 10
SELECT SearchPhrase FROM input WHERE SearchPhrase <> '' ORDER BY EventTime, SearchPhrase LIMIT 10
SELECT CounterID, AVG(STRLEN(URL)) AS l, COUNT(*) AS c FROM input WHERE URL <> '' GROUP BY CounterID HAVING COUNT(*) > 300 ORDER BY l DESC, 1 LIMIT 25
SELECT REGEXP_REPLACE(Referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS k, AVG(STRLEN(Referer)) AS l, COUNT(*) AS c, MIN(Referer) FROM input WHERE Referer <> '' GROUP BY k HAVING COUNT(*) > 300 ORDER BY l DESC, 1 LIMIT 25
WIDTHS
SELECT SearchEngineID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM input WHERE SearchPhrase <> '' GROUP BY SearchEngineID, ClientIP ORDER BY c DESC, 1, 2 LIMIT 10
SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM input WHERE SearchPhrase <> '' GROUP BY WatchID, ClientIP ORDER BY c DESC, 1, 2 LIMIT 10
SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM input GROUP BY WatchID, ClientIP ORDER BY c DESC, 1, 2 LIMIT 10
SELECT URL, COUNT(*) AS c FROM input GROUP BY URL ORDER BY c DESC, 1 LIMIT 10
SELECT 1 AS one, URL, COUNT(*) AS c FROM input GROUP BY 1, URL ORDER BY c DESC, 2 LIMIT 10
SELECT ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3, COUNT(*) AS c FROM input GROUP BY ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3 ORDER BY c DESC, 1 LIMIT 10
SELECT URL, COUNT(*) AS PageViews FROM input WHERE {month} AND DontCountHits = 0 AND IsRefresh = 0 AND URL <> '' GROUP BY URL ORDER BY PageViews DESC, 1 LIMIT 10
SELECT Title, COUNT(*) AS PageViews FROM input WHERE {month} AND DontCountHits = 0 AND IsRefresh = 0 AND Title <> '' GROUP BY Title ORDER BY PageViews DESC, 1 LIMIT 10
SELECT URL, COUNT(*) AS PageViews FROM input WHERE {month} AND IsRefresh = 0 AND IsLink <> 0 AND IsDownload = 0 GROUP BY URL ORDER BY PageViews DESC, 1 LIMIT 10 OFFSET 10
SELECT TraficSourceID, SearchEngineID, AdvEngineID, CASE WHEN (SearchEngineID = 0 AND AdvEngineID = 0) THEN Referer ELSE '' END AS Src, URL AS Dst, COUNT(*) AS PageViews FROM input WHERE {month} AND IsRefresh = 0 GROUP BY TraficSourceID, SearchEngineID, AdvEngineID, Src, Dst ORDER BY PageViews DESC, 1, 2, 3, 4, 5 LIMIT 10 OFFSET 10
SELECT URLHash, EventDate, COUNT(*) AS PageViews FROM input WHERE {month} AND IsRefresh = 0 AND TraficSourceID IN (-1, 6) AND RefererHash < 30 GROUP BY URLHash, EventDate ORDER BY PageViews DESC, 1, 2 LIMIT 10 OFFSET 10
SELECT WindowClientWidth, WindowClientHeight, COUNT(*) AS PageViews FROM input WHERE {month} AND IsRefresh = 0 AND DontCountHits = 0 AND URLHash < 30 GROUP BY WindowClientWidth, WindowClientHeight ORDER BY PageViews DESC, 1, 2 LIMIT 10 OFFSET 10
SELECT DATE_TRUNC('minute', EventTime) AS M, COUNT(*) AS PageViews FROM input WHERE CounterID = 62 AND EventDate >= '2013-07-14' AND EventDate <= '2013-07-15' AND IsRefresh = 0 AND DontCountHits = 0 GROUP BY DATE_TRUNC('minute', EventTime) ORDER BY DATE_TRUNC('minute', EventTime) LIMIT 10 OFFSET 3
""".strip().replace("WIDTHS", "SELECT " + ", ".join(f"SUM(ResolutionWidth + {i})" for i in range(90)) + " FROM input").splitlines()]  # fmt: skip


def test_there_are_43():
    assert len(QUERIES) == 43


@pytest.mark.parametrize("number", range(1, 44))
def test_clickbench(number):
    query = QUERIES[number - 1]
    got = [tuple(row) for row in zip(*(part.to_pylist() for part in in_parts_of(INPUT, query, [INPUT.slice(first, 7000) for first in range(0, ROWS, 7000)], 3).columns))]
    expected = duckdb.connect().register("input", INPUT).execute(query).fetchall()
    if "ORDER BY" not in query:
        got, expected = sorted(got), sorted(expected)
    assert len(got) == len(expected) and expected
    for a, b in zip(got, expected):
        assert all(map(same, a, b)), (a, b)
