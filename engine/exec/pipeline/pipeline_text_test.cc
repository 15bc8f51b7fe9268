#include "exec/pipeline/pipeline_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/testing/fake_source.h"
#include "plan/node.h"

namespace lanewise::exec {
namespace pipeline_text_test {

using testing::ElementsAre;

plan::NodePtr one_column(const char* name) {
  auto table = std::make_shared<Table>();
  table->schema = {{name, TypeId::kInt64}};
  return plan::values(table);
}

plan::NodePtr joined(plan::JoinKind kind, bool has_key) {
  plan::Join join;
  join.kind = kind;
  if (has_key) join.keys.push_back({column(0, TypeId::kInt64), column(0, TypeId::kInt64)});
  if (plan::gives_left(kind)) join.left = {0};
  if (plan::gives_right(kind)) join.right = {0};
  return plan::join(one_column("l"), one_column("r"), join);
}

std::vector<std::string> lines_of_pipelines(const plan::NodePtr& plan) {
  std::vector<std::string> lines;
  for (const PipelineText& text : texts_of(split(*plan))) lines.push_back(to_string(text));
  return lines;
}

TEST(PipelineText, NamesSourcesStepsAndSinks) {
  EXPECT_THAT(lines_of_pipelines(plan::limit(joined(plan::JoinKind::kSemi, true), 3)),
              ElementsAre("pipeline 1: Values → lookup for semi Join, chosen when its keys are known",
                          "pipeline 2: Values → semi Join with 1 → Limit; after 1"));
  EXPECT_THAT(lines_of_pipelines(joined(plan::JoinKind::kFull, false)),
              ElementsAre("pipeline 1: Values → rows for full Join",
                          "pipeline 2: (Values → full Join with 1) + (rows of 1 without a match) → Result; "
                          "after 1"));
  EXPECT_THAT(lines_of_pipelines(plan::limit(plan::limit(one_column("a"), 3), 2)),
              ElementsAre("pipeline 1: Values → Limit", "pipeline 2: result of 1 → Limit; after 1"));
}

}  // namespace pipeline_text_test
}  // namespace lanewise::exec
