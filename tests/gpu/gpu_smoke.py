"""On a machine with a GPU: answers of `lanewise sql --device cuda` compared with those of the CPU.

  python3 tests/gpu/gpu_smoke.py [--program build/lanewise] [--rows 200000] [--seconds 60]

Runs all queries over tables of sizes around the width of a warp, in small batches, with little device memory, and with a choice between both
devices. Errors must have the same words, and unsupported features must be named. Sums of doubles are rounded before the comparison, since their
order differs. If a run over a table differs or exceeds its time, its queries run one by one, and the faulty ones are named. The last line is
`N passed, M failed`.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SIZES = [0, 1, 31, 32, 33, 63, 64, 65, 1000]

TABLE = """CREATE TABLE t{rows} AS SELECT
  CASE WHEN i % 7 = 3 THEN NULL ELSE (i * 7919 % 1001 - 500)::INT END n,
  (i * 104729 % 1000003)::BIGINT * 1000003 b, (i % 100)::TINYINT ti,
  CASE WHEN i % 5 = 1 THEN NULL ELSE (i * 31 % 60000)::USMALLINT END us,
  (i * 2654435761)::UBIGINT ub, (i * 1000000007)::HUGEINT * 1000000000000 h,
  (i % 97 - 48)::DECIMAL(9, 2) m, (i * 3)::DECIMAL(30, 4) wd,
  CASE WHEN i % 11 = 2 THEN NULL ELSE (i * 37 % 100000 / 100)::DECIMAL(15, 2) END d,
  CASE WHEN i % 13 = 5 THEN 'nan'::DOUBLE WHEN i % 17 = 3 THEN NULL ELSE (i % 1000) / 8.0 END f,
  (i % 64 / 4.0)::FLOAT r, i % 3 = 0 bo, DATE '1995-01-01' + (i % 3000)::INT da,
  TIMESTAMP '2001-02-03 04:05:06' + to_seconds(i * 7919) ts,
  CASE WHEN i % 19 = 7 THEN NULL ELSE repeat('ab', (i % 9)::INT) || CASE WHEN i % 10 = 4 THEN 'google.de/' ELSE 'x' END ||
    (i * 7 % 1000) || CASE WHEN i % 50 = 0 THEN repeat('zä', 100) ELSE '' END END s,
  'k' || (i % 6) k, i FROM range({rows}) r(i)"""

QUERIES = """
SELECT count(*), sum(n), min(n), max(n), avg(n), count(n) FROM t
SELECT count(*), sum(b), min(b), max(b), avg(b) FROM t WHERE n > 3
SELECT sum(ti), min(ti), max(ti), avg(ti), sum(us), avg(us), max(us) FROM t WHERE n BETWEEN -100 AND 200
SELECT sum(ub), min(ub), max(ub), avg(ub) FROM t WHERE us IS NOT NULL
SELECT sum(h), min(h), max(h) FROM t
SELECT sum(d), min(d), max(d), avg(d), sum(wd), avg(wd), sum(d * d), sum(d * (1 - m)), avg(m) FROM t WHERE m > -10
SELECT sum(f)::BIGINT, min(f), max(f), count(f) FROM t WHERE f < 100
SELECT sum(r)::BIGINT, min(r), max(r) FROM t
SELECT count(*) FILTER (WHERE bo), count_if(n > 0), sum(n) FILTER (WHERE s LIKE '%google%'), min(da), max(ts), min(bo) FROM t
SELECT count(*) FROM t WHERE s LIKE '%google.d%'
SELECT count(*), sum(n) FROM t WHERE s LIKE '%google.d%' AND n > 3
SELECT count(*), sum(n) FROM t WHERE s NOT LIKE '%google.d%' AND n > 3
SELECT count(*), sum(n) FROM t WHERE s LIKE 'abab%' OR s LIKE '%5'
SELECT count(*) FROM t WHERE regexp_matches(s, '[0-9]{3}$') AND s LIKE '%ab%' AND NOT s LIKE '%x%'
SELECT count(*) FROM t WHERE s ILIKE '%GOOGLE%' AND length(s) > 12
SELECT count(*), sum(CASE WHEN s LIKE '%zä%' THEN n ELSE -1 END) FROM t
SELECT count(*), sum(length(s)), sum(strlen(s)) FROM t
SELECT count(*) FROM t WHERE s = 'abx7' OR s IN ('x', 'abx14', 'ababgoogle.de/28')
SELECT count(*) FROM t WHERE s > 'abab' AND s <= 'abx'
SELECT count(*), sum(i) FROM t WHERE 'k4' = k AND n > 3 AND s <> 'abx7'
SELECT count(*) FROM t WHERE s = 'a%x_7\\' OR s = 'ababababababababx119'
SELECT count(*) FROM t WHERE s = 'ababababababababx119'
SELECT count(*) FROM t WHERE s <> 'abababababababgoogle.de/868' AND s <> '_%x'
SELECT count(*) FROM t WHERE repeat(s, 9) = repeat('x7', 9)
SELECT count(*) FROM t WHERE k = 'k3' AND s BETWEEN 'a' AND 'b'
SELECT count(*), sum(i) FROM t WHERE k LIKE '%4' OR k = 'k1'
SELECT sum(coalesce(n, 0) * 2 - ti), sum(CASE WHEN n IS NULL THEN 1 WHEN n > 100 THEN 2 END), sum(n // nullif(ti, 0)), sum(n % 7) FROM t
SELECT sum(abs(n)), sum(n & 255), sum(n | 1), sum(xor(n, 5)), sum(n >> 2), sum(-n) FROM t
SELECT sum(year(da)), sum(month(da)), sum(day(ts)), sum(quarter(da)), count(*) FROM t WHERE da >= DATE '1996-05-05' AND ts < TIMESTAMP '2001-05-05'
SELECT sum(n::BIGINT * b::HUGEINT), sum(f::BIGINT), sum(d::INT), sum(n::DOUBLE::INT), sum(d::DOUBLE::DECIMAL(12, 1)), sum(bo::INT) FROM t WHERE f IS NULL OR f < 1e9
SELECT count(*) FROM t WHERE n IS DISTINCT FROM 5 AND (n IN (1, 2, 3, NULL) OR f IS NOT DISTINCT FROM NULL)
SELECT count(*) FROM t WHERE (n > 5 AND d < 100) OR (f > 3 AND NOT bo) OR us IS NULL
SELECT i, n, b, ti, us, ub, h, d, wd, f, r, bo, da, ts, s, k FROM t WHERE n > 450
SELECT i, s, n + 1 AS m, CASE WHEN bo THEN s ELSE k END AS c, twice FROM (SELECT *, i * 2 AS twice FROM t) WHERE s LIKE '%7%' AND twice < 3000
SELECT i, s FROM t LIMIT 40 OFFSET 7
SELECT i FROM t WHERE n < -480 LIMIT 5
SELECT s, k, n IS NULL AS nn, s LIKE '%oo%' AS oo FROM t WHERE i < 200
SELECT i FROM t WHERE n > 5000
SELECT count(*), sum(x) FROM (SELECT n + 1 AS x FROM t WHERE n < 100 UNION ALL SELECT ti FROM t WHERE ti > 50)
SELECT i, try_cast(b AS INT), try_cast(n AS TINYINT) FROM t WHERE i % 10 = 0 AND i < 500
SELECT count(*) FROM t WHERE n > (SELECT avg(n) FROM t)
SELECT count(*) FROM t
SELECT min(i), max(i) FROM t WHERE s LIKE '%'
SELECT k, count(*), sum(n), avg(n), min(n), max(n), count(n) FROM t GROUP BY k ORDER BY k
SELECT n, count(*), sum(d), avg(d), max(f), min(r) FROM t GROUP BY n ORDER BY n
SELECT bo, ti, count(*) FILTER (WHERE n > 0), sum(us) FILTER (WHERE s LIKE '%5%'), count_if(n > 0), sum(b), sum(ub), sum(h) FROM t GROUP BY ALL ORDER BY ALL
SELECT f, r, count(*), avg(r), sum(f) FROM t GROUP BY f, r ORDER BY ALL
SELECT try_cast(n AS TINYINT) AS x, try_cast(us AS TINYINT) AS y, count(*), sum(d) FROM t GROUP BY ALL ORDER BY ALL
SELECT s, count(*), sum(i) FROM t WHERE i < 20000 GROUP BY s ORDER BY s
SELECT k, s, bo, min(da), max(ts), min(h), max(h), max(m), min(wd), avg(wd), min(bo) FROM t WHERE i < 30000 GROUP BY ALL ORDER BY ALL
SELECT count(*), sum(c), sum(x), min(y), max(y) FROM (SELECT i, b, count(*) c, sum(n) x, avg(d) y FROM t GROUP BY i, b)
SELECT count(*), sum(c), sum(length(s)) FROM (SELECT s, count(*) c FROM t GROUP BY s)
SELECT h % 3, wd, count(*) FROM t WHERE i < 5000 GROUP BY ALL ORDER BY ALL
SELECT DISTINCT k, bo, us IS NULL FROM t ORDER BY ALL
SELECT count(*), count(s) FROM (SELECT DISTINCT s, k FROM t)
SELECT da, sum(n) AS x FROM t GROUP BY da HAVING sum(n) > 100 ORDER BY da
SELECT year(da) AS y, month(da) AS mo, count(*), sum(d * (1 - m)) FROM t GROUP BY y, mo ORDER BY ALL
SELECT x % 10, count(*), sum(x) FROM (SELECT n + 1 AS x FROM t UNION ALL SELECT ti FROM t WHERE ti > 50) GROUP BY ALL ORDER BY ALL
SELECT i % 5, max(CASE WHEN bo THEN n END), min(n + b), max(d) FILTER (WHERE bo) FROM t WHERE s LIKE '%oo%' GROUP BY ALL ORDER BY ALL
SELECT CASE WHEN bo THEN s ELSE 'another text of many bytes' END AS x, count(*) FROM t WHERE i < 9000 GROUP BY x ORDER BY x
SELECT k, count(*) FROM t WHERE n > 5000 GROUP BY k
SELECT min(s), max(s), count(*), sum(n) FROM t
SELECT k, min(s), max(s), max(s) FILTER (WHERE n > 0), count(s) FROM t GROUP BY k ORDER BY k
SELECT min(s), max(s) FROM t WHERE n > 5000
SELECT count(DISTINCT n), count(*), avg(d), min(s), sum(b) FROM t
SELECT count(DISTINCT n), sum(DISTINCT n), avg(DISTINCT n) FROM t WHERE i < 0
SELECT sum(DISTINCT n) FILTER (WHERE bo), count(DISTINCT n) FILTER (WHERE bo), median(DISTINCT n) FILTER (WHERE bo) FROM t
SELECT k, count(DISTINCT s), count(*), max(n), count_if(bo) FROM t GROUP BY k ORDER BY k
SELECT ti, bo, count(DISTINCT b), sum(DISTINCT b), avg(r) FROM t WHERE s LIKE '%oo%' GROUP BY ALL ORDER BY ALL
SELECT count(DISTINCT n), count(DISTINCT s), sum(DISTINCT ti), sum(DISTINCT n) FILTER (WHERE bo), count(*), max(s) FROM t
SELECT k, count(DISTINCT n), count(*), count(DISTINCT s), min(s), sum(DISTINCT d) FROM t GROUP BY k ORDER BY k
SELECT median(n), median(d), median(da), median(s), quantile_disc(us, 0.9), count(*), count(DISTINCT k) FROM t
SELECT quantile_cont(n, 0.9), quantile_cont(h, 0.3), quantile_cont(wd, 0.25), quantile_cont(r, 0.77), quantile_cont(ts, 0.1) FROM t
SELECT k, quantile_cont(d, 0.4), quantile_cont(da, 0.75), max(n) FROM t WHERE i % 3 = 0 GROUP BY k ORDER BY k
SELECT bo, k, median(n), quantile_disc(ts, 0.25), median(ub) FILTER (WHERE n > 0), avg(n) FROM t GROUP BY ALL ORDER BY ALL
SELECT n, i FROM t ORDER BY n
SELECT i, n, f FROM t WHERE n > 0 ORDER BY f DESC NULLS FIRST, n
SELECT s, i FROM t WHERE i < 20000 ORDER BY s DESC NULLS LAST, k
SELECT i, h, wd, r FROM t ORDER BY h % 1000, r DESC, wd DESC
SELECT i, s, d FROM t WHERE s LIKE '%google%' ORDER BY bo, d NULLS LAST, ti DESC LIMIT 100 OFFSET 5
SELECT i, n FROM t ORDER BY n + ti DESC NULLS LAST LIMIT 10
SELECT i, b FROM t ORDER BY b DESC LIMIT 20
SELECT i, ub, s FROM t ORDER BY s, ub LIMIT 7
SELECT i FROM (SELECT i, lpad(((i + 1) // 2)::VARCHAR, 60, '0') || repeat('x', 9) || (i % 3) AS x FROM t WHERE i < 9000) ORDER BY x DESC
SELECT i, k FROM (SELECT i, k, CASE ti % 4 WHEN 0 THEN repeat('x', (64 + i % 50)::INT) || n WHEN 1 THEN repeat('x', 64) WHEN 2 THEN repeat('same', 70) || (i % 4) ELSE s END AS x FROM t WHERE i < 9000) ORDER BY x DESC NULLS LAST, k, i
SELECT i, k FROM t ORDER BY k LIMIT 3 OFFSET 100
SELECT i, da, us FROM t ORDER BY da DESC, us NULLS FIRST LIMIT 500
SELECT x FROM (SELECT n AS x FROM t UNION ALL SELECT ti FROM t) ORDER BY x LIMIT 50
SELECT i FROM t WHERE n > 5000 ORDER BY i
SELECT i, round(f, 1), round(d), round(d, 1), floor(d), ceil(f), trunc(r), sign(n), even(f), round(n, -1), sqrt(abs(n)), greatest(n, ti, 5), least(f, r, NULL) FROM t WHERE i < 3000
SELECT count(*), count(*) FILTER (s LIKE '%' || (i % 7) || '_%'), count(*) FILTER (s NOT LIKE k || '%'), count(*) FILTER (contains(s, (i % 10)::VARCHAR)) FROM t WHERE starts_with(s, left(s, 3)) OR ends_with(k, right(s, 1))
SELECT i, greatest(to_days(i), to_months(ti), NULL) AS g, least(to_days(30), to_months(1), to_hours(i)) AS l FROM t WHERE i < 3000 ORDER BY i
SELECT i, gcd(n, b), lcm(n, ti), bit_count(b), isnan(f), isfinite(r), degrees(f), factorial(ti % 30), pi() FROM t WHERE i < 3000
SELECT i, round(sin(n), 9), round(cos(n), 9), round(exp(ti / 10), 3), round(ln(i + 1), 9), round(log(i + 2), 9), round(pow(ti, 1.5), 6), round(atan2(n, ti), 9) FROM t WHERE i < 3000
SELECT i, hour(ts), minute(ts), second(ts), dayofweek(da), isodow(ts), dayofyear(da), week(ts), yearweek(da), epoch(ts), century(da), microsecond(ts) FROM t WHERE i < 3000
SELECT i, date_part('decade', da), date_part('isoyear', ts), last_day(da), epoch_ms(ts), monthname(da), dayname(ts), julian(ts), make_date(2000 + ti, 1 + ti % 12, 28) FROM t WHERE i < 3000
SELECT date_trunc('month', ts) AS m, date_trunc('week', da) AS w, count(*), min(date_trunc('hour', ts)) FROM t GROUP BY ALL ORDER BY ALL
SELECT i, date_diff('month', da, ts::DATE), date_diff('hour', ts, TIMESTAMP '2002-01-01'), date_sub('month', ts, TIMESTAMP '2003-01-31'), date_diff('week', da, DATE '2000-01-01') FROM t WHERE i < 3000
SELECT i, da + 3, da - INTERVAL 1 MONTH, ts + INTERVAL '1 day 3 hours', ts - TIMESTAMP '2001-01-01', da + to_days(ti), to_hours(n) * 2, age(ts, TIMESTAMP '1999-12-31') FROM t WHERE i < 3000
SELECT i, ts::TIME, ts::TIMESTAMP_S, ts::TIMESTAMP_NS, ts::TIMESTAMP_MS::DATE, ts::TIME + INTERVAL 20 HOURS FROM t WHERE ts::TIME > TIME '12:00:00'
SELECT i, substring(s, 2, 5), left(s, 3), right(s, -2), trim(s, 'abx'), split_part(s, 'b', 2), strpos(s, 'goo'), ascii(s), s[3] FROM t WHERE i < 5000
SELECT left(s, 4) AS p, count(*), min(right(s, 2)), max(substr(s, 3)) FROM t WHERE trim(s, 'a') <> 'x' GROUP BY p ORDER BY p
SELECT i, upper(s), s || '-' || k, concat(s, NULL, n), replace(s, 'ab', 'xyz'), lpad(k, 5, '*'), repeat(k, ti % 4), chr(65 + ti % 26) FROM t WHERE i < 5000
SELECT upper(left(s, 5)) AS u, count(*), max(s || k) FROM t WHERE lower(upper(s)) > 'abx' OR upper(k) = 'K3' GROUP BY u ORDER BY u
SELECT i, n::VARCHAR, d::VARCHAR, da::VARCHAR, ts::VARCHAR, h::VARCHAR, bo::VARCHAR, (ts - da::TIMESTAMP)::VARCHAR FROM t WHERE i < 3000
SELECT k || (n % 10) AS x, count(*), sum(i) FROM t GROUP BY x ORDER BY x
SELECT i, s FROM t WHERE i < 20000 ORDER BY upper(s) || k, i LIMIT 300
SELECT count(*), count_if(upper(s) = s), count(DISTINCT upper(s)), sum(length(s || s)) FROM t
SELECT i, repeat(s, 40) FROM t WHERE i % 97 = 0 AND length(repeat(s, 30)) > 300
SELECT i, CASE i % 3 WHEN 0 THEN '' WHEN 1 THEN s END AS e, k, h FROM t WHERE i % 10 < 4 LIMIT 20 OFFSET 3
SELECT s, k, m FROM t WHERE i % 50 = 0
SELECT s, k, count(*), sum(wd) FROM t WHERE i % 50 = 0 GROUP BY s, k ORDER BY ALL
SELECT i, (n || '.5')::INT, (' ' || us || 'e-1 ')::DECIMAL(9, 2), (b || '')::HUGEINT, try_cast(s AS INT), try_cast(right(s, 2) AS UTINYINT), try_cast('0x' || right(hex(ub), 7) AS BIGINT), ('-' || h || '.49')::DECIMAL(38, 0) FROM t WHERE i < 5000
SELECT i, (b || 'e' || ti - 50)::DOUBLE, (f || '')::DOUBLE, (d || '')::FLOAT, try_cast(s AS DOUBLE), ('0.' || ub || b || 'E-300')::DOUBLE, f::VARCHAR, r::VARCHAR, (f / 7)::VARCHAR, (r / 7)::VARCHAR, (b * 1e200 / 3)::VARCHAR FROM t WHERE i < 5000
SELECT i, (da || '')::DATE, (ts || '')::TIMESTAMP, (ts::TIME || '.25')::TIME, (ts || '.123456789')::TIMESTAMP_NS, (ts || '')::TIMESTAMP_S, try_cast('2024-02-' || ti AS DATE), try_cast(ti || ':' || ti || ':00' AS TIME), left(bo || '', 1)::BOOL FROM t WHERE i < 5000
SELECT count(*), sum(try_cast(right(s, 3) AS INT)), max(substr(k, 2)::DOUBLE), min((da || '')::DATE) FROM t WHERE substr(k, 2)::INT > 2
SELECT i, concat_ws('-', s, NULL, k, n), concat_ws(CASE WHEN bo THEN ',' END, s, s), hex(s), hex(n), to_hex(ub), hex(h), unhex(hex(s))::VARCHAR, encode(s)::VARCHAR, decode(encode(s)), encode(hex(k))::VARCHAR::BLOB FROM t WHERE i < 5000
SELECT i, reverse(s), reverse(k || 'e' || chr(769) || 'ß' || chr(128104) || chr(8205) || chr(128105)), length_grapheme(s || chr(769)), translate(s, 'abgz', 'xä'), n << (ti % 8) FROM t WHERE n > 0 AND i < 5000
SELECT reverse(left(s, 5)) AS u, count(*), max(translate(k, 'k3', 'K')) FROM t GROUP BY u ORDER BY u
SELECT i, strftime(da, '%a %d.%m.%Y %j %U %W'), strftime(ts, '%A, %-d %B %y %I:%M:%S %p %f'), strftime(ts::TIMESTAMP_NS, '%G-W%V-%u %n %c'), strftime('%x %X', ts) FROM t WHERE i < 5000
SELECT strftime(ts, '%Y-%m') AS x, count(*), sum(n) FROM t GROUP BY x ORDER BY x
SELECT i, f % 0.3, r % 1.7, f % ti, (-b) % (f + 0.1), epoch_ms(ts - da), epoch_us(to_days(ti)), epoch_ns(to_hours(n)), date_trunc('day', ts - da), date_trunc('hour', to_minutes(n)), date_trunc('decade', to_months(n)) FROM t WHERE i < 5000 AND NOT isnan(f)
SELECT count(*) FROM t WHERE da + to_months(ti) > ts AND ts - TIMESTAMP '2001-03-01' > INTERVAL 1 DAY
SELECT bool_and(bo), bool_or(n > 490), bool_and(n < 9000) FILTER (WHERE us IS NOT NULL), bit_and(us), bit_or(n), bit_xor(b), bit_and(h), bit_xor(h), bit_or(ub), bit_and(ti) FROM t
SELECT k, bool_and(n > -490), bool_or(bo) FILTER (WHERE n > 0), bit_and(n), bit_or(b), bit_xor(ub), bit_xor(DISTINCT n), bit_or(h) FROM t GROUP BY k ORDER BY k
SELECT product(CASE WHEN i % 997 = 5 THEN -2 ELSE 1 END), round(stddev(n), 6), round(variance(b), -30), round(var_pop(d), 4), round(stddev_pop(r), 6), round(kahan_sum(d), 2), round(favg(m), 6) FROM t
SELECT k, bo, product(CASE WHEN i % 97 = 5 THEN 0.5 ELSE 1 END), round(stddev(n), 6), round(var_samp(us), 2), round(var_pop(d) FILTER (WHERE bo), 4), round(kahan_sum(r), 2), round(favg(n), 6), round(stddev(DISTINCT n), 6) FROM t GROUP BY ALL ORDER BY ALL
SELECT n, round(stddev_pop(ti), 6), count(*), round(stddev_samp(d), 4) FROM t GROUP BY n ORDER BY n
SELECT avg(ts), avg(ts::TIME), avg(ts - TIMESTAMP '2001-01-01'), min(ts - TIMESTAMP '2002-01-01'), max(to_days(ti)) FROM t
SELECT k, avg(ts), avg(to_months(ti)), min(to_hours(n)), max(age(ts, TIMESTAMP '1999-12-31')) FILTER (WHERE bo) FROM t GROUP BY k ORDER BY k
SELECT first(n), last(s), any_value(f), any_value(s) FILTER (WHERE n > 400), first(s) FILTER (WHERE n > 9000), arg_min(s, n), arg_max(i, d), arg_max(s, s), arg_min(n, h) FROM t
SELECT k, first(s), last(n), any_value(n), arg_min(i, f), arg_max(upper(s), r), arg_min_null(n, us), arg_max_null(s, s), first(d) FILTER (WHERE bo), min(s) FROM t GROUP BY k ORDER BY k
SELECT first(s ORDER BY n DESC NULLS LAST, i), last(i ORDER BY s, ts), first(i ORDER BY s DESC NULLS FIRST), any_value(s ORDER BY ti, n), arg_max(s, ti ORDER BY d), last(n ORDER BY to_days(ti), h), first(i ORDER BY ti DESC, s, b) FILTER (WHERE bo), last(s ORDER BY us, i) FILTER (WHERE n > 0) FROM t
SELECT n, bo, first(i ORDER BY f DESC, s), last(s ORDER BY k), arg_min(i, s), arg_max(k, us), count(DISTINCT ti), sum(d) FROM t WHERE s LIKE '%7%' GROUP BY ALL ORDER BY ALL
SELECT count(*), sum(a), sum(length(b)) FROM (SELECT i // 3, first(i) a, last(s) b FROM t GROUP BY 1)
SELECT string_agg(k, '-'), mode(n), mode(s), mode(f), listagg(s, ', ' ORDER BY n DESC, i) FILTER (WHERE n > 480) FROM t WHERE i < 5000
SELECT k, string_agg(s, '-' ORDER BY i DESC), string_agg(DISTINCT k || ti % 5, '+' ORDER BY k || ti % 5), mode(us), count(*), first(i), median(n) FROM t WHERE i < 5000 GROUP BY k ORDER BY k
SELECT x, count(*), min(i) FROM (SELECT i, CASE WHEN bo THEN INTERVAL 1 MONTH WHEN ti > 50 THEN INTERVAL 30 DAYS WHEN ti > 20 THEN to_hours(ti) END AS x FROM t WHERE i < 50000) GROUP BY x ORDER BY x
SELECT ts - TIMESTAMP '2001-01-01' AS x, count(*), sum(n) FROM t WHERE i < 9000 GROUP BY x ORDER BY x DESC
SELECT DISTINCT to_days(ti - 50) FROM t ORDER BY ALL
SELECT i, to_hours(n) FROM t WHERE i < 9000 ORDER BY to_hours(n) DESC NULLS LAST, to_days(ti), i LIMIT 300
SELECT count(*), count(DISTINCT to_hours(n)) FROM t WHERE lower(upper(s)) LIKE '%google.d%'
SELECT count(*), sum(n), count_if(trim(s, 'a') LIKE 'b%5') FROM t WHERE upper(s) NOT LIKE '%OOG%' AND n > 3
SELECT i, s || k LIKE '%x%k3', regexp_matches(trim(s, 'ab'), '^x[0-9]{2}$'), left(s, 9) ILIKE '%GOO%', contains(s || '-', '7-'), k || s GLOB 'k?*de*' FROM t WHERE i < 5000
SELECT regexp_extract(s, '([a-z]*)([0-9]{2})', 1) AS x, count(*), min(regexp_extract(s, '[^x]*$')), max(regexp_replace(s, '(.)(.)$', '\\2<\\1>')) FROM t GROUP BY x ORDER BY x
SELECT i, regexp_extract(s || k, '(goo|x)(.)?([0-9]+)', 3), regexp_replace(s, '[ab]', '', 'g'), regexp_replace(k || s, 'b*', '-', 'g'), regexp_extract(s, '\\bno'), regexp_extract(s, '(a)', 2), regexp_replace(s, '(.*)[ab]', '<\\1>', 'g') FROM t WHERE i < 5000
SELECT count(*), sum(n) FROM t WHERE regexp_extract(s, '[0-9]+$') = '119' OR regexp_replace(s, '[^0-9]+', '', 'g') < '2'
SELECT count(*) FILTER (s ILIKE '%' || upper(left(s, 3)) || '_%'), count(*) FILTER (upper(s) ILIKE '%Zäz' || substr('äÄ', 1 + (i % 2)::INT, 1)), count(*) FILTER (upper(s) NOT ILIKE k || '%'), count(*) FILTER (k ILIKE 'K' || '_') FROM t
SELECT i, s GLOB '*' || (i % 7) || '?', s GLOB left(s, 2) || '[a-g]*', k GLOB 'k[!' || (i % 6) || ']', s GLOB '*[' || (i % 3), k || '*' GLOB '*' || k || '\\*' FROM t WHERE i < 5000
SELECT s || '%' LIKE '%' || (i % 10) || '$%' ESCAPE '$' AS x, k || '_' ILIKE 'K_#_' ESCAPE CASE WHEN bo THEN '#' ELSE '' END AS y, s NOT LIKE k || '$' ESCAPE '$' AS z, count(*) FROM t GROUP BY ALL ORDER BY ALL
SELECT count(*), count_if(upper(s) NOT LIKE 'q$' ESCAPE '$') FROM t WHERE s NOT ILIKE 'K!' ESCAPE '!'
SELECT replace(s, 'b', 'zä') SIMILAR TO '(azä)*x[0-9]+' AS x, count(*), max(s) FROM t WHERE s IS NULL OR starts_with(s || k, 'a') GROUP BY x ORDER BY x
""".strip().splitlines()
QUERIES += ["SELECT try_cast(s AS INTERVAL) v, (i || ' days ' || ti || ':0:1.5') :: INTERVAL w FROM t",
            "SELECT try_cast(CASE i % 7 WHEN 0 THEN n || ' yrs 2.5 months' WHEN 1 THEN '-' || i || '.25 quarters ago' WHEN 2 THEN i || '' WHEN 3 THEN '@ 1 hr x' "
            "WHEN 4 THEN '3 mils 1 mil ago' ELSE '7 ' || k END AS INTERVAL) v FROM t",
            "SELECT CASE WHEN n > 5000 THEN error('no ' || s)::INT ELSE n END FROM t"]
# More columns than most queries have.
QUERIES.append("SELECT n, s, k, " + ", ".join(f"i + {j} AS i{j}" for j in range(70)) + " FROM t WHERE i % 7 = 1 AND i < 500")


ERRORS = ["SELECT ln(n) FROM t", "SELECT CASE WHEN i = 7 THEN error(k || ' is no ' || i)::INT ELSE n END FROM t", "SELECT i, sqrt(n) FROM t WHERE i > 5", "SELECT lcm(b, b + 1) FROM t",
          "SELECT sum((n * 8000000)::INT) FROM t", "SELECT sum(b::INT) FROM t WHERE n > 3", "SELECT (n * 10000000)::INT FROM t",
          "SELECT b::TINYINT FROM t WHERE s LIKE '%google%'", "SELECT sum(h * h * h) FROM t",
          "SELECT k, sum((n * 8000000)::INT) FROM t GROUP BY k", "SELECT s::INT FROM t", "SELECT sum((k || n)::DOUBLE) FROM t",
          "SELECT ('2024-01-' || ti)::DATE FROM t", "SELECT (da || 'T')::TIMESTAMP FROM t", "SELECT k::BOOL FROM t", "SELECT (n || '')::UTINYINT FROM t",
          "SELECT (b || '')::DECIMAL(9, 2) FROM t", "SELECT unhex(k) FROM t", "SELECT decode(unhex(hex(s) || '80')) FROM t", "SELECT n << ti FROM t",
          "SELECT b::TINYINT, count(*) FROM t GROUP BY ALL",
          "SELECT count(*) FROM t WHERE s LIKE left(s, 2) || '$' ESCAPE '$'", "SELECT i, s NOT LIKE '%7' ESCAPE k FROM t",
          "SELECT count(*) FROM t WHERE s LIKE '%5$' ESCAPE '$'", "SELECT k, count_if(upper(s) NOT ILIKE '%B$' ESCAPE '$') FROM t GROUP BY k", "SELECT s LIKE '%' ESCAPE '$$' FROM t",
          "SELECT stddev(CASE WHEN i = 7 THEN 'inf'::DOUBLE ELSE n END) FROM t", "SELECT k, var_pop(f * 1e200) FROM t GROUP BY k",
          "SELECT i, first((i + 32000)::SMALLINT ORDER BY s) FROM t GROUP BY i", "SELECT first(b::TINYINT) FROM t", "SELECT k, string_agg(s, '-' ORDER BY b::INT) FROM t GROUP BY k"]

# A step's error is raised for all of its rows, also those whose value nothing later needs.
MADE = "(SELECT i, k, b::TINYINT AS x FROM t)"
ERRORS += [f"SELECT k, first(x) FROM {MADE} GROUP BY k", f"SELECT x FROM {MADE} ORDER BY i LIMIT 1", f"SELECT sum(x) FILTER (WHERE i < 0) FROM {MADE}",
           f"SELECT k, max(x) FILTER (WHERE i < 0) FROM {MADE} GROUP BY k", f"SELECT CASE WHEN i < 0 THEN x END FROM {MADE}", f"SELECT coalesce(i, x) FROM {MADE}",
           f"SELECT max(x) FROM {MADE} a JOIN (SELECT i * 2 AS j FROM t) b ON b.j = a.i * 2 + 1", f"SELECT i FROM (SELECT i, x, i * i AS y FROM {MADE} LIMIT 900) WHERE y < 0 OR x < y", "SELECT first(x), count(*) FROM (SELECT 'inf'::DOUBLE::DECIMAL(9, 2) AS x)"]

# Groups with rows small enough to be partitioned first.
PARTS = """
SELECT n, count(*), sum(us), avg(us), count(us) FROM t GROUP BY n ORDER BY n
SELECT i // 3 AS x, min(n), max(n), sum(n), count(*) FROM t GROUP BY x ORDER BY x
SELECT f, count(*), count(s), max(n) FROM t WHERE n > -300 GROUP BY f ORDER BY f
SELECT try_cast(n AS TINYINT) AS x, try_cast(us AS TINYINT) AS y, count(*), min(ti) FROM t GROUP BY ALL ORDER BY ALL
SELECT CASE WHEN bo THEN -0.0 WHEN ti > 90 THEN 0.0 WHEN ti > 80 THEN -('nan'::DOUBLE) ELSE f END AS x, count(*), max(ti) FROM t GROUP BY x ORDER BY x
SELECT ti, sum(d), avg(d), min(d), max(d), count(d) FROM t GROUP BY ti ORDER BY ti
SELECT bo, ti, r, max(us) FILTER (WHERE n > 0), bit_xor(ti) FROM t WHERE s LIKE '%7%' GROUP BY ALL ORDER BY ALL
SELECT da, round(avg(f), 6), max(f), min(f), count(f) FROM t GROUP BY da ORDER BY da
SELECT i, count_if(n > 0), bool_or(bo) FROM t WHERE i % 3 = 1 GROUP BY i ORDER BY i
SELECT ti, round(stddev(r), 6), max(r), count(*) FROM t GROUP BY ti ORDER BY ti
SELECT h, count(*) FROM t WHERE i < 5000 GROUP BY h ORDER BY h
SELECT count(*), sum(n), min(us) FROM (SELECT DISTINCT n, us FROM t)
SELECT length(upper(s)) AS x, count(*), sum(n) FROM t GROUP BY x ORDER BY x
SELECT k LIKE '%3' AS x, s IS NULL AS y, count(*), sum(b) FROM t GROUP BY ALL ORDER BY ALL
SELECT ti, count(DISTINCT n), count(*) FROM t WHERE s LIKE '%no such text%' GROUP BY ti
""".strip().splitlines()

# Of each kind, over keys that fill a range or not, once or in runs of equal, short or long length. Keys of "a" are BIGINTs in the range of its rows.
ONCE = {"ascending": "i AS q", "shuffled": "xor(i, 1) AS q", "sparse": "i * 3 AS q", "hashed": "b AS q"}
RUNS = {"even": "i // 4 AS q", "short": "i // 8 * 8 + i % 3 AS q", "few": "i % 40 AS q", "texts": "k AS q"}
JOINS = []
for key in [*ONCE.values(), *RUNS.values()]:
    left = {ONCE["hashed"]: "b", RUNS["texts"]: "CASE WHEN i % 100 = 3 THEN k WHEN i % 7 > 2 THEN s END"}.get(key, "CASE WHEN i % 7 < 6 AND i < 5000 THEN i * 7 % 1000 END")
    a, r = f"(SELECT {left} AS p, i AS v, s FROM t) a", f"(SELECT {key}, i AS w, m, s AS t FROM t WHERE i < 4000) r"
    JOINS += [f"SELECT count(*), sum(v), sum(w), max(m) FROM {a} {kind} JOIN {r} ON p = q" for kind in ("", "LEFT", "RIGHT", "FULL")]
    JOINS += [f"SELECT count(*), sum(v), max(s) FROM {a} {kind} JOIN {r} ON p = q" for kind in ("SEMI", "ANTI")]
    JOINS += [f"SELECT count(*), sum(v * w), max(t) FROM {a} JOIN {r} ON p = q AND v % 7 < w % 5", f"SELECT v % 5 AS x, count(*), sum(w) FROM {a} JOIN {r} ON p = q GROUP BY x ORDER BY x",
              f"SELECT v, w, s, t FROM {a} LEFT JOIN {r} ON p = q WHERE v < 200 ORDER BY ALL", f"SELECT count(*) FILTER (WHERE p IN (SELECT q FROM {r})), count(*) FROM {a}"]
JOIN_STRATEGIES = [f"split,join={lookup}" for lookup in ("hash", "direct", "ranks", "bitmap")] + [f"pairs={form},split" for form in ("naive", "refill", "balanced", "mixed", "queued", "written")]

STRATEGIES = ["naive,threads=64,groups=slots", "refill=32,automata,groups=table", "automata,lists,groups=parts"]

NOT_OFFERED = {"SELECT count(*) FROM t WHERE regexp_matches(s, k)": "regexp_matches"}


def faster_gpu(program, folder):
    """An environment in which `--device auto` finds a profile, written below a folder, that prefers the GPU for everything. The CPU runs unsupported
    parts, and those that read few rows of a result."""
    info = subprocess.run([program, "info"], capture_output=True, text=True).stdout
    rates = {name: 1 for name in ("start_us", "scan_gb_per_second", "compute_g_per_second", "search_gb_per_second", "automaton_gb_per_second",
                                  "group_m_words_per_second", "many_groups_m_words_per_second", "sort_m_words_per_second", "lookup_m_words_per_second",
                                  "join_m_words_per_second")}
    device = {"name": re.search(r"^GPU 0 +(.*?), sm_", info, re.M)[1], "open_ms": 1e-6, "compile_ms": 1e-6, "load_ms": 1e-6,
              "upload_gb_per_second": 1e5, "download_gb_per_second": 1e5,
              "rates": {name: 1e-6 if name == "start_us" else 1e5 for name in rates}}
    profile = {"version": 3, "processor": re.search(r"^processor +(.*), \d+ cores", info, re.M)[1], "read_gb_per_second": 10,
               **{name: 0 for name in ("vector_rows", "refill_interleaved", "refill_packed_avx2", "refill_packed_avx512", "literal_ns",
                                       "packed_ns", "rows_ns", "lazy_ns")},
               "interleaved_width": 8, "placement": {"device": device, "threads": 1, "host": rates}}
    (folder / "lanewise").mkdir(exist_ok=True)
    (folder / "lanewise" / "profile.json").write_text(json.dumps(profile))
    return {**os.environ, "XDG_CONFIG_HOME": str(folder), "COLUMNS": "4000"}


class Smoke:
    def __init__(self, program, folder, seconds):
        self.program, self.folder, self.seconds = program, folder, seconds
        self.passed, self.failed = 0, []

    def run(self, sql, *arguments, name="smoke", seconds=None, env=None):
        """The program's outcome; after its time limit it is ended, with the status 124. Each name has its own database."""
        file, database = self.folder / f"{name}.sql", self.folder / f"{name}.duckdb"
        file.write_text(sql)
        if name != "smoke":
            shutil.copy(self.folder / "smoke.duckdb", database)
        command = [self.program, "sql", "--db", database, "-f", file, "--format", "json", *arguments]
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=seconds or self.seconds, env=env)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 124, "", f"not done after {seconds or self.seconds} s")

    def check(self, name, good, why):
        told = f"{'ok    ' if good else 'FAILED'} {name}" + ("" if good else f": {why}")
        print(told, flush=True)
        if good:
            self.passed += 1
        else:
            self.failed.append(told)

    def difference(self, queries, *arguments, name="smoke", seconds=None):
        """Empty if both devices give the same answers, otherwise the difference."""
        sql = ";\n".join(queries) + ";"
        cpu = self.run(sql, "--device", "cpu", name=name)
        gpu = self.run(sql, "--device", "cuda", *arguments, name=name, seconds=seconds)
        if cpu.returncode == gpu.returncode == 0 and cpu.stdout == gpu.stdout:
            return ""
        other = next((f"{a} and {b}" for a, b in zip(cpu.stdout.splitlines(), gpu.stdout.splitlines()) if a != b), "")
        return (gpu.stderr or other or cpu.stderr or "one answer ends sooner")[:1000]

    def same(self, queries, runs):
        """The queries over this many rows, with these arguments, for each of the runs. Several run at once if there are cores; each begins at another
        query, so that it compiles what others find in the cache."""
        def asked(rows, first=0):
            return [query.replace(" FROM t", f" FROM t{rows}") for query in queries[first:] + queries[:first]]

        at_once = max(1, (os.cpu_count() or 1) // 4)
        with ThreadPoolExecutor(at_once) as pool:
            differences = pool.map(lambda i: self.difference(asked(runs[i][0], i % at_once * len(queries) // at_once), *runs[i][1:], name=f"run{i}"),
                                   range(len(runs)))
            for (rows, *arguments), found in zip(runs, differences):
                self.check(f"{len(queries)} queries over {rows} rows {' '.join(arguments)}", not found, found)
                if found:
                    self.name_differences(asked(rows), arguments)

    def name_differences(self, queries, arguments):
        with ThreadPoolExecutor(8) as pool:
            ones = pool.map(lambda i: self.difference([queries[i]], *arguments, name=f"one{i}", seconds=15), range(len(queries)))
            print("".join(f"       {query}: {one}\n" for query, one in zip(queries, ones) if one), end="", flush=True)

    def parts(self, rows):
        """Groups with partitioned rows: the kernels' times show that they were partitioned."""
        queries = [query.replace(" FROM t", f" FROM t{rows}") for query in PARTS]
        forced = ["--device-strategy", "groups=parts"]
        found = self.difference(queries, *forced)
        self.check(f"{len(PARTS)} queries over {rows} rows by parts", not found, found)
        told = self.run(";\n".join(queries) + ";", "--device", "cuda", "--profile", *forced).stderr
        self.check(f"{told.count(' group_parts ')} kernels over {rows} rows of groups by parts", told.count(" group_parts ") == len(PARTS), told)

    def choices(self, queries, rows):
        """--device auto, with a profile that prefers the GPU."""
        env = faster_gpu(self.program, self.folder)
        queries = [query.replace(" FROM t", f" FROM t{rows}") for query in [*queries, *NOT_OFFERED]]
        sql = ";\n".join(queries) + ";"
        cpu, both = self.run(sql, "--device", "cpu"), self.run(sql, "--device", "auto", "--profile", env=env)
        self.check(f"{len(queries)} queries over {rows} rows, by both devices", cpu.returncode == both.returncode == 0 and cpu.stdout == both.stdout,
                   both.stderr[-1000:])
        for said in ("; on the GPU: about", "not supported on GPUs", "it reads a result of few rows", "  cuda:0"):
            self.check(f"the profile says '{said.strip('; ')}'", said in both.stderr, both.stderr[-1000:])

    def occupancy(self, rows):
        """Lane occupancy is counted on request; with early refill fewer lanes wait."""
        sql = f"SELECT count(*) FROM t{rows} WHERE regexp_matches(s, '[0-9]{{3}}$')"
        told = {how: self.run(sql, "--device", "cuda", "--profile", "--device-strategy", f"{how},occupancy", env={**os.environ, "COLUMNS": "4000"})
                for how in ("naive", "refill=32")}
        naive, refill = [float(found[1]) if (found := re.search(r"match_0 .*, occupancy ([0-9.]+) %", run.stderr)) else -1 for run in told.values()]
        self.check(f"occupancy over {rows} rows: naive {naive} %, refill {refill} %", 0 < naive <= refill <= 100,
                   told["naive"].stderr[-500:] + told["refill=32"].stderr[-500:])

    def errors(self):
        for query in ERRORS:
            sql = query.replace(" FROM t", " FROM t1000")
            cpu, gpu = self.run(sql, "--device", "cpu"), self.run(sql, "--device", "cuda")
            self.check(sql, cpu.returncode == gpu.returncode == 2 and cpu.stderr == gpu.stderr, cpu.stderr + gpu.stderr)
        for query, word in NOT_OFFERED.items():
            sql = query.replace(" FROM t", " FROM t1000")
            gpu = self.run(sql, "--device", "cuda")
            self.check(sql, gpu.returncode == 2 and word in gpu.stderr and "not supported on GPUs" in gpu.stderr, gpu.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/lanewise")
    parser.add_argument("--rows", type=int, default=200000, help="of the largest table")
    parser.add_argument("--seconds", type=float, default=120, help="that a run over a table may take")
    parser.add_argument("--quick", action="store_true", help="every third query, two sizes, no strategies: for an emulated GPU")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        smoke = Smoke(str(Path(arguments.program).resolve()), Path(folder), arguments.seconds)
        sizes = sorted({*([33] if arguments.quick else SIZES), 1000, arguments.rows})
        made = smoke.run(";".join(TABLE.format(rows=rows) for rows in sizes))
        smoke.check("tables", made.returncode == 0, made.stderr)
        every = 3 if arguments.quick else 1
        runs = [*((rows,) for rows in sizes), (1000, "--device-rows", "64")]
        if not arguments.quick:
            runs += [(arguments.rows, "--device-rows", "4096"), (arguments.rows, "--device-memory", "8MB")]
        for queries, strategies in ((QUERIES, STRATEGIES), (JOINS, JOIN_STRATEGIES)):
            forced = [] if arguments.quick else [(arguments.rows, "--device-strategy", strategy) for strategy in strategies]
            smoke.same(queries[::every], runs + forced)
        smoke.occupancy(arguments.rows)
        for rows in sizes:
            if rows > 1:  # with fewer rows the planner already has some answers, and nothing is grouped
                smoke.parts(rows)
        smoke.choices(QUERIES[::every], 1000)
        smoke.errors()
    print(*smoke.failed, f"{smoke.passed} passed, {len(smoke.failed)} failed", sep="\n")
    sys.exit(1 if smoke.failed else 0)


if __name__ == "__main__":
    main()
