#include "plan/pipeline/pipeline_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/testing/fake_source.h"
#include "plan/node.h"

namespace lanewise::plan {
namespace pipeline_text_test {

using testing::ElementsAre;

NodePtr one_column(const char* name) {
  auto table = std::make_shared<Table>();
  table->schema = {{name, TypeId::kInt64}};
  return values(table);
}

NodePtr joined(JoinKind kind, bool has_key) {
  Join on;
  on.kind = kind;
  if (has_key) on.keys.push_back({column(0, TypeId::kInt64), column(0, TypeId::kInt64)});
  if (gives_left(kind)) on.left = {0};
  if (gives_right(kind)) on.right = {0};
  return join(one_column("l"), one_column("r"), on);
}

std::vector<std::string> lines_of_pipelines(const NodePtr& plan) {
  std::vector<std::string> lines;
  for (const PipelineText& text : texts_of(split(*plan))) lines.push_back(to_string(text));
  return lines;
}

TEST(PipelineText, NamesSourcesStepsAndSinks) {
  EXPECT_THAT(lines_of_pipelines(limit(joined(JoinKind::kSemi, true), 3)),
              ElementsAre("pipeline 1: Values → lookup for semi Join, chosen when its keys are known",
                          "pipeline 2: Values → semi Join with 1 → Limit; after 1"));
  EXPECT_THAT(lines_of_pipelines(joined(JoinKind::kFull, false)),
              ElementsAre("pipeline 1: Values → rows for full Join",
                          "pipeline 2: (Values → full Join with 1) + (rows of 1 without a match) → Result; "
                          "after 1"));
  EXPECT_THAT(lines_of_pipelines(limit(limit(one_column("a"), 3), 2)),
              ElementsAre("pipeline 1: Values → Limit", "pipeline 2: result of 1 → Limit; after 1"));
}

}  // namespace pipeline_text_test
}  // namespace lanewise::plan
