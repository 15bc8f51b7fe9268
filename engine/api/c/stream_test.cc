#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "api/c/testing/opened.h"
#include "data/arrow/arrow.h"

namespace lanewise::c {
namespace {

using ::testing::HasSubstr;

TEST(CStream, StreamsRowsOfARunningStatement) {
  const Opened opened;
  lw_stream* stream = nullptr;
  ASSERT_EQ(lw_session_stream(opened.session, "SELECT i, [i] AS l FROM range(300000) AS r(i)", nullptr,
                              nullptr, &stream, nullptr),
            LW_OK);
  lw_result* result = nullptr;
  Error busy;
  EXPECT_EQ(opened.run("SELECT 1", &busy.error, &result), LW_ERROR_USER);
  EXPECT_THAT(busy.message(), HasSubstr("still being read"));
  ArrowArray first;
  ASSERT_EQ(lw_stream_next(stream, &first, nullptr), LW_OK);
  const int64_t rows_before = first.length;
  EXPECT_GT(rows_before, 0);
  first.release(&first);
  ArrowArrayStream rest;
  ASSERT_EQ(lw_stream_rest(stream, &rest, nullptr), LW_OK);
  Error gone;
  EXPECT_EQ(lw_stream_next(stream, &first, &gone.error), LW_ERROR_USER);
  EXPECT_THAT(gone.message(), HasSubstr("were given"));
  lw_stream_close(stream);
  ArrowSchema schema;
  ASSERT_EQ(rest.get_schema(&rest, &schema), 0);
  EXPECT_STREQ(schema.children[1]->format, "+l");
  schema.release(&schema);
  int64_t left = 0;
  for (ArrowArray next; rest.get_next(&rest, &next) == 0 && next.release != nullptr; next.release(&next))
    left += next.length;
  EXPECT_EQ(rows_before + left, 300'000);
  rest.release(&rest);
  ASSERT_EQ(opened.run("SELECT 1", nullptr, &result), LW_OK);
  lw_result_close(result);
}

TEST(CStream, AStreamOfArrowsTellsItsError) {
  const Opened opened;
  lw_stream* stream = nullptr;
  ASSERT_EQ(lw_session_stream(opened.session, "SELECT ('x' || i)::INTEGER FROM range(9) AS r(i)", nullptr,
                              nullptr, &stream, nullptr),
            LW_OK);
  ArrowArrayStream rest;
  ASSERT_EQ(lw_stream_rest(stream, &rest, nullptr), LW_OK);
  lw_stream_close(stream);
  ArrowArray next;
  EXPECT_EQ(rest.get_next(&rest, &next), EINVAL);
  EXPECT_THAT(rest.get_last_error(&rest), HasSubstr("Could not convert"));
  rest.release(&rest);
}

}  // namespace
}  // namespace lanewise::c
