#include "shell/statement_text.h"

#include <gtest/gtest.h>

namespace lanewise::cli {
namespace {

TEST(StatementText, EndsOutsideQuotesAndComments) {
  for (const char* text :
       {"SELECT 1;", "SELECT 1; ", "SELECT 1; -- done", "SELECT ';';", "SELECT 1;\n/* a; */\n",
        "SELECT $$a;$$;", "SELECT $x$ $$; $x$;", "SELECT \"a;\" FROM t;", "SELECT 'it''s';",
        "/* /* a */ b */ SELECT 1;", "SELECT $1;"})
    EXPECT_TRUE(ends_with_statement(text)) << text;
  for (const char* text : {"", "SELECT 1", "SELECT ';", "SELECT 1 -- ;", "/* a;", "/* /* a */ ;",
                           "SELECT $$;", "SELECT \";", "SELECT 1; SELECT 2", "SELECT 'it''s;"})
    EXPECT_FALSE(ends_with_statement(text)) << text;
}

TEST(StatementText, FindsTheStringThatIsOpen) {
  size_t begin = 0;
  EXPECT_TRUE(in_string("SELECT * FROM 'a/b", begin));
  EXPECT_EQ(begin, 14);
  EXPECT_FALSE(in_string("SELECT 'a', \"it's\"", begin));
  EXPECT_FALSE(in_string("-- it's\nSELECT", begin));
}

TEST(StatementText, KnowsWhatIsBlank) {
  EXPECT_TRUE(is_blank(" \n-- a\n/* b */ "));
  EXPECT_FALSE(is_blank("-- a\n1"));
}

}  // namespace
}  // namespace lanewise::cli
