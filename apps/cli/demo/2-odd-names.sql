-- Which sections break the conventions: blanks, brackets, or letters outside ASCII in a name?
SELECT section, count(*) AS files, count(DISTINCT package) AS packages, min(path) AS example
FROM files
WHERE regexp_matches(path, '[^!-~]|[(){}<>|&;]')
GROUP BY section
ORDER BY files DESC, section
LIMIT 8
