-- Which packages ship their own copy of jQuery?
SELECT section, count(*) AS copies, count(DISTINCT package) AS packages, min(package) AS first, max(package) AS last
FROM files
WHERE path ILIKE '%/jquery%.js' AND package <> 'libjs-jquery'
GROUP BY section
ORDER BY copies DESC, section
LIMIT 8
