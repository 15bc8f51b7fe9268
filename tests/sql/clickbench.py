"""ClickBench: SQL that makes rows with the columns that its 43 queries use, and the queries.

Its real rows, 10^8 hits on web pages in July 2013, cannot be had; the distinct values and the skew of the made
ones are about those of the real ones. ORDER BY has more keys than the originals, so that each query has one answer.
"""

WORDS = ["карта", "погода", "москва", "купить", "скачать", "музыка", "фото", "online", "film", "авто", "дом", "игры", "рецепт", "отзывы", "news", "школа",
         "расписание", "самолет", "недорого", "2013"]  # fmt: skip
HASH_OF_URL, HASH_OF_REFERER, USER = 2868770270353813622, 3594120000172545465, 435090932899640449  # constants of queries: the most frequent values


def share(seed, row="i"):
    """A number from 0 to 1. The hash of several values is their hashes' XOR, so it is hashed again."""
    return f"((hash(hash({row}, '{seed}')) >> 11)::DOUBLE / (1::BIGINT << 53))"


def skewed(high, power, seed):
    """A number below `high`; low ones are frequent."""
    return f"floor({max(high, 1)} * pow({share(seed)}, {power}))::BIGINT"


def one_of(values, seed):
    return f"{values}[1 + (hash(hash(i, '{seed}')) % {len(values)})::BIGINT]"


def words(number):
    """A phrase for each number."""
    size = len(WORDS)
    return " || ' ' || ".join([*(f"{WORDS}[1 + {number} // {size ** i} % {size}]" for i in range(3)), number])


def address(number):
    """A URL for each number; some contain google."""
    return (f"'http' || ['', 's'][1 + {number} % 2] || '://' || ['', 'www.'][1 + {number} % 3 // 2] || 'site' || floor(1000 * pow({share('site', number)}, 3))::BIGINT || "
            f"CASE {number} % 200 WHEN 97 THEN '.google.ru' WHEN 98 THEN '.com' ELSE '.ru' END || '/catalog/' || {WORDS}[1 + {number} // 3 % 20] || "
            f"'/' || repeat('item-', (hash({number}) % 7)::INTEGER) || {number} || "
            f"CASE WHEN {number} % 100 = 77 THEN '?from=google' WHEN {number} % 4 = 0 THEN '?id=' || {number} * 7919 ELSE '.html' END")  # fmt: skip


def rows(number):
    """A query for `number` hits."""
    return f"""SELECT (hash(hash(i)) >> 1)::BIGINT AS WatchID,
  CASE WHEN topic % 50 = 0 THEN '' ELSE {words('topic')} || CASE WHEN topic % 100 = 53 THEN ' - Google' ELSE '' END END AS Title,
  EventTime, EventTime::DATE AS EventDate, CASE WHEN {share('62')} < 0.02 THEN 62 ELSE {skewed(6500, 3, 'counter')} END::INTEGER AS CounterID,
  (hash({skewed(number // 10, 1.5, 'ip')}) >> 33)::INTEGER AS ClientIP, {skewed(9000, 4, 'region')}::INTEGER AS RegionID,
  CASE WHEN person = 0 THEN {USER} ELSE (hash(person, 'person') >> 1)::BIGINT END AS UserID, {address('page')} AS URL,
  CASE WHEN {share('referer?')} < 0.2 THEN '' ELSE {address('origin')} END AS Referer, ({share('refresh')} < 0.13)::SMALLINT AS IsRefresh,
  {one_of([0, 1024, 1280, 1366, 1366, 1440, 1600, 1680, 1920, 1920, 2560], 'width')}::SMALLINT AS ResolutionWidth,
  {one_of([-1, -1, -1, 0, 1, 2, 3, 4, 5, 6], 'source')}::SMALLINT AS TraficSourceID,
  CASE WHEN phrase < 0 THEN 0 ELSE {skewed(60, 3, 'engine')} END::SMALLINT AS SearchEngineID,
  CASE WHEN phrase < 0 THEN '' ELSE {words('phrase')} END AS SearchPhrase,
  CASE WHEN {share('advertised')} < 0.0063 THEN {skewed(60, 3, 'advertiser')} ELSE 0 END::SMALLINT AS AdvEngineID,
  CASE WHEN model < 0 THEN 0 ELSE model % 80 END::SMALLINT AS MobilePhone, CASE WHEN model < 0 THEN '' ELSE 'model ' || model END AS MobilePhoneModel,
  ({share('link')} < 0.1)::SMALLINT AS IsLink, ({share('download')} < 0.01)::SMALLINT AS IsDownload, ({share('count')} < 0.02)::SMALLINT AS DontCountHits,
  CASE WHEN page = 0 THEN {HASH_OF_URL} ELSE (hash(page) >> 1)::BIGINT END AS URLHash,
  CASE WHEN origin = 0 THEN {HASH_OF_REFERER} ELSE (hash(origin) >> 1)::BIGINT END AS RefererHash,
  (300 + {skewed(1700, 0.5, 'client')})::SMALLINT AS WindowClientWidth, (200 + {skewed(900, 0.5, 'height')})::SMALLINT AS WindowClientHeight
FROM (SELECT i, TIMESTAMP '2013-07-01' + to_seconds(floor({31 * 86400} * {share('time')})::BIGINT) AS EventTime, {skewed(number // 4, 2, 'person')} AS person,
  {skewed(number // 4, 4, 'url')} AS page, {skewed(number // 4, 4, 'referer')} AS origin, {skewed(number // 10, 4, 'title')} AS topic,
  CASE WHEN {share('search')} < 0.13 THEN {skewed(number // 10, 2, 'phrase')} ELSE -1 END AS phrase,
  CASE WHEN {share('phone?')} < 0.055 THEN {skewed(200, 3, 'phone')} ELSE -1 END AS model FROM range({number}) r(i))"""


def tables(number):
    return [f"CREATE TABLE hits AS {rows(number)}"]


MONTH = "CounterID = 62 AND EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'"
QUERIES = r"""
SELECT COUNT(*) FROM hits
SELECT COUNT(*) FROM hits WHERE AdvEngineID <> 0
SELECT SUM(AdvEngineID), COUNT(*), AVG(ResolutionWidth) FROM hits
SELECT AVG(UserID) FROM hits
SELECT COUNT(DISTINCT UserID) FROM hits
SELECT COUNT(DISTINCT SearchPhrase) FROM hits
SELECT MIN(EventDate), MAX(EventDate) FROM hits
SELECT AdvEngineID, COUNT(*) FROM hits WHERE AdvEngineID <> 0 GROUP BY AdvEngineID ORDER BY COUNT(*) DESC, 1
SELECT RegionID, COUNT(DISTINCT UserID) AS u FROM hits GROUP BY RegionID ORDER BY u DESC, 1 LIMIT 10
SELECT RegionID, SUM(AdvEngineID), COUNT(*) AS c, AVG(ResolutionWidth), COUNT(DISTINCT UserID) FROM hits GROUP BY RegionID ORDER BY c DESC, 1 LIMIT 10
SELECT MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM hits WHERE MobilePhoneModel <> '' GROUP BY MobilePhoneModel ORDER BY u DESC, 1 LIMIT 10
SELECT MobilePhone, MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM hits WHERE MobilePhoneModel <> '' GROUP BY MobilePhone, MobilePhoneModel ORDER BY u DESC, 1, 2 LIMIT 10
SELECT SearchPhrase, COUNT(*) AS c FROM hits WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC, 1 LIMIT 10
SELECT SearchPhrase, COUNT(DISTINCT UserID) AS u FROM hits WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY u DESC, 1 LIMIT 10
SELECT SearchEngineID, SearchPhrase, COUNT(*) AS c FROM hits WHERE SearchPhrase <> '' GROUP BY SearchEngineID, SearchPhrase ORDER BY c DESC, 1, 2 LIMIT 10
SELECT UserID, COUNT(*) FROM hits GROUP BY UserID ORDER BY COUNT(*) DESC, 1 LIMIT 10
SELECT UserID, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, SearchPhrase ORDER BY COUNT(*) DESC, 1, 2 LIMIT 10
SELECT UserID, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, SearchPhrase ORDER BY 1, 2 LIMIT 10
SELECT UserID, extract(minute FROM EventTime) AS m, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, m, SearchPhrase ORDER BY COUNT(*) DESC, 1, 2, 3 LIMIT 10
SELECT UserID FROM hits WHERE UserID = {user}
SELECT COUNT(*) FROM hits WHERE URL LIKE '%google%'
SELECT SearchPhrase, MIN(URL), COUNT(*) AS c FROM hits WHERE URL LIKE '%google%' AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC, 1 LIMIT 10
SELECT SearchPhrase, MIN(URL), MIN(Title), COUNT(*) AS c, COUNT(DISTINCT UserID) FROM hits WHERE Title LIKE '%Google%' AND URL NOT LIKE '%.google.%' AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC, 1 LIMIT 10
SELECT * FROM hits WHERE URL LIKE '%google%' ORDER BY EventTime, WatchID LIMIT 10
SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' ORDER BY EventTime, 1 LIMIT 10
SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' ORDER BY SearchPhrase LIMIT 10
SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' ORDER BY EventTime, SearchPhrase LIMIT 10
SELECT CounterID, AVG(STRLEN(URL)) AS l, COUNT(*) AS c FROM hits WHERE URL <> '' GROUP BY CounterID HAVING COUNT(*) > {frequent} ORDER BY l DESC, 1 LIMIT 25
SELECT REGEXP_REPLACE(Referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS k, AVG(STRLEN(Referer)) AS l, COUNT(*) AS c, MIN(Referer) FROM hits WHERE Referer <> '' GROUP BY k HAVING COUNT(*) > {frequent} ORDER BY l DESC, 1 LIMIT 25
{widths}
SELECT SearchEngineID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits WHERE SearchPhrase <> '' GROUP BY SearchEngineID, ClientIP ORDER BY c DESC, 1, 2 LIMIT 10
SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits WHERE SearchPhrase <> '' GROUP BY WatchID, ClientIP ORDER BY c DESC, 1, 2 LIMIT 10
SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits GROUP BY WatchID, ClientIP ORDER BY c DESC, 1, 2 LIMIT 10
SELECT URL, COUNT(*) AS c FROM hits GROUP BY URL ORDER BY c DESC, 1 LIMIT 10
SELECT 1 AS one, URL, COUNT(*) AS c FROM hits GROUP BY 1, URL ORDER BY c DESC, 2 LIMIT 10
SELECT ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3, COUNT(*) AS c FROM hits GROUP BY ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3 ORDER BY c DESC, 1 LIMIT 10
SELECT URL, COUNT(*) AS PageViews FROM hits WHERE {month} AND DontCountHits = 0 AND IsRefresh = 0 AND URL <> '' GROUP BY URL ORDER BY PageViews DESC, 1 LIMIT 10
SELECT Title, COUNT(*) AS PageViews FROM hits WHERE {month} AND DontCountHits = 0 AND IsRefresh = 0 AND Title <> '' GROUP BY Title ORDER BY PageViews DESC, 1 LIMIT 10
SELECT URL, COUNT(*) AS PageViews FROM hits WHERE {month} AND IsRefresh = 0 AND IsLink <> 0 AND IsDownload = 0 GROUP BY URL ORDER BY PageViews DESC, 1 LIMIT 10 OFFSET {offset[1000]}
SELECT TraficSourceID, SearchEngineID, AdvEngineID, CASE WHEN (SearchEngineID = 0 AND AdvEngineID = 0) THEN Referer ELSE '' END AS Src, URL AS Dst, COUNT(*) AS PageViews FROM hits WHERE {month} AND IsRefresh = 0 GROUP BY TraficSourceID, SearchEngineID, AdvEngineID, Src, Dst ORDER BY PageViews DESC, 1, 2, 3, 4, 5 LIMIT 10 OFFSET {offset[1000]}
SELECT URLHash, EventDate, COUNT(*) AS PageViews FROM hits WHERE {month} AND IsRefresh = 0 AND TraficSourceID IN (-1, 6) AND RefererHash = {referer} GROUP BY URLHash, EventDate ORDER BY PageViews DESC, 1, 2 LIMIT 10 OFFSET {offset[100]}
SELECT WindowClientWidth, WindowClientHeight, COUNT(*) AS PageViews FROM hits WHERE {month} AND IsRefresh = 0 AND DontCountHits = 0 AND URLHash = {url} GROUP BY WindowClientWidth, WindowClientHeight ORDER BY PageViews DESC, 1, 2 LIMIT 10 OFFSET {offset[10000]}
SELECT DATE_TRUNC('minute', EventTime) AS M, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND EventDate >= '2013-07-14' AND EventDate <= '2013-07-15' AND IsRefresh = 0 AND DontCountHits = 0 GROUP BY DATE_TRUNC('minute', EventTime) ORDER BY DATE_TRUNC('minute', EventTime) LIMIT 10 OFFSET {offset[1000]}
""".strip().splitlines()  # fmt: skip


def queries(number):
    """The queries; their thresholds and offsets, which are for 10^8 rows, are scaled to the number of rows."""
    values = {"month": MONTH, "user": USER, "url": HASH_OF_URL, "referer": HASH_OF_REFERER, "frequent": number // 1000,
              "offset": {offset: number * offset // 10 ** 8 for offset in (100, 1000, 10000)},
              "widths": "SELECT " + ", ".join(f"SUM(ResolutionWidth + {i})" for i in range(90)) + " FROM hits"}  # fmt: skip
    return {str(i): query.format_map(values) for i, query in enumerate(QUERIES, 1)}
