-- Which packages ship the most shared libraries with a full version number?
SELECT package, count(*) AS libraries, min(regexp_extract(path, '[^/]*$')) AS first
FROM files
WHERE regexp_matches(path, '/lib[^/]*\.so\.\d+\.\d+\.\d+$')
GROUP BY package
ORDER BY libraries DESC, package
LIMIT 8
