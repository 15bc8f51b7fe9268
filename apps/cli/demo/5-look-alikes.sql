-- Which headers clash on a case-insensitive file system?
SELECT min(path) AS one, max(path) AS other, count(*) AS files
FROM files
WHERE path LIKE 'usr/include/%'
GROUP BY lower(path)
HAVING min(path) <> max(path)
ORDER BY length(one), one
LIMIT 8
