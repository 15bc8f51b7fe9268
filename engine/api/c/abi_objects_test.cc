// Indexes, programs and graphs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "api/c/lanewise.h"
#include "api/c/testing/opened.h"
#include "data/arrow/arrow.h"

namespace {

using lanewise::c::Error, lanewise::c::Opened;
using ::testing::HasSubstr;

/// One struct array with the numbers as its field.
struct Numbers {
  explicit Numbers(const std::vector<int64_t>& numbers) {
    std::vector<lanewise::Value> values;
    for (const int64_t number : numbers) values.push_back(lanewise::Value::int64(number));
    const lanewise::Type type = lanewise::TypeId::kInt64;
    const auto rows = static_cast<int64_t>(numbers.size());
    ArrowArrayStream stream;
    lanewise::arrow::export_stream({{{"n", type}}, {{rows, {lanewise::make_column(type, values)}}}}, &stream);
    stream.get_schema(&stream, &schema);
    stream.get_next(&stream, &array);
    stream.release(&stream);
  }
  ArrowSchema schema;
  ArrowArray array;
};

TEST(CAbi, IndexesFindAndChange) {
  Numbers keys({30, 10, 20, 10}), wanted({10, 25}), lows({10}), highs({30}), gone({10});
  lw_index* index = nullptr;
  ASSERT_EQ(lw_index_build(&keys.schema, &keys.array, nullptr, nullptr, 0, &index, nullptr), LW_OK);
  int64_t rows[2], found = 0, changed = 0;
  ASSERT_EQ(lw_index_find(index, &wanted.schema, &wanted.array, rows, &found, nullptr), LW_OK);
  EXPECT_THAT(rows, ::testing::ElementsAre(1, -1));
  EXPECT_EQ(found, 1);
  ArrowArrayStream stream;
  ASSERT_EQ(
      lw_index_range(index, &lows.schema, &lows.array, &highs.schema, &highs.array, -1, &stream, nullptr),
      LW_OK);
  const lanewise::Table range = lanewise::arrow::import_stream(&stream);
  EXPECT_EQ(range.rows(), 3);
  EXPECT_EQ(range.value(2, 1), lanewise::Value::int64(20));
  ASSERT_EQ(lw_index_change(index, LW_ERASE, &gone.schema, &gone.array, nullptr, &changed, nullptr), LW_OK);
  EXPECT_EQ(changed, 2);
  EXPECT_EQ(lw_index_size(index), 2);
  lw_index_close(index);
}

TEST(CAbi, IndexesReleaseKeysThatAreWrong) {
  Numbers keys({1, 1});
  const lw_option unique[] = {{"unique", "true"}};
  lw_index* index = nullptr;
  Error error;
  EXPECT_EQ(lw_index_build(&keys.schema, &keys.array, nullptr, unique, 1, &index, &error.error),
            LW_ERROR_USER);
  EXPECT_THAT(error.message(), HasSubstr("unique"));
  EXPECT_EQ(keys.array.release, nullptr);
}

TEST(CAbi, ProgramsRun) {
  lw_program* program = nullptr;
  ASSERT_EQ(lw_program_open("mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nB[p] = A[p] + 1\n",
                            "mine", &program, nullptr),
            LW_OK);
  EXPECT_STREQ(lw_program_mode(program), "EREW");
  const int64_t words[] = {1, 2, 3};
  const lw_cells inputs[] = {{"A", LW_INT, 1, {3, 0}, words}};
  lw_run* run = nullptr;
  ASSERT_EQ(lw_program_run(program, inputs, 1, nullptr, 0, nullptr, &run, nullptr), LW_OK);
  lw_cells output;
  ASSERT_EQ(lw_run_output(run, 0, &output), 1);
  EXPECT_STREQ(output.name, "B");
  EXPECT_EQ(output.words[2], 4);
  EXPECT_EQ(lw_run_output(run, 1, &output), 0);
  EXPECT_EQ(lw_run_cost(run).work, 3);
  lw_run_close(run);

  Error error;
  const lw_option few[] = {{"max_steps", "0"}};
  EXPECT_EQ(lw_program_run(program, inputs, 1, few, 1, nullptr, &run, &error.error), LW_ERROR_PROGRAM);
  lw_program_close(program);
}

TEST(CAbi, CancelledProgramsEnd) {
  lw_program* program = nullptr;
  ASSERT_EQ(lw_program_open("mode EREW\noutput s : int\nprocessors 1\nwhile true { s = s + 1 }\n", "mine",
                            &program, nullptr),
            LW_OK);
  lw_cancellation* cancellation = lw_cancellation_new();
  lw_cancellation_cancel(cancellation);
  lw_run* run = nullptr;
  EXPECT_EQ(lw_program_run(program, nullptr, 0, nullptr, 0, cancellation, &run, nullptr), LW_ERROR_CANCELLED);
  lw_cancellation_free(cancellation);
  lw_program_close(program);
}

TEST(CAbi, GraphsAnswerQuestions) {
  const std::vector<int64_t> source{0, 1, 3}, target{1, 2, 4};
  Error error;
  lw_graph* graph = nullptr;
  ASSERT_EQ(lw_graph_open(-1, source.data(), target.data(), nullptr, 3, nullptr, 0, &graph, &error.error),
            LW_OK)
      << error.message();
  ASSERT_EQ(lw_graph_vertices(graph), 5);
  EXPECT_EQ(lw_graph_edges(graph), 3);
  std::vector<int64_t> numbers(5);
  EXPECT_EQ(lw_graph_components(graph, numbers.data(), nullptr), LW_OK);
  EXPECT_EQ(numbers, (std::vector<int64_t>{0, 0, 0, 3, 3}));
  int64_t count = 0;
  EXPECT_EQ(lw_graph_path(graph, 0, 2, numbers.data(), &count, nullptr, nullptr), LW_OK);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(lw_graph_path(graph, 2, 0, numbers.data(), &count, nullptr, nullptr), LW_OK);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(lw_graph_levels(graph, 5, numbers.data(), &error.error), LW_ERROR_USER);
  lw_error_release(&error.error);
  lw_cancellation* cancellation = lw_cancellation_new();
  lw_cancellation_cancel(cancellation);
  std::vector<double> matrix(25);
  EXPECT_EQ(lw_graph_distances(graph, matrix.data(), cancellation, nullptr), LW_OK);  // the arrays are kept
  lw_graph_close(graph);
  ASSERT_EQ(lw_graph_open(-1, source.data(), target.data(), nullptr, 3, nullptr, 0, &graph, nullptr), LW_OK);
  EXPECT_EQ(lw_graph_distances(graph, matrix.data(), cancellation, nullptr), LW_ERROR_CANCELLED);
  lw_cancellation_free(cancellation);
  EXPECT_EQ(lw_graph_components(graph, nullptr, &error.error), LW_ERROR_USER);
  EXPECT_THAT(error.message(), HasSubstr("'label'"));
  lw_error_release(&error.error);
  lw_graph_close(graph);
  lw_graph_close(nullptr);
  EXPECT_EQ(lw_graph_open(-1, nullptr, target.data(), nullptr, 3, nullptr, 0, &graph, nullptr),
            LW_ERROR_USER);
}

}  // namespace
