#include <lanewise/api/session.h>
#include <cstdio>

int main() {
  lanewise::Session session;
  session.run("CREATE TABLE fruit AS FROM (VALUES ('apple'), ('banana'), ('cherry')) AS v(name)");
  const auto result = session.run("SELECT name FROM fruit WHERE name LIKE '%an%' OR name LIKE '%rr%'");
  for (int64_t row = 0; row < result.table.rows(); ++row)
    std::printf("%s\n", result.table.value(row, 0).to_string().c_str());
}
