#include "shell/painted_line.h"

#include <gtest/gtest.h>

#include <clocale>

namespace lanewise::cli {
namespace {

constexpr LinePlace kPlace{2, 6, 3};  // a prompt of 2 cells on a screen of 6 x 3

class PaintedLine : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr); }
};

std::string painted(std::string_view line, size_t cursor) {
  return painted_line(line, cursor, std::vector<Highlight>(line.size(), Highlight::kPlain), kPlace);
}

TEST_F(PaintedLine, IsWrittenOverTheFirstOne) {
  EXPECT_EQ(painted("abc", 3), "\r\x1b[2Cabc\r\x1b[5C");
  EXPECT_EQ(painted("abc", 0), "\r\x1b[2Cabc\r\x1b[2C");
  EXPECT_EQ(painted_line("ab", 2, {Highlight::kString, Highlight::kPlain}, kPlace),
            "\r\x1b[2C\x1b[0;32ma\x1b[0mb\r\x1b[4C");
}

TEST_F(PaintedLine, RowsAreFull) {
  EXPECT_EQ(painted("abcd", 4), "\r\x1b[1A\x1b[2Cabcd\r\x1b[1B");
  EXPECT_EQ(painted("abcdef", 1), "\r\x1b[2Cabcd\r\x1b[1Bef\r\x1b[1A\x1b[3C");
  EXPECT_EQ(painted("a\nb", 3), "\r\x1b[1A\x1b[2Ca\r\x1b[1Bb\r\x1b[1C");
}

TEST_F(PaintedLine, WideCharactersAreNotDivided) {
  EXPECT_EQ(painted("abc日", 0), "\r\x1b[2Cabc\r\x1b[1B日\r\x1b[1A\x1b[2C");
  EXPECT_EQ(cell_of("abc日", 3, kPlace).row, 1);
  EXPECT_EQ(cell_of("ab日", 2, kPlace).row, 0);
}

TEST_F(PaintedLine, WhatLibeditDrawsOtherwiseIsLeft) {
  EXPECT_EQ(painted("", 0), "");
  EXPECT_EQ(painted("e\u0301", 0), "");
  EXPECT_EQ(painted("a\x01", 0), "");
  EXPECT_EQ(painted("a\xFF", 0), "");
  EXPECT_NE(painted(std::string(15, 'a'), 0), "");
  EXPECT_EQ(painted(std::string(16, 'a'), 0), "");
}

}  // namespace
}  // namespace lanewise::cli
