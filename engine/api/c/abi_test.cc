#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "api/c/lanewise.h"
#include "api/c/testing/opened.h"
#include "data/arrow/arrow.h"
#include "data/arrow/arrow_device.h"

namespace {

using lanewise::c::Error, lanewise::c::Opened;
using ::testing::HasSubstr;

lanewise::Table rows(const lw_result* result) {
  ArrowArrayStream stream;
  EXPECT_EQ(lw_result_stream(result, &stream, nullptr), LW_OK);
  return lanewise::arrow::import_stream(&stream);
}

TEST(CAbi, ResultsOutliveTheirSession) {
  lw_result* result = nullptr;
  {
    const Opened opened;
    ASSERT_EQ(opened.run("SELECT i, 's' || i AS s FROM range(3) AS r(i)", nullptr, &result), LW_OK);
  }
  EXPECT_EQ(lw_result_has_rows(result), 1);
  EXPECT_EQ(lw_result_rows(result), 3);
  EXPECT_STREQ(lw_result_engine(result), "lanewise");
  EXPECT_STREQ(lw_result_fallback_reason(result), "");
  EXPECT_THAT(lw_result_profile(result), HasSubstr("3 rows out"));
  const lanewise::Table first = rows(result);
  const lanewise::Table again = rows(result);
  lw_result_close(result);
  for (const lanewise::Table& table : {first, again}) {
    EXPECT_EQ(table.schema[1].name, "s");
    EXPECT_EQ(table.value(2, 1).text(), "s2");
  }
}

TEST(CAbi, ListsNeedTheirSessionAndHoldIt) {
  lw_result* result = nullptr;
  {
    const Opened opened;
    ASSERT_EQ(opened.run("SELECT [1, 2] AS l", nullptr, &result), LW_OK);
  }
  EXPECT_STREQ(lw_result_engine(result), "lanewise");
  ArrowArrayStream stream;
  ASSERT_EQ(lw_result_stream(result, &stream, nullptr), LW_OK);
  lw_result_close(result);
  ArrowSchema schema;
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  EXPECT_STREQ(schema.children[0]->format, "+l");
  schema.release(&schema);
  stream.release(&stream);
}

TEST(CAbi, DeviceArraysAreReleasedAfterAnError) {
  const Opened opened;
  static int released = 0;
  ArrowSchema schema{};
  schema.format = "+s";
  schema.release = [](ArrowSchema* held) {
    ++released;
    held->release = nullptr;
  };
  ArrowDeviceArray array{};
  array.device_type = ARROW_DEVICE_ROCM;
  array.array.release = [](ArrowArray* held) {
    ++released;
    held->release = nullptr;
  };
  Error error;
  EXPECT_EQ(lw_session_add_device_table(opened.session, nullptr, &schema, &array, 1, nullptr), LW_ERROR_USER);
  EXPECT_EQ(released, 2) << "the call takes them even if it fails at once";
  schema.release = [](ArrowSchema* held) { held->release = nullptr; };
  array.array.release = [](ArrowArray* held) {
    ++released;
    held->release = nullptr;
  };
  EXPECT_EQ(lw_session_add_device_table(opened.session, "t", &schema, &array, 1, &error.error),
            LW_ERROR_USER);
  EXPECT_THAT(error.message(), HasSubstr("ROCm"));
  EXPECT_EQ(released, 3);

  ArrowDeviceArrayStream failing{};
  failing.get_schema = [](ArrowDeviceArrayStream*, ArrowSchema*) { return 5; };
  failing.get_last_error = [](ArrowDeviceArrayStream*) { return "the rows are lost"; };
  failing.release = [](ArrowDeviceArrayStream* stream) {
    ++released;
    stream->release = nullptr;
  };
  Error lost;
  EXPECT_EQ(lw_session_add_device_stream(opened.session, "t", &failing, &lost.error), LW_ERROR_USER);
  EXPECT_THAT(lost.message(), HasSubstr("the rows are lost"));
  EXPECT_EQ(released, 4);
}

TEST(CAbi, RowsGoToTheSessionsGpuOnly) {
  const Opened opened;
  ArrowArrayStream rows;
  lanewise::arrow::export_stream({{{"x", lanewise::TypeId::kInt64}}, {}}, &rows);
  ArrowDeviceArrayStream out;
  Error error;
  EXPECT_EQ(lw_session_to_device(opened.session, &rows, &out, &error.error), LW_ERROR_USER);
  EXPECT_THAT(error.message(), HasSubstr("the session has no GPU"));
  EXPECT_EQ(rows.release, nullptr);
  EXPECT_EQ(lw_cuda_synchronize(-1, 0, nullptr), LW_ERROR_USER);
  lw_result* result = nullptr;
  ASSERT_EQ(opened.run("SELECT 1", nullptr, &result), LW_OK);
  EXPECT_EQ(lw_result_device_stream(result, &out, nullptr), LW_OK);
  EXPECT_EQ(out.release, nullptr) << "its rows are on the host";
  lw_result_close(result);
}

TEST(CAbi, SeveralStatementsGiveTheLastResult) {
  const Opened opened;
  lw_result* result = nullptr;
  ASSERT_EQ(opened.run("CREATE TABLE t AS SELECT 1 AS x; SELECT x + 1 FROM t", nullptr, &result), LW_OK);
  EXPECT_EQ(rows(result).value(0, 0).to_string(), "2");
  lw_result_close(result);
  ASSERT_EQ(opened.run("CREATE TABLE u (x INT)", nullptr, &result), LW_OK);
  EXPECT_EQ(lw_result_has_rows(result), 0);
  lw_result_close(result);
}

lanewise::Table one_row(std::vector<std::pair<std::string, lanewise::Value>> values) {
  lanewise::Table table;
  lanewise::Batch batch;
  batch.rows = 1;
  for (const auto& [name, value] : values) {
    table.schema.push_back({name, value.type()});
    batch.columns.push_back(lanewise::make_column(value.type(), {value}));
  }
  table.batches.push_back(std::move(batch));
  return table;
}

/// The first batch of a table as an Arrow schema and array.
struct Exported {
  explicit Exported(lanewise::Table table) {
    ArrowArrayStream stream;
    lanewise::arrow::export_stream(std::move(table), &stream);
    stream.get_schema(&stream, &schema);
    stream.get_next(&stream, &array);
    stream.release(&stream);
  }
  ArrowSchema schema = {};
  ArrowArray array = {};
};

TEST(CAbi, Parameters) {
  const Opened opened;
  lw_result* result = nullptr;
  Exported values(one_row({{"1", lanewise::Value::int64(40)}, {"2", lanewise::Value::varchar("ab")}}));
  ASSERT_EQ(lw_session_run(opened.session, "SELECT ? + 2, length(?)", &values.schema, &values.array, &result,
                           nullptr),
            LW_OK);
  EXPECT_EQ(rows(result).value(0, 0).to_string(), "42");
  EXPECT_EQ(rows(result).value(0, 1).to_string(), "2");
  lw_result_close(result);
  EXPECT_EQ(values.schema.release, nullptr);
  EXPECT_EQ(values.array.release, nullptr);
}

TEST(CAbi, WrongParametersAreReleased) {
  const Opened opened;
  Error error;
  lw_result* result = nullptr;
  Exported values(one_row({{"x", lanewise::Value::int64(1)}}));
  EXPECT_EQ(lw_session_run(opened.session, "SELECT $y", &values.schema, &values.array, &result, &error.error),
            LW_ERROR_USER);
  EXPECT_THAT(error.message(), HasSubstr("no parameter $x"));
  EXPECT_EQ(values.schema.release, nullptr);
  EXPECT_EQ(values.array.release, nullptr);
}

TEST(CAbi, TablesAreAddedAndDropped) {
  const Opened opened;
  ArrowArrayStream stream;
  lanewise::arrow::export_stream(one_row({{"x", lanewise::Value::int64(7)}}), &stream);
  ASSERT_EQ(lw_session_add_table(opened.session, "t", &stream, 1, nullptr), LW_OK);
  lw_result* result = nullptr;
  ASSERT_EQ(opened.run("SELECT x FROM T", nullptr, &result), LW_OK);
  EXPECT_EQ(rows(result).value(0, 0).to_string(), "7");
  lw_result_close(result);
  EXPECT_EQ(lw_session_drop_table(opened.session, "t", nullptr), LW_OK);
  Error error;
  EXPECT_EQ(lw_session_drop_table(opened.session, "t", &error.error), LW_ERROR_USER);
  EXPECT_THAT(error.message(), HasSubstr("no table 't'"));
}

TEST(CAbi, AStreamIsReleasedWhereTheNameIsMissing) {
  const Opened opened;
  ArrowArrayStream stream;
  lanewise::arrow::export_stream(one_row({{"x", lanewise::Value::int64(7)}}), &stream);
  EXPECT_EQ(lw_session_add_table(opened.session, nullptr, &stream, 1, nullptr), LW_ERROR_USER);
  EXPECT_EQ(stream.release, nullptr);
}

TEST(CAbi, NamesOfTables) {
  const Opened opened;
  ArrowArrayStream stream;
  ASSERT_EQ(lw_session_table_names(opened.session,
                                   "WITH c AS (FROM a) SELECT * FROM c JOIN \"B d\" ON true; SELECT 1",
                                   &stream, nullptr),
            LW_OK);
  const lanewise::Table names = lanewise::arrow::import_stream(&stream);
  ASSERT_EQ(names.rows(), 2);
  std::vector<std::string> found = {names.value(0, 0).text(), names.value(1, 0).text()};
  EXPECT_THAT(found, ::testing::UnorderedElementsAre("a", HasSubstr("B d")));
}

TEST(CAbi, ExplainDoesNotRun) {
  const Opened opened;
  char* text = nullptr;
  ASSERT_EQ(lw_session_explain(opened.session, "SELECT i FROM range(9) AS r(i) WHERE i > 3", nullptr, nullptr,
                               &text, nullptr),
            LW_OK);
  EXPECT_THAT(text, HasSubstr("lanes"));
  lw_text_free(text);
}

struct Fault {
  const char* sql;
  lw_code code;
  const char* message;
  int64_t position;
};

TEST(CAbi, KindsOfErrors) {
  const Opened opened;
  for (const Fault& fault : {
           Fault{"SELEC 1", LW_ERROR_SQL, "syntax error", 0},
           Fault{"SELECT 1 + nix", LW_ERROR_SQL, "nix", 11},
           Fault{"SELECT regexp_matches('a' || i, '(') FROM range(2) AS r(i)", LW_ERROR_PATTERN, "missing",
                 -1},
           Fault{"SELECT ('x' || i)::INT FROM range(2) AS r(i)", LW_ERROR_VALUE, "x0", -1},
           Fault{"SELECT 'POINT(1 2)'::GEOMETRY AS b", LW_ERROR_UNSUPPORTED, "supported", -1},
           Fault{"SELECT 1 FROM '/no/such.parquet'", LW_ERROR_USER, "/no/such.parquet", -1},
           Fault{"", LW_ERROR_USER, "no statement", -1},
       }) {
    Error error;
    lw_result* result = nullptr;
    EXPECT_EQ(opened.run(fault.sql, &error.error, &result), fault.code) << fault.sql << error.message();
    EXPECT_THAT(error.message(), HasSubstr(fault.message));
    EXPECT_EQ(error.error.position, fault.position) << fault.sql;
    EXPECT_EQ(result, nullptr);
  }
}

TEST(CAbi, ArgumentsThatAreMissing) {
  lw_result* result = nullptr;
  EXPECT_EQ(lw_session_run(nullptr, "SELECT 1", nullptr, nullptr, &result, nullptr), LW_ERROR_USER);
  EXPECT_EQ(lw_session_open(nullptr, 0, nullptr, nullptr), LW_ERROR_USER);
  EXPECT_EQ(lw_functions(nullptr, nullptr), LW_ERROR_USER);
  lw_session_close(nullptr);
  lw_session_cancel(nullptr);
  lw_result_close(nullptr);
  lw_error_release(nullptr);
}

TEST(CAbi, WrongOptions) {
  for (const auto& [name, value] :
       {std::pair("thread", "1"), std::pair("threads", "many"), std::pair("memory_limit", "much"),
        std::pair("read_only", "perhaps"), std::pair("fallback", "sqlite"), std::pair("device", "abacus")}) {
    const lw_option option = {name, value};
    lw_session* session = nullptr;
    Error error;
    EXPECT_EQ(lw_session_open(&option, 1, &session, &error.error), LW_ERROR_USER) << name;
    EXPECT_THAT(error.message(), HasSubstr(name));
  }
}

TEST(CAbi, CancelledFromAnotherThread) {
  const Opened opened(std::vector<lw_option>{{"threads", "1"}});
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) {
      lw_session_cancel(opened.session);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  lw_result* result = nullptr;
  const lw_code code = opened.run(
      "SELECT sum(a.i * b.i % 7) FROM range(100000) AS a(i), range(1000000) AS b(i)", nullptr, &result);
  done = true;
  other.join();
  EXPECT_EQ(code, LW_ERROR_CANCELLED);
}

TEST(CAbi, ASessionServesThreadsInTurn) {
  const Opened opened;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        lw_result* result = nullptr;
        if (opened.run("SELECT count(*) FROM range(1000)", nullptr, &result) == LW_OK) ++right;
        lw_result_close(result);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 80);
}

TEST(CAbi, Functions) {
  ArrowArrayStream stream;
  ASSERT_EQ(lw_functions(&stream, nullptr), LW_OK);
  const lanewise::Table table = lanewise::arrow::import_stream(&stream);
  EXPECT_GT(table.rows(), 100);
  EXPECT_EQ(table.schema.size(), 3);
}

/// Adds its two arguments, which have no NULLs; fails if one is 13.
int add(void* data, ArrowSchema* schema, ArrowArray* arguments, ArrowSchema* result_schema,
        ArrowArray* result, char* message, size_t size) {
  ++*static_cast<std::atomic<int>*>(data);
  const lanewise::Schema types = lanewise::arrow::import_schema(*schema);
  const std::vector<lanewise::Batch> batches = lanewise::arrow::import_array(*schema, arguments);
  schema->release(schema);
  std::vector<lanewise::Value> sums;
  for (const lanewise::Batch& batch : batches) {
    for (int64_t row = 0; row < batch.rows; ++row) {
      const int64_t a = batch.columns[0]->value(row).integer(), b = batch.columns[1]->value(row).integer();
      if (a == 13) return std::snprintf(message, size, "13 is not added");
      sums.push_back(lanewise::Value::int64(a + b));
    }
  }
  lanewise::Batch batch{static_cast<int64_t>(sums.size()), {lanewise::make_column(types[0].type, sums)}};
  ArrowArrayStream stream;
  lanewise::arrow::export_stream({{{"sum", types[0].type}}, {batch}}, &stream);
  stream.get_schema(&stream, result_schema);
  stream.get_next(&stream, result);
  stream.release(&stream);
  return 0;
}

/// A signature of the given number of BIGINT fields.
ArrowSchema integers(size_t fields) {
  lanewise::Schema schema(fields, {"", lanewise::TypeId::kInt64});
  ArrowArrayStream stream;
  lanewise::arrow::export_stream({schema, {}}, &stream);
  ArrowSchema out;
  stream.get_schema(&stream, &out);
  stream.release(&stream);
  return out;
}

TEST(CAbi, StatementsCallFunctionsOfC) {
  const Opened opened;
  std::atomic<int> calls{0};
  ArrowSchema signature = integers(3);
  Error error;
  ASSERT_EQ(lw_session_add_function(opened.session, "add_c", &signature, 1, add, &calls, &error.error), LW_OK)
      << error.message();
  lw_result* result = nullptr;
  const char* query =
      "SELECT sum(ADD_C(i, 1)), count(add_c(i, CASE WHEN i % 2 = 0 THEN 1 END)) FROM "
      "range(20, 10020) AS r(i)";
  ASSERT_EQ(opened.run(query, &error.error, &result), LW_OK) << error.message();
  EXPECT_EQ(rows(result).value(0, 0).to_string(), "50205000");
  EXPECT_EQ(rows(result).value(0, 1).integer(), 5000);
  EXPECT_GT(calls.load(), 1);
  lw_result_close(result);
  EXPECT_EQ(opened.run("SELECT add_c(i, i) FROM range(20) AS r(i)", &error.error, &result),
            LW_ERROR_FUNCTION);
  EXPECT_EQ(error.message(), "the function add_c failed: 13 is not added");
  lw_error_release(&error.error);
  EXPECT_EQ(lw_session_add_function(opened.session, "lower", &signature, 1, add, &calls, &error.error),
            LW_ERROR_USER);
  EXPECT_THAT(error.message(), HasSubstr("'lower' already"));
  lw_error_release(&error.error);
  EXPECT_EQ(lw_session_add_function(opened.session, "=", &signature, 1, add, &calls, &error.error),
            LW_ERROR_USER);
  EXPECT_THAT(error.message(), HasSubstr("'=' is not a name"));
  lw_error_release(&error.error);
  EXPECT_EQ(lw_session_drop_function(opened.session, "ADD_C", &error.error), LW_OK);
  EXPECT_EQ(opened.run("SELECT add_c(1, 2)", &error.error, &result), LW_ERROR_SQL);
  lw_error_release(&error.error);
  EXPECT_EQ(lw_session_drop_function(opened.session, "add_c", &error.error), LW_ERROR_USER);
  signature.release(&signature);
}

}  // namespace
