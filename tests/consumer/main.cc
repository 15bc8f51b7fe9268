#include <lanewise/api/session.h>
#include <cstdio>

int main() {
  lanewise::Session session;
  session.run("CREATE TABLE fruit AS FROM (VALUES ('apple'), ('banana'), ('cherry')) AS v(name)");
  const auto result =
      session.run("SELECT count(*) AS n FROM fruit WHERE name LIKE '%an%' OR name LIKE '%rr%'");
  std::printf("%s: %zu row\n", result.engine.c_str(), static_cast<size_t>(result.table.rows()));
  return result.engine == "lanewise" && result.table.rows() == 1 ? 0 : 1;
}
