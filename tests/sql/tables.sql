-- The tables of the corpus. Every column has nulls but `id`; edges of each type are among the first rows.

CREATE TABLE numbers AS
SELECT i::INTEGER AS id,
       CASE WHEN i % 7 = 3 THEN NULL ELSE i % 3 = 0 END AS flag,
       CASE WHEN i % 11 = 5 THEN NULL WHEN i = 1 THEN -128 WHEN i = 2 THEN 127 ELSE i * 37 % 255 - 127 END::TINYINT AS i8,
       CASE WHEN i % 13 = 6 THEN NULL WHEN i = 1 THEN -32768 WHEN i = 2 THEN 32767 ELSE i * 631 % 20011 - 10000 END::SMALLINT AS i16,
       CASE WHEN i % 17 = 7 THEN NULL WHEN i = 1 THEN -2147483648 WHEN i = 2 THEN 2147483647
            ELSE i * 7919 % 1000003 - 500000 END::INTEGER AS i32,
       CASE WHEN i % 19 = 8 THEN NULL WHEN i = 1 THEN -9223372036854775808 WHEN i = 2 THEN 9223372036854775807
            ELSE i::BIGINT * 104729 % 10000000019 - 5000000000 END::BIGINT AS i64,
       CASE WHEN i % 23 = 9 THEN NULL WHEN i = 2 THEN 170141183460469231731687303715884105727
            ELSE i::HUGEINT * 1000000000000000000000 - 77 END::HUGEINT AS i128,
       CASE WHEN i % 5 = 4 THEN NULL ELSE i * 37 % 256 END::UTINYINT AS u8,
       CASE WHEN i % 5 = 3 THEN NULL ELSE i * 631 % 65536 END::USMALLINT AS u16,
       CASE WHEN i % 5 = 2 THEN NULL WHEN i = 1 THEN 4294967295 ELSE i * 7919 END::UINTEGER AS u32,
       CASE WHEN i % 5 = 1 THEN NULL WHEN i = 2 THEN 18446744073709551615 ELSE i * 104729 END::UBIGINT AS u64,
       CASE WHEN i % 29 = 10 THEN NULL ELSE (i - 100) / 8 END::FLOAT AS f32,
       CASE WHEN i % 31 = 11 THEN NULL WHEN i = 1 THEN -1e300 WHEN i = 2 THEN 1e-300 WHEN i = 3 THEN -0.0
            ELSE (i - 100) * 1.25 END::DOUBLE AS f64,
       CASE WHEN i % 9 = 2 THEN NULL ELSE (i - 100) * 0.05 END::DECIMAL(4, 2) AS d4,
       CASE WHEN i % 9 = 3 THEN NULL ELSE (i - 100) * 12.345 END::DECIMAL(9, 3) AS d9,
       CASE WHEN i % 9 = 4 THEN NULL ELSE (i - 100) * 1234567.89 END::DECIMAL(18, 4) AS d18,
       CASE WHEN i % 9 = 5 THEN NULL ELSE ((i - 100)::HUGEINT * 100000000000000000000)::DECIMAL(38, 6) END AS d38,
       CASE WHEN i % 6 = 1 THEN NULL ELSE i % 5 END::INTEGER AS few,
       (i * 7919 % 300)::INTEGER AS mixed
FROM range(300) r(i);

CREATE TABLE words AS
SELECT i::INTEGER AS id,
       CASE WHEN i % 10 = 9 THEN NULL
            ELSE ['', 'a', 'abc', 'Lane', 'lanewise', 'Ünïcödé', '日本語テキスト', 'a b  c', ' padded ', E'tab\there', '100%',
                  'under_score', 'back\slash', 'naïve café', '😀 smile', 'ABCabc', 'aaaaaaaa', 'key=value', 'x,y,,z',
                  '2024-02-29', '-17', '3.25', 'usr/lib/libfoo.so.1.2', 'İstanbul', 'ẞtraße'][i % 25 + 1]
            END || CASE WHEN i % 4 = 3 AND i > 60 THEN i::VARCHAR ELSE '' END AS word,
       CASE WHEN i % 8 = 7 THEN NULL ELSE ['red', 'green', 'blue'][i % 3 + 1] END AS colour,
       CASE WHEN i % 12 = 4 THEN NULL WHEN i % 50 = 0 THEN repeat('long text with many parts, ', i // 2)
            ELSE concat('row ', i, ': ', repeat(chr((97 + i % 26)::INTEGER), i % 40)) END AS text,
       CASE WHEN i % 7 = 2 THEN NULL ELSE ['a', 'b', 'é', '%', '_', 'ab', ''][i % 7 + 1] END AS piece,
       CASE WHEN i % 9 = 1 THEN NULL ELSE encode(concat('blob', i % 13)) END AS bytes,
       CASE WHEN i % 6 = 5 THEN NULL ELSE i % 11 - 3 END::BIGINT AS n
FROM range(250) r(i);

CREATE TABLE times AS
SELECT i::INTEGER AS id,
       CASE WHEN i % 8 = 3 THEN NULL WHEN i = 1 THEN DATE '0001-01-01' WHEN i = 2 THEN DATE '9999-12-31'
            WHEN i = 4 THEN DATE '2000-02-29' ELSE DATE '1969-12-01' + (i * 97)::INTEGER END AS day,
       CASE WHEN i % 9 = 4 THEN NULL ELSE TIME '00:00:00' + to_microseconds(i::BIGINT * 431234567) END AS clock,
       CASE WHEN i % 10 = 5 THEN NULL WHEN i = 1 THEN TIMESTAMP '1900-03-01 23:59:59.999999'
            ELSE TIMESTAMP '1969-12-31 18:00:00' + to_seconds(i * 1234567) + to_microseconds(i * 1001) END AS moment,
       CASE WHEN i % 10 = 6 THEN NULL ELSE TIMESTAMP '2001-01-01' + to_days(i::INTEGER) END::TIMESTAMP_S AS seconds,
       CASE WHEN i % 10 = 7 THEN NULL ELSE TIMESTAMP '2001-01-01' + to_milliseconds(i * 777) END::TIMESTAMP_MS AS millis,
       CASE WHEN i % 10 = 8 THEN NULL ELSE TIMESTAMP '2001-01-01' + to_microseconds(i * 777) END::TIMESTAMP_NS AS nanos,
       CASE WHEN i % 7 = 2 THEN NULL WHEN i % 3 = 0 THEN to_days((i % 40)::INTEGER) WHEN i % 3 = 1 THEN to_months((i % 15)::INTEGER)
            ELSE to_seconds(i * 61) END AS span,
       (i % 4)::INTEGER AS part
FROM range(150) r(i);

-- Several vectors long, with skewed and unique keys.
CREATE TABLE long_rows AS
SELECT i::BIGINT AS id, (i * 2654435761 % 1000)::INTEGER AS key,
       CASE WHEN i % 3 = 0 THEN 'common' ELSE 'name ' || (i * 2654435761 % 700)::VARCHAR END AS name,
       CASE WHEN i % 50 = 1 THEN NULL ELSE (i * 31 % 1009) END::INTEGER AS amount,
       (i % 10000 / 16)::DOUBLE AS price
FROM range(10000) r(i);

CREATE TABLE nothing (a INTEGER, b VARCHAR, c DOUBLE);
CREATE TABLE one AS SELECT 42 AS a, 'only' AS b;
CREATE TABLE nulls AS SELECT NULL::INTEGER AS a, NULL::VARCHAR AS b, i::INTEGER AS id FROM range(70) r(i);
