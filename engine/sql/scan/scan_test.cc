#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "sql/testing/scanned_rows.h"

namespace lanewise::sql {
namespace {

/// One column per type, with NULLs every seventh row at another place in each, minimum and maximum values,
/// empty, short, inlined and long strings, bytes above 127 and NUL.
const char* const kAllTypes = R"(
  CREATE TABLE everything AS SELECT
    if((i + 0) % 7 = 0, NULL, i % 2 = 0) AS c_bool,
    if((i + 1) % 7 = 0, NULL, if(i % 5 = 0, -128, i % 128)::TINYINT) AS c_int8,
    if((i + 2) % 7 = 0, NULL, if(i % 5 = 0, -32768, i % 32768)::SMALLINT) AS c_int16,
    if((i + 3) % 7 = 0, NULL, if(i % 5 = 0, -2147483648, i)::INTEGER) AS c_int32,
    if((i + 4) % 7 = 0, NULL, if(i % 5 = 0, -9223372036854775808, i)::BIGINT) AS c_int64,
    if((i + 5) % 7 = 0, NULL, if(i % 5 = 0, -170141183460469231731687303715884105728, i)::HUGEINT) AS c_int128,
    if((i + 6) % 7 = 0, NULL, if(i % 5 = 0, 255, i % 256)::UTINYINT) AS c_uint8,
    if((i + 0) % 7 = 0, NULL, if(i % 5 = 0, 65535, i % 65536)::USMALLINT) AS c_uint16,
    if((i + 1) % 7 = 0, NULL, if(i % 5 = 0, 4294967295, i)::UINTEGER) AS c_uint32,
    if((i + 2) % 7 = 0, NULL, if(i % 5 = 0, 18446744073709551615, i)::UBIGINT) AS c_uint64,
    if((i + 3) % 7 = 0, NULL, if(i % 5 = 0, 340282366920938463463374607431768211455::UHUGEINT, i::UHUGEINT)) AS c_uint128,
    if((i + 4) % 7 = 0, NULL, if(i % 5 = 0, 'nan', (i / 8)::VARCHAR)::FLOAT) AS c_float32,
    if((i + 5) % 7 = 0, NULL, if(i % 5 = 0, '-inf', (i / 8)::VARCHAR)::DOUBLE) AS c_float64,
    if((i + 6) % 7 = 0, NULL, (i % 100 / 100)::DECIMAL(4, 2)) AS c_decimal16,
    if((i + 0) % 7 = 0, NULL, (-i / 100)::DECIMAL(9, 3)) AS c_decimal32,
    if((i + 1) % 7 = 0, NULL, (i / 100)::DECIMAL(18, 4)) AS c_decimal64,
    if((i + 2) % 7 = 0, NULL, (i / 100)::DECIMAL(38, 5)) AS c_decimal128,
    if((i + 3) % 7 = 0, NULL, DATE '1970-01-01' + (i % 30000 - 10000)::INTEGER) AS c_date,
    if((i + 4) % 7 = 0, NULL, TIME '00:00:00' + to_seconds(i % 86400)) AS c_time,
    if((i + 5) % 7 = 0, NULL, make_timestamp(i * 1000000007)::TIMESTAMP_S) AS c_second,
    if((i + 6) % 7 = 0, NULL, make_timestamp(i * 1000000007)::TIMESTAMP_MS) AS c_milli,
    if((i + 0) % 7 = 0, NULL, make_timestamp(-i * 1000000007)) AS c_micro,
    if((i + 1) % 7 = 0, NULL, make_timestamp_ns(i * 1000000007)) AS c_nano,
    if((i + 2) % 7 = 0, NULL, make_timestamp(i * 1000000007)::TIMESTAMPTZ) AS c_zoned,
    if((i + 3) % 7 = 0, NULL, to_months((i % 30)::INTEGER) + to_days((i % 40)::INTEGER) + to_microseconds(i)) AS c_interval,
    if((i + 4) % 7 = 0, NULL, repeat('é' || i || chr(0), (i % 9)::INTEGER)) AS c_varchar,
    if((i + 5) % 7 = 0, NULL, 'group ' || i % 3) AS c_few,
    if((i + 6) % 7 = 0, NULL, repeat('x' || i, (i % 5)::INTEGER)::BLOB) AS c_blob,
    if((i + 0) % 7 = 0, NULL, ['red', 'green', 'blue'][i % 3 + 1])::ENUM('red', 'green', 'blue') AS c_enum,
    NULL AS c_null
  FROM range(%d) r(i))";

void make_everything(Database& database, int rows) {
  database.run("SET TimeZone = 'UTC'", nullptr);
  std::string statement = kAllTypes;
  statement.replace(statement.find("%d"), 2, std::to_string(rows));
  database.run(statement, nullptr);
}

TEST(ScanWithin, LeavesOutRowGroups) {
  Database database({.threads = 2});
  database.run("CREATE TABLE t AS SELECT i, i % 10 AS k FROM range(500000) r(i)", nullptr);
  const Query query = database.plan("FROM t");
  const plan::Scan& scan = scan_of(*query.root);
  const auto rows = [&](const std::vector<NeededRange>& ranges) {
    const auto within = scan.source->scan_within(scan.columns, ranges, nullptr, nullptr);
    const auto worker = within->worker();
    int64_t found = 0;
    while (const auto next = worker->next()) found += next->batch.rows;
    return found;
  };
  EXPECT_EQ(rows({}), 500'000);
  EXPECT_EQ(rows({{0, Value::int64(499'990), Value(TypeId::kInt64)}}), 10);
  EXPECT_EQ(rows({{0, Value::int64(7), Value::int64(26)}, {1, Value::int64(9), Value::int64(9)}}), 2);
  EXPECT_EQ(rows({{0, Value::int64(-5), Value::int64(-1)}}), 0);
}

class EveryType : public testing::TestWithParam<int> {};

/// DuckDB then gives vectors with a selection of values.
TEST_P(EveryType, WithinRangesAndAfterDeletions) {
  Database database({.threads = 2});
  make_everything(database, GetParam());
  database.run("CREATE TABLE numbered AS SELECT *, row_number() OVER () AS number FROM everything", nullptr);
  database.run("DELETE FROM numbered WHERE number % 5 = 0", nullptr);
  EXPECT_EQ(scanned(database, "numbered"), expected(database, "numbered"));
  const Query query = database.plan("FROM numbered");
  const plan::Scan& scan = scan_of(*query.root);
  const size_t number = scan.columns.size() - 1;
  const auto within = scan.source->scan_within(
      scan.columns, {{number, Value::int64(7), Value(TypeId::kInt64)}}, nullptr, nullptr);
  Table rows{query.root->schema, {}};
  const auto worker = within->worker();
  while (auto next = worker->next()) rows.batches.push_back(std::move(next->batch));
  std::vector<std::string> found, wanted;
  for (int64_t row = 0; row < rows.rows(); ++row)
    for (size_t c = 0; c < rows.schema.size(); ++c) found.push_back(rows.value(row, c).to_string());
  const auto right = database.run("FROM numbered WHERE number >= 7", nullptr);
  for (int64_t row = 0; row < right->rows(); ++row)
    for (size_t c = 0; c < right->schema.size(); ++c) wanted.push_back(right->value(row, c).to_string());
  std::ranges::sort(found);
  std::ranges::sort(wanted);
  EXPECT_EQ(found, wanted);
}

TEST_P(EveryType, OfATableInMemory) {
  Database database({.threads = 2});
  make_everything(database, GetParam());
  EXPECT_EQ(scanned(database, "everything"), expected(database, "everything"));
}

TEST_P(EveryType, OfACompressedTable) {
  TemporaryFolder folder;
  const std::string path = folder.file("everything.db");
  {
    Database database({.path = path, .threads = 2});
    make_everything(database, GetParam());
    database.run("CHECKPOINT", nullptr);
  }
  Database database({.path = path, .threads = 2});
  database.run("SET TimeZone = 'UTC'", nullptr);
  EXPECT_EQ(scanned(database, "everything"), expected(database, "everything"));
}

TEST_P(EveryType, OfParquet) {
  TemporaryFolder folder;
  Database database({.threads = 2});
  make_everything(database, GetParam());
  const std::string path = folder.file("everything.parquet");
  database.run("COPY everything TO '" + path + "' (ROW_GROUP_SIZE 2048)", nullptr);
  EXPECT_EQ(scanned(database, "'" + path + "'"), expected(database, "'" + path + "'"));
}

TEST_P(EveryType, OfCsvAndJson) {
  TemporaryFolder folder;
  Database database({.threads = 2});
  make_everything(database, GetParam());
  const std::string csv = folder.file("everything.csv"), json = folder.file("everything.json");
  database.run("COPY everything TO '" + csv + "'", nullptr);
  EXPECT_EQ(scanned(database, "read_csv('" + csv + "')"), expected(database, "read_csv('" + csv + "')"));
  // JSON has no binary and no NUL
  database.run("COPY (SELECT * EXCLUDE (c_blob, c_varchar, c_null) FROM everything) TO '" + json + "'",
               nullptr);
  EXPECT_EQ(scanned(database, "read_json('" + json + "')"), expected(database, "read_json('" + json + "')"));
}

INSTANTIATE_TEST_SUITE_P(Rows, EveryType, testing::Values(0, 1, 31, 32, 33, 63, 64, 65, 2048, 2049, 10'000));

TEST(Scan, KeepsTheOrderWithTwoThreads) {
  TemporaryFolder folder;
  Database database({.threads = 2});
  const std::string path = folder.file("numbers.parquet");
  database.run("CREATE TABLE numbers AS SELECT i, 'n' || i AS s FROM range(600000) r(i)", nullptr);
  database.run("COPY numbers TO '" + path + "' (ROW_GROUP_SIZE 30000)", nullptr);
  const std::string csv = folder.file("numbers.csv");
  database.run("COPY numbers TO '" + csv + "'", nullptr);
  for (const std::string& from : {std::string("numbers"), "'" + path + "'", "'" + csv + "'"}) {
    const Query query = database.plan("SELECT i FROM " + from);
    const plan::Scan& scan = scan_of(*query.root);
    for (int repetition = 0; repetition < 5; ++repetition) {
      int64_t next = 0;
      const auto size = repetition % 2 == 0 ? BatchSize::kKept : BatchSize::kPassing;
      for (const Batch& batch : batches_of(*scan.source, scan.columns, 2, size)) {
        EXPECT_LT(batch.rows, size == BatchSize::kPassing ? 20'000 : 600'001);
        for (int64_t row = 0; row < batch.rows; ++row, ++next) {
          ASSERT_EQ(batch.columns[0]->value(row).integer(), next) << from;
        }
      }
      EXPECT_EQ(next, 600'000) << from;
    }
  }
}

TEST(Scan, KeepsDictionariesOfRowGroups) {
  TemporaryFolder folder;
  Database database({.threads = 1});
  const std::string path = folder.file("few.parquet");
  // 30,000 rows cross several pages, where DuckDB writes the entries out.
  database.run("COPY (SELECT 'value ' || i % 100 AS few, 'value ' || i AS many FROM range(90000) r(i)) TO '" +
                   path + "' (ROW_GROUP_SIZE 30000)",
               nullptr);
  const Query query = database.plan("FROM '" + path + "'");
  const plan::Scan& scan = scan_of(*query.root);
  const auto batches = batches_of(*scan.source, scan.columns, 1);
  ASSERT_EQ(batches.size(), 3u);
  for (const Batch& batch : batches) {
    ASSERT_TRUE(batch.columns[0]->dictionary);
    EXPECT_EQ(batch.columns[0]->dictionary->rows, 100);
    EXPECT_FALSE(batch.columns[1]->dictionary);
  }
  EXPECT_EQ(scanned(database, "'" + path + "'"), expected(database, "'" + path + "'"));
}

TEST(Scan, PutsSmallRowGroupsTogether) {
  TemporaryFolder folder;
  Database database({.threads = 1});
  const std::string path = folder.file("small.parquet");
  database.run("COPY (SELECT i FROM range(200000) r(i)) TO '" + path + "' (ROW_GROUP_SIZE 2048)", nullptr);
  const Query query = database.plan("FROM '" + path + "'");
  const plan::Scan& scan = scan_of(*query.root);
  EXPECT_LE(batches_of(*scan.source, scan.columns, 1).size(), 4u);
}

TEST(Scan, CountsRowsWithoutColumns) {
  TemporaryFolder folder;
  Database database({.threads = 2});
  database.run("CREATE TABLE t AS SELECT i FROM range(5000) r(i)", nullptr);
  const std::string path = folder.file("t.parquet");
  database.run("COPY t TO '" + path + "'", nullptr);
  for (const std::string& from : {std::string("t"), "'" + path + "'", std::string("range(5000)")}) {
    const Query query = database.plan("FROM " + from);
    int64_t rows = 0;
    for (const Batch& batch : batches_of(*scan_of(*query.root).source, {}, 2)) {
      EXPECT_TRUE(batch.columns.empty());
      rows += batch.rows;
    }
    EXPECT_EQ(rows, 5000) << from;
  }
}

TEST(Scan, ReadsFilesOfAFolderWithTheirNames) {
  TemporaryFolder folder;
  Database database({.threads = 2});
  database.run("COPY (SELECT i, i % 3 AS part FROM range(1000) r(i)) TO '" + folder.file("parts") +
                   "' (FORMAT parquet, PARTITION_BY part)",
               nullptr);
  for (const char* options :
       {"", ", filename = true", ", hive_partitioning = false", ", file_row_number = true"}) {
    const std::string from = "read_parquet('" + folder.file("parts") + "/*/*.parquet'" + options + ")";
    EXPECT_EQ(scanned(database, from), expected(database, from)) << options;
  }
}

TEST(Scan, ReadsVirtualColumns) {
  Database database({.threads = 2});
  database.run("CREATE TABLE t AS SELECT i FROM range(3000) r(i)", nullptr);
  const Query query = database.plan("SELECT rowid, i FROM t");
  const plan::Scan& scan = scan_of(*query.root);
  for (const auto& row : text_of(batches_of(*scan.source, scan.columns, 1))) EXPECT_EQ(row[0], row[1]);
}

TEST(Scan, ReadsOtherTableFunctions) {
  Database database({.threads = 2});
  for (const char* from : {"range(10)", "generate_series(1, 10000, 3)",
                           "range(DATE '2020-01-01', DATE '2020-03-01', "
                           "INTERVAL 1 DAY)",
                           "glob('/etc/passw*')"}) {
    EXPECT_EQ(scanned(database, from), expected(database, from)) << from;
  }
}

TEST(Scan, NamesTheFileAndPlaceOfABadRow) {
  TemporaryFolder folder;
  const std::string path = folder.file("bad.csv");
  std::ofstream(path) << "a,b\n1,2\nx,3\n";
  Database database({.threads = 2});
  const Query query =
      database.plan("FROM read_csv('" + path + "', columns = {'a': 'INTEGER', 'b': 'INTEGER'})");
  const plan::Scan& scan = scan_of(*query.root);
  try {
    const auto worker_scan = scan.source->scan(scan.columns, BatchSize::kKept, nullptr, nullptr);
    while (worker_scan->worker()->next()) {
    }
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("bad.csv"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("Line: 3"), std::string::npos) << error.what();
  }
}

TEST(Scan, StopsOnRequest) {
  Database database({.threads = 1});
  const Query query = database.plan("FROM range(1000000000)");
  const plan::Scan& scan = scan_of(*query.root);
  Cancellation cancellation;
  const auto running = scan.source->scan(scan.columns, BatchSize::kKept, nullptr, &cancellation);
  const auto worker = running->worker();
  EXPECT_TRUE(worker->next());
  cancellation.cancel();
  EXPECT_THROW(worker->next(), CancelledError);
}

TEST(Scan, ChargesItsMemory) {
  Database database({.threads = 1});
  const Query query = database.plan("FROM range(1000000)");
  const plan::Scan& scan = scan_of(*query.root);
  MemoryBudget budget(size_t{1} << 20);
  const auto running = scan.source->scan(scan.columns, BatchSize::kKept, &budget, nullptr);
  EXPECT_THROW(running->worker()->next(), MemoryError);
}

TEST(Identity, OfFilesFollowsContentAndReading) {
  TemporaryFolder folder;
  const std::string path = folder.file("t.csv");
  std::ofstream(path) << "a,b\n1,2\n";
  Database database({.threads = 1});
  const auto identity = [&](const std::string& from) {
    return scan_of(*database.plan("FROM " + from).root).source->identity();
  };
  const std::string plain = identity("'" + path + "'");
  EXPECT_FALSE(plain.empty());
  EXPECT_EQ(identity("'" + path + "'"), plain);
  EXPECT_NE(identity("read_csv('" + path + "', header = false)"), plain);
  database.run("SET TimeZone = 'UTC'", nullptr);
  EXPECT_NE(identity("'" + path + "'"), plain);
  const std::string before = identity("'" + path + "'");
  std::ofstream(path) << "a,b\n3,4\n";
  EXPECT_NE(identity("'" + path + "'"), before);
}

TEST(Identity, OfTablesFollowsWrites) {
  Database database({.threads = 1});
  database.run("CREATE TABLE t AS SELECT 1 AS i", nullptr);
  database.run("CREATE TABLE u AS SELECT 1 AS i", nullptr);
  const auto identity = [&](const std::string& from) {
    return scan_of(*database.plan("FROM " + from).root).source->identity();
  };
  const std::string before = identity("t");
  EXPECT_EQ(identity("t"), before);
  EXPECT_NE(identity("u"), before);
  database.run("INSERT INTO t VALUES (2)", nullptr);
  EXPECT_NE(identity("t"), before);
  EXPECT_EQ(identity("range(10)"), "");
}

}  // namespace
}  // namespace lanewise::sql
