-- In which languages are the manuals written?
SELECT regexp_extract(path, '^usr/share/man/([a-z]{2,3}(_[A-Z]{2})?)', 1) AS language,
       count(*) AS pages, count(DISTINCT package) AS packages
FROM files
WHERE regexp_matches(path, '^usr/share/man/[a-z]{2,3}(_[A-Z]{2})?[^/]*/man\d/')
GROUP BY language
ORDER BY pages DESC, language
LIMIT 8
