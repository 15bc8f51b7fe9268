#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>

#include "base/error.h"
#include "sql/testing/scanned_rows.h"

namespace lanewise::sql {
namespace {

constexpr int kThreads = 4;
constexpr int kLines = 120'000;   // four buffers of 16 MiB
constexpr int kBadLine = 32'300;  // in the second buffer, among the first rows that are read of it

std::string line_of(int i, const std::string& filler) {
  return R"({"i": )" + std::to_string(i) + R"(, "s": "\u00e9)" + filler + "\"}\n";
}

/// A second thread continues to read after a first one was cancelled.
void expect_no_waiting(const Query& query) {
  const plan::Scan& scan = scan_of(*query.root);
  Cancellation cancellation;
  const auto reading = scan.source->scan(scan.columns, BatchSize::kKept, nullptr, &cancellation);
  const auto first = reading->worker(), second = reading->worker();
  cancellation.cancel();
  EXPECT_THROW(first->next(), CancelledError);
  cancellation.reset();
  EXPECT_TRUE(second->next());
}

class JsonLines : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream good(folder_.file("good.ndjson")), bad(folder_.file("bad.ndjson"));
    std::ofstream array(folder_.file("array.json"));
    const std::string filler(500, 'x');
    for (int i = 0; i < kLines; ++i) {
      const std::string line = line_of(i, filler);
      good << line;
      bad << (i == kBadLine ? "{\"i\": oops}\n" : line);
      array << (i == 0 ? "[" : ",") << line;
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

/// The sum of the first column, by several threads, each of which stops after `most` batches.
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
  // In the file's order.
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
  EXPECT_GT(threads("*.ndjson", ""), 1u);
  EXPECT_EQ(threads("*", columns), 1u);
  EXPECT_EQ(threads("*", ", format = 'array'" + columns), 3u);
}

/// DuckDB's reader waits forever if the previous thread has not read the buffer that it claimed.
TEST_F(JsonLines, AThreadThatStopsReadsItsBuffer) { expect_no_waiting(plan("good.ndjson")); }

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

/// Several files: fewer than threads, so that each thread takes buffers, or as many, so that each takes
/// files.
struct Files {
  const char* name;
  int number;
  int lines;  // of each
  int filler;
};

class JsonFiles : public testing::TestWithParam<Files> {
 protected:
  /// Writes the files, of which `bad` has a malformed line, in its second buffer if there is one.
  Query plan(int bad = -1) {
    const Files& files = GetParam();
    const std::string filler(static_cast<size_t>(files.filler), 'x');
    for (int file = 0; file < files.number; ++file) {
      std::ofstream out(folder_.file(std::to_string(file) + ".json"));
      for (int i = 0; i < files.lines; ++i)
        out << (file == bad && i == files.lines * 3 / 4 ? "{\"i\": oops}\n"
                                                        : line_of(file * files.lines + i, filler));
    }
    return database_.plan("FROM read_ndjson('" + folder_.file("*.json") +
                          "', columns = {i: 'BIGINT', s: 'VARCHAR'})");
  }

  TemporaryFolder folder_;
  Database database_{DatabaseOptions{.threads = kThreads}};
};

INSTANTIATE_TEST_SUITE_P(Parts, JsonFiles,
                         testing::Values(Files{"buffers", kThreads - 1, 45'000, 500},
                                         Files{"files", kThreads + 2, 30'000, 5}),
                         [](const auto& info) { return info.param.name; });

TEST_P(JsonFiles, AllThreadsReadThemInOrder) {
  const Query query = plan();
  const plan::Scan& scan = scan_of(*query.root);
  EXPECT_EQ(scan.source->scan(scan.columns, BatchSize::kKept, nullptr, nullptr)->max_workers(),
            size_t{kThreads});
  for (const BatchSize size : {BatchSize::kKept, BatchSize::kPassing}) {
    int64_t row = 0;
    for (const Batch& batch : batches_of(*scan.source, scan.columns, kThreads, size)) {
      for (int64_t i = 0; i < batch.rows; ++i) ASSERT_EQ(batch.columns[0]->values.as<int64_t>()[i], row++);
    }
    EXPECT_EQ(row, int64_t{GetParam().number} * GetParam().lines);
  }
}

TEST_P(JsonFiles, ABadLineHasItsFileAndNumber) {
  const int last = GetParam().number - 1;
  for (const int bad : {0, last / 2, last}) {
    const Query query = plan(bad);
    const plan::Scan& scan = scan_of(*query.root);
    const std::string expected =
        std::to_string(bad) + ".json\", at byte 7 in line " + std::to_string(GetParam().lines * 3 / 4 + 2);
    try {
      batches_of(*scan.source, scan.columns, kThreads);
      FAIL() << "no error";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
}

TEST_P(JsonFiles, NoThreadWaitsForOneThatWasCancelled) { expect_no_waiting(plan()); }

/// As with LIMIT and with Ctrl-C: nothing waits for a thread that has stopped.
TEST_P(JsonFiles, ThreadsMayStop) {
  for (const int bad : {-1, 0, GetParam().number - 1}) {
    const Query query = plan(bad);
    const plan::Scan& scan = scan_of(*query.root);
    for (int round = 0; round < 6; ++round) {
      Cancellation cancellation;
      const auto reading = scan.source->scan(scan.columns, BatchSize::kPassing, nullptr, &cancellation);
      std::thread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(round * 4));
        if (round % 2 == 0) cancellation.cancel();
      });
      sum(*reading, round % 2 == 0 ? INT32_MAX : round / 2);
      canceller.join();
    }
  }
}

}  // namespace
}  // namespace lanewise::sql
