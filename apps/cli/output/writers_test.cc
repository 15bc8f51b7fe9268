#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "base/testing/temporary_folder.h"
#include "output/display.h"
#include "output/result_writer.h"

namespace lanewise::cli {
namespace {

std::string written(ResultWriter& writer, const Table& table) {
  const TemporaryFolder folder;
  const std::string path = folder.file("table");
  OutputFile out(path);
  writer.write(batches_of(table), out);
  out.close();
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Table sample() {
  Table table;
  table.schema = {{"name", TypeId::kVarchar}, {"n", TypeId::kInt64}, {"n", TypeId::kFloat64}};
  const auto text = make_column(TypeId::kVarchar,
                                {Value::varchar("a,\"b\"|"), Value::varchar(""), Value(TypeId::kVarchar)});
  const auto n =
      make_column(TypeId::kInt64, {Value::int64(-1), Value::int64(1234567), Value(TypeId::kInt64)});
  const auto x =
      make_column(TypeId::kFloat64, {Value::float64(0.5), Value::float64(NAN), Value(TypeId::kFloat64)});
  table.batches.push_back({3, {text, n, x}});
  return table;
}

TEST(Writers, Csv) {
  EXPECT_EQ(written(*make_csv_writer(), sample()),
            "name,n,n\n\"a,\"\"b\"\"|\",-1,0.5\n\"\",1234567,nan\n,,\n");
}

TEST(Writers, Json) {
  EXPECT_EQ(
      written(*make_json_writer(false), sample()),
      "[\n{\"name\":\"a,\\\"b\\\"|\",\"n\":-1,\"n_1\":0.5},\n{\"name\":\"\",\"n\":1234567,\"n_1\":\"nan\"},\n"
      "{\"name\":null,\"n\":null,\"n_1\":null}\n]\n");
  EXPECT_EQ(
      written(*make_json_writer(true), sample()),
      "{\"name\":\"a,\\\"b\\\"|\",\"n\":-1,\"n_1\":0.5}\n{\"name\":\"\",\"n\":1234567,\"n_1\":\"nan\"}\n"
      "{\"name\":null,\"n\":null,\"n_1\":null}\n");
  Table empty = sample();
  empty.batches.clear();
  EXPECT_EQ(written(*make_json_writer(false), empty), "[]\n");
  EXPECT_EQ(written(*make_json_writer(true), empty), "");
}

TEST(Writers, Markdown) {
  EXPECT_EQ(written(*make_markdown_writer(), sample()),
            "| name | n | n |\n| --- | ---: | ---: |\n| a,\"b\"\\| | -1 | 0.5 |\n|  | 1234567 | nan |\n"
            "| NULL | NULL | NULL |\n\n");
}

TEST(Writers, TableAlignsAndCounts) {
  EXPECT_EQ(written(*make_table_writer({}), sample()),
            "name           n       n\n"
            "varchar   bigint  double\n"
            "───────  ───────  ──────\n"
            "a,\"b\"|        -1     0.5\n"
            "         1234567     nan\n"
            "NULL        NULL    NULL\n"
            "3 rows\n");
}

TEST(Writers, TableIsCutToTheTerminal) {
  Table table;
  table.schema = {{"text", TypeId::kVarchar}, {"i", TypeId::kInt64}};
  for (int64_t batch = 0; batch < 3; ++batch) {
    std::vector<Value> texts;
    std::vector<Value> numbers;
    for (int64_t i = 0; i < 100; ++i) {
      texts.push_back(Value::varchar(std::string(200, 'x')));
      numbers.push_back(Value::int64(batch * 100 + i));
    }
    table.batches.push_back(
        {100, {make_column(TypeId::kVarchar, texts), make_column(TypeId::kInt64, numbers)}});
  }
  const std::string text = written(*make_table_writer({40, 10, false}), table);
  EXPECT_NE(text.find("300 rows, 10 shown"), std::string::npos) << text;
  EXPECT_NE(text.find("  299\n"), std::string::npos) << text;
  EXPECT_NE(text.find("     4\n⋮\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("  150\n"), std::string::npos) << text;
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    EXPECT_LE(display_width(text.substr(start, end - start)), 40);
    start = end + 1;
  }
}

TEST(Display, ShowsWhatATerminalCannot) {
  EXPECT_EQ(printable(std::string("a\n\t\x1b\0é\xff", 8)), "a\\n\\t\\x1B\\x00é\xEF\xBF\xBD");
  EXPECT_EQ(display_width("日本e\xCC\x81"), 5);
  EXPECT_EQ(fit("日本語", 5), "日本…");
  EXPECT_EQ(fit("abc", 3), "abc");
  EXPECT_EQ(fit("abcd", 3), "ab…");
}

TEST(OutputFile, LeavesNothingHalfDone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("half");
  {
    OutputFile out(path);
    out.write("x");
  }
  EXPECT_FALSE(std::ifstream(path).good());
  EXPECT_THROW(OutputFile("/nonexistent/folder/file"), UserError);
  OutputFile full("/dev/full");
  full.write("x");
  EXPECT_THROW(full.close(), UserError);
}

TEST(Numbers, HaveCommas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(-1000), "-1,000");
  EXPECT_EQ(with_commas(7312345), "7,312,345");
  EXPECT_EQ(with_commas(-123), "-123");
}

}  // namespace
}  // namespace lanewise::cli
