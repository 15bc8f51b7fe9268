-- Where are the longest paths?
SELECT length(path) AS letters, package, '…' || right(path, 60) AS ends_in
FROM files
ORDER BY letters DESC, path, package
LIMIT 8
