#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>

#include "base/error.h"
#include "sql/scanned_rows.h"

namespace lanewise::sql {
namespace {

constexpr int kThreads = 4;
constexpr int kLines = 120'000;   // four buffers of 16 MiB
constexpr int kBadLine = 32'300;  // in the second buffer, among the first rows that are read of it

class JsonLines : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream good(folder_.file("good.ndjson")), bad(folder_.file("bad.ndjson"));
    std::ofstream array(folder_.file("array.json"));
    const std::string filler(500, 'x');
    for (int i = 0; i < kLines; ++i) {
      const std::string line = R"({"i": )" + std::to_string(i) + R"(, "s": "\u00e9)" + filler + "\"}";
      good << line << '\n';
      bad << (i == kBadLine ? R"({"i": oops})" : line) << '\n';
      array << (i == 0 ? "[" : ",") << line << '\n';
    }
    array << "]\n";
  }

  Query plan(const std::string& file) {
    return database_.plan("FROM read_ndjson('" + folder_.file(file) +
                          "', columns = {i: 'BIGINT', s: 'VARCHAR'})");
  }

  TemporaryFolder folder_;
  Database database_{DatabaseOptions{.threads = kThreads}};
};

/// The first column's sum by several threads, each of which stops after `most` batches.
int64_t sum(Scan& scan, int most = INT32_MAX) {
  std::atomic<int64_t> total{0}, failed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      try {
        const auto worker = scan.worker();
        for (int batch = 0; batch < most; ++batch) {
          const auto next = worker->next();
          if (!next) return;
          for (int64_t row = 0; row < next->batch.rows; ++row)
            total += next->batch.columns[0]->values.as<int64_t>()[row];
        }
      } catch (const UserError&) {
        ++failed;
      } catch (const CancelledError&) {
        ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failed > 0 ? -1 : total.load();
}

TEST_F(JsonLines, ThreadsShareAFileOfLines) {
  const Query query = plan("good.ndjson");
  const plan::Scan& scan = scan_of(*query.root);
  const auto reading = scan.source->scan(scan.columns, BatchSize::kKept, nullptr, nullptr);
  EXPECT_EQ(reading->max_workers(), size_t{kThreads});
  EXPECT_EQ(sum(*reading), int64_t{kLines} * (kLines - 1) / 2);
  // The order is that of the file.
  int64_t row = 0;
  for (const Batch& batch : batches_of(*scan_of(*plan("good.ndjson").root).source, scan.columns, kThreads)) {
    for (int64_t i = 0; i < batch.rows; ++i) ASSERT_EQ(batch.columns[0]->values.as<int64_t>()[i], row++);
  }
}

TEST_F(JsonLines, OnlyLinesAreShared) {
  const auto threads = [&](const std::string& file, const std::string& options) {
    const Query query = database_.plan("FROM read_json('" + folder_.file(file) + "'" + options + ")");
    const plan::Scan& scan = scan_of(*query.root);
    return scan.source->scan(scan.columns, BatchSize::kKept, nullptr, nullptr)->max_workers();
  };
  const std::string columns = ", columns = {i: 'BIGINT', s: 'VARCHAR'}";
  EXPECT_GT(threads("good.ndjson", ""), 1u);
  EXPECT_GT(threads("good.ndjson", ", format = 'ND'" + columns), 1u);
  EXPECT_EQ(threads("array.json", ""), 1u);
  EXPECT_EQ(threads("array.json", ", format = 'array'"), 1u);
  EXPECT_EQ(threads("array.json", ", format = 'array'" + columns), 1u);
  EXPECT_EQ(threads("array.json", columns), 1u);
  EXPECT_GT(threads("good.ndjson", columns), 1u);
  EXPECT_EQ(threads("*.ndjson", ""), 1u);
}

/// DuckDB's reader waits for ever where the thread before has not read the buffer that it claimed.
TEST_F(JsonLines, AThreadThatStopsReadsItsBuffer) {
  const Query query = plan("good.ndjson");
  const plan::Scan& scan = scan_of(*query.root);
  Cancellation cancellation;
  const auto reading = scan.source->scan(scan.columns, BatchSize::kKept, nullptr, &cancellation);
  const auto first = reading->worker(), second = reading->worker();
  cancellation.cancel();
  EXPECT_THROW(first->next(), CancelledError);
  cancellation.reset();
  EXPECT_TRUE(second->next());
}

TEST_F(JsonLines, ThreadsMayStop) {
  for (int round = 0; round < 30; ++round) {
    const Query query = plan(round % 2 == 0 ? "good.ndjson" : "bad.ndjson");
    const plan::Scan& scan = scan_of(*query.root);
    Cancellation cancellation;
    const auto size = round % 4 < 2 ? BatchSize::kPassing : BatchSize::kKept;
    const auto reading = scan.source->scan(scan.columns, size, nullptr, &cancellation);
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(round * 3));
      if (round % 3 == 0) cancellation.cancel();
    });
    sum(*reading, round % 5 == 0 ? INT32_MAX : round % 5);
    canceller.join();
  }
}

TEST_F(JsonLines, ThreadsMayFail) {
  for (int round = 0; round < 5; ++round) {
    const Query query = plan("bad.ndjson");
    const plan::Scan& scan = scan_of(*query.root);
    MemoryBudget budget(size_t{12} << 20);  // less than a buffer
    const auto reading = scan.source->scan(scan.columns, BatchSize::kKept, &budget, nullptr);
    EXPECT_EQ(sum(*reading), -1);
  }
}

TEST_F(JsonLines, ABadLineHasItsNumber) {
  const Query query = plan("bad.ndjson");
  const plan::Scan& scan = scan_of(*query.root);
  try {
    batches_of(*scan.source, scan.columns, kThreads);
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("bad.ndjson\", at byte 7 in line 32302"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace lanewise::sql
