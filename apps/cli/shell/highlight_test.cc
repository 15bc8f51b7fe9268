#include "shell/highlight.h"

#include <gtest/gtest.h>

namespace lanewise::cli {
namespace {

/// One letter for each byte.
std::string letters(const std::vector<Highlight>& highlights) {
  std::string out;
  for (const Highlight highlight : highlights) out += ".ksnco"[static_cast<size_t>(highlight)];
  return out;
}

std::string sql(std::string_view line, std::string_view before = "") {
  return letters(highlight_sql(before, line, {"select", "as", "from"}));
}

TEST(Highlight, Tokens) {
  EXPECT_EQ(sql("SELECT a1 As x"), "kkkkkk....kk..");
  EXPECT_EQ(sql("selects _from"), ".............");
  EXPECT_EQ(sql("1+.5-1e-3*0xFf"), "n.nn.nnnn.nnnn");
  EXPECT_EQ(sql("t1.a[2]"), ".....n.");
  EXPECT_EQ(sql("'it''s' \"from\""), "sssssss.......");
  EXPECT_EQ(sql("E'\\'' $x$a$x$ $1"), "sssss.sssssss..n");
  EXPECT_EQ(sql("/* /* */ */a--b"), "ccccccccccc.ccc");
}

TEST(Highlight, WhatIsOpen) {
  EXPECT_EQ(sql("(a"), "o.");
  EXPECT_EQ(sql("(a)"), "...");
  EXPECT_EQ(sql("(a]"), "o.o");
  EXPECT_EQ(sql("a)"), ".o");
  EXPECT_EQ(sql("(;)"), "o.o");
  EXPECT_EQ(sql("('('"), "osss");
  EXPECT_EQ(sql("'a"), "os");
  EXPECT_EQ(sql("\"a"), "o.");
  EXPECT_EQ(sql("/*a"), "occ");
  EXPECT_EQ(sql("$$a"), "oss");
}

TEST(Highlight, GoesOnFromEarlierLines) {
  EXPECT_EQ(sql("a' from", "select 'b\n"), "ss.kkkk");
  EXPECT_EQ(sql("a)", "select (\n"), "..");
  EXPECT_EQ(sql("from", "select -- a\n"), "kkkk");
}

TEST(Highlight, DotCommands) {
  EXPECT_EQ(letters(highlight_dot_command(".mode csv", {".mode"})), "kkkkk....");
  EXPECT_EQ(letters(highlight_dot_command(".mod csv", {".mode"})), "........");
}

}  // namespace
}  // namespace lanewise::cli
