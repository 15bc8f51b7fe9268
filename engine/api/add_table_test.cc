#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/session.h"
#include "base/error.h"
#include "base/testing/message_of.h"
#include "data/testing/device_arrays.h"
#include "data/testing/text_rows.h"
#include "gpu/testing/gpu.h"

/// Tables of other libraries: Arrow arrays in the host's memory and in a GPU's.
namespace lanewise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_arrow::DeviceArrays;
using testing_arrow::table_of;

TextRows answer(Session& session, const std::string& query) {
  const StatementResult result = session.run(query);
  EXPECT_EQ(result.engine, "lanewise") << query;
  return text_of(result.table);
}

void add(Session& session, const std::string& name, const Table& table) {
  ArrowArrayStream stream;
  arrow::export_stream(table, &stream);
  session.add_table(name, &stream);
}

TEST(AddTable, IsReadByItsName) {
  Session session;
  add(session, "Numbers", table_of(0, 1000, 300));
  EXPECT_THAT(answer(session, "SELECT count(*), count(c3), sum(c3) FROM numbers"),
              ElementsAre(ElementsAre("1000", "857", "-450")));
  EXPECT_THAT(answer(session, "SELECT n.c3 FROM NUMBERS n WHERE n.c16 LIKE 'wört 1' LIMIT 1"),
              ElementsAre(ElementsAre("-49")));
  add(session, "numbers", table_of(0, 10, 10));
  EXPECT_THAT(answer(session, "SELECT count(*) FROM numbers"), ElementsAre(ElementsAre("10")));
}

TEST(AddTable, IsReadByDuckDbsStatements) {
  Session session;
  add(session, "t", table_of(0, 300, 100));
  session.run("CREATE TABLE copy AS SELECT c16, c12, c3 FROM t");
  const char* const query = "SELECT c3, c12, c16 FROM ";
  EXPECT_EQ(answer(session, std::string(query) + "copy"), answer(session, std::string(query) + "t"));
  EXPECT_THAT(text_of(session.run("SUMMARIZE t").table).size(), 21);
  session.run("CREATE TABLE t AS SELECT 5 AS x");
  EXPECT_THAT(answer(session, "FROM t"), ElementsAre(ElementsAre("5"))) << "the database's goes before";
}

TEST(AddTable, IsDropped) {
  Session session;
  add(session, "t", table_of(0, 10, 10));
  session.drop_table("T");
  EXPECT_THAT(message_of<UserError>([&] { session.run("FROM t"); }),
              HasSubstr("Table with name t does not exist"));
  EXPECT_EQ(message_of<UserError>([&] { session.drop_table("t"); }), "no table 't' was added");
  ArrowDeviceArrayStream stream{};
  EXPECT_EQ(message_of<UserError>([&] { session.to_device(table_of(0, 10, 10), &stream); }),
            "the session has no GPU: set its option 'device' to cuda or auto");
  EXPECT_EQ(stream.release, nullptr);
}

TEST(AddTable, RefusesMemoryOfOtherDevices) {
  Session session;
  ArrowSchema schema{};
  schema.format = "+s";
  ArrowDeviceArray array{};
  array.device_type = ARROW_DEVICE_ROCM;
  static int released = 0;
  array.array.release = [](ArrowArray* held) {
    ++released;
    held->release = nullptr;
  };
  EXPECT_THAT(message_of<UserError>([&] { session.add_table("t", &schema, {&array, 1}); }),
              HasSubstr("ROCm"));
  EXPECT_EQ(released, 1);
  EXPECT_EQ(array.array.release, nullptr) << "it was taken";
}

const char* const kTableQueries[] = {
    "SELECT c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 FROM t",
    "SELECT c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20 FROM t",
    "SELECT count(*) FROM t",
    "SELECT sum(c1), min(c2), max(c3), sum(c4), avg(c6), max(c9), sum(c12), sum(c13), min(c14), max(c17) "
    "FROM t "
    "WHERE c0",
    "SELECT c3, c12 FROM t WHERE c16 LIKE '%t 4%' OR c20 = encode('wört 9')",
    "SELECT c16, count(*), sum(c13), count(c0) FROM t GROUP BY c16 ORDER BY c16",
    "SELECT c3, c16, c19 FROM t WHERE c10 > 3 ORDER BY c16, c3 NULLS FIRST, c19 LIMIT 50",
    "SELECT upper(c16), c12 * 2, c17 + INTERVAL 1 DAY FROM t WHERE c3 % 3 = 1",
    "SELECT c0, c11, min(c16), max(c20), sum(c4 * c4), bool_or(c0), count(c5) FROM t GROUP BY c0, c11 "
    "ORDER BY c11 DESC, c0",
    "SELECT DISTINCT c16 FROM t WHERE c0 IS NULL OR c16 LIKE 'w_rt%' OR c20 = encode('') ORDER BY 1",
};

class AddTableOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (gpu_ == nullptr) GTEST_SKIP() << "no GPU, or no compiler for it";
  }
  static SessionOptions options(const std::string& device, size_t device_memory = 0) {
    SessionOptions result;
    result.device = device;
    result.threads = 2;
    result.device_memory = device_memory;
    return result;
  }
  void add_device_table(Session& session, DeviceArrays& arrays) {
    session.add_table("t", &arrays.schema, arrays.arrays);
  }
  static uint64_t uploaded(const StatementResult& result) {
    uint64_t bytes = 0;
    for (const ops::OperatorProfile& line : result.profile) bytes += line.bytes;
    return bytes;
  }

  gpu::Device* const gpu_ = gpu::find_gpu(LANEWISE_SOURCE_DIR);
};

TEST_F(AddTableOnGpu, AnswersAreTheCpus) {
  Session cpu(options("cpu"));
  for (const int64_t rows : {1, 32, 65, 3000}) {
    DeviceArrays whole(table_of(0, rows, rows), *gpu_), parts(table_of(0, rows, 700), *gpu_);
    add(cpu, "t", table_of(0, rows, rows));
    Session gpu(options("cuda"));
    for (DeviceArrays* arrays : {&whole, &parts}) {
      add_device_table(gpu, *arrays);
      for (const char* query : kTableQueries)
        EXPECT_EQ(answer(gpu, query), answer(cpu, query)) << rows << " " << query;
    }
  }
}

TEST_F(AddTableOnGpu, NothingDependsOnWhatIsNoRowsValue) {
  Session cpu(options("cpu")), gpu(options("cuda")), copies(options("cpu"));
  add(cpu, "t", table_of(32, 458, 458));
  for (const int byte : {0x00, 0x5a, 0xff}) {
    for (const int64_t batch_rows : {500, 300}) {
      for (Session* session : {&gpu, &copies}) {
        DeviceArrays arrays(table_of(0, 490, batch_rows), *gpu_);
        arrays.slice(32, 0, 0);
        arrays.spoil(static_cast<unsigned char>(byte), *gpu_);
        add_device_table(*session, arrays);
        for (const char* query : kTableQueries)
          EXPECT_EQ(answer(*session, query), answer(cpu, query)) << byte << " " << query;
        session->drop_table("t");
      }
    }
  }
}

TEST_F(AddTableOnGpu, ErrorsAreTheCpus) {
  Session gpu(options("cuda")), cpu(options("cpu"));
  DeviceArrays arrays(table_of(0, 100, 60), *gpu_);
  add_device_table(gpu, arrays);
  add(cpu, "t", table_of(0, 100, 100));
  const char* const query = "SELECT sum(CAST(c16 AS INTEGER)) FROM t WHERE c3 > 0";
  const std::string message = message_of<UserError>([&] { cpu.run(query); });
  EXPECT_THAT(message, HasSubstr("wört"));
  EXPECT_EQ(message_of<UserError>([&] { gpu.run(query); }), message);
}

TEST_F(AddTableOnGpu, NoRows) {
  Session gpu(options("cuda"));
  DeviceArrays arrays(table_of(0, 100, 100), *gpu_);
  arrays.slice(10, 0, 90);
  add_device_table(gpu, arrays);
  for (const char* query : kTableQueries) {
    const TextRows rows = answer(gpu, query);
    EXPECT_LE(rows.size(), 1) << query;
  }
}

TEST_F(AddTableOnGpu, TheCpuReadsACopy) {
  Session gpu(options("cpu")), cpu(options("cpu"));
  DeviceArrays arrays(table_of(0, 2000, 700), *gpu_);
  arrays.slice(3, 0, 0);
  add(cpu, "all", table_of(0, 2000, 2000));
  cpu.run("CREATE VIEW t AS FROM \"all\" OFFSET 3");
  add_device_table(gpu, arrays);
  for (const char* query : kTableQueries) EXPECT_EQ(answer(gpu, query), answer(cpu, query)) << query;
  EXPECT_TRUE(gpu.run("SELECT sum(c3) FROM t").hot) << "it is kept";
}

TEST_F(AddTableOnGpu, LittleMemory) {
  Session gpu(options("cuda", 300'000)), cpu(options("cpu"));
  DeviceArrays arrays(table_of(0, 20'000, 9000), *gpu_);
  add(cpu, "t", table_of(0, 20'000, 20'000));
  add_device_table(gpu, arrays);
  const char* const query = "SELECT sum(c3), sum(c12), sum(c4), count(c0) FROM t WHERE c10 > 4";
  EXPECT_EQ(answer(gpu, query), answer(cpu, query));
}

TEST_F(AddTableOnGpu, NothingIsUploaded) {
  Session gpu(options("cuda"));
  DeviceArrays arrays(table_of(0, 5000, 5000), *gpu_);
  add_device_table(gpu, arrays);
  const StatementResult result =
      gpu.run("SELECT sum(c3), max(c4), sum(c13), count(*) FROM t WHERE c16 LIKE '%7%' AND c0");
  EXPECT_EQ(uploaded(result), 0);
  EXPECT_NE(uploaded(gpu.run("SELECT max(c19) FROM t")), 0) << "intervals come through the host";
}

TEST_F(AddTableOnGpu, IsReleasedWhenItIsDropped) {
  Session gpu(options("cuda"));
  DeviceArrays first(table_of(0, 100, 40), *gpu_), second(table_of(0, 50, 50), *gpu_);
  add_device_table(gpu, first);
  for (const char* query : kTableQueries) gpu.run(query);
  EXPECT_EQ(first.released(), 0);
  add_device_table(gpu, second);
  EXPECT_EQ(first.released(), 3) << "another took its place";
  gpu.run("SELECT sum(c3) FROM t");
  gpu.drop_table("t");
  EXPECT_EQ(second.released(), 1);
}

TEST_F(AddTableOnGpu, AnotherGpuIsRefused) {
  Session gpu(options("cuda"));
  DeviceArrays arrays(table_of(0, 100, 100), *gpu_);
  arrays.arrays[0].device_id = 3;
  EXPECT_EQ(message_of<UserError>([&] { add_device_table(gpu, arrays); }),
            "the Arrow arrays are on GPU 3, but the session uses cuda:0");
  EXPECT_EQ(arrays.released(), 1);
}

TEST_F(AddTableOnGpu, ResultsGoOutAndComeBack) {
  ArrowDeviceArrayStream stream;
  TextRows expected;
  {
    Session gpu(options("cuda"));
    DeviceArrays arrays(table_of(0, 500, 200), *gpu_);
    add_device_table(gpu, arrays);
    const StatementResult result = gpu.run("SELECT c3, c0, c12, c16, c19, c9 FROM t WHERE c10 > 5");
    expected = text_of(result.table);
    gpu.to_device(result.table, &stream);
    EXPECT_EQ(stream.device_type, ARROW_DEVICE_CUDA);
  }
  Session other(options("cuda"));  // the exported data outlives its session
  other.add_table("r", &stream);
  EXPECT_EQ(answer(other, "FROM r"), expected);
}

TEST_F(AddTableOnGpu, ManyRowsStay) {
  ArrowDeviceArrayStream stream;
  TextRows expected;
  std::shared_ptr<RowsOnDevice> rows;
  const char* const query = "SELECT c0, c3, c12, c13, c16, c20, c9 FROM t WHERE c10 > 5";
  {
    SessionOptions some = options("cuda");
    some.device_rows = 8192;  // several batches
    Session gpu(some);
    DeviceArrays arrays(table_of(0, 20'000, 20'000), *gpu_);
    add_device_table(gpu, arrays);
    expected = answer(gpu, query);
    const StatementResult result = gpu.run(query, true, {}, true);
    ASSERT_NE(result.on_device, nullptr);
    EXPECT_TRUE(result.table.batches.empty());
    EXPECT_EQ(result.on_device->rows(), static_cast<int64_t>(expected.size()));
    EXPECT_EQ(text_of(result.on_device->on_host()), expected);
    ASSERT_TRUE(result.on_device->export_rows(&stream));
    rows = gpu.run(query, true, {}, true).on_device;
  }
  EXPECT_EQ(text_of(rows->on_host()), expected) << "they came to the host with the session's end";
  ArrowDeviceArrayStream none{};
  EXPECT_FALSE(rows->export_rows(&none));
  Session other(options("cuda"));
  other.add_table("r", &stream);
  EXPECT_EQ(answer(other, "FROM r"), expected);
}

}  // namespace
}  // namespace lanewise
