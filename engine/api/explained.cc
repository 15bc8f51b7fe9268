#include "api/explained.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "plan/drawing.h"

namespace lanewise {

namespace {

using Json = nlohmann::ordered_json;

Table table_of_plan(const std::vector<Value>& lines) {
  return {{{"plan", TypeId::kVarchar}},
          {{static_cast<int64_t>(lines.size()), {make_column(TypeId::kVarchar, lines)}}}};
}

/// Takes the first operator and its inputs from `profile`.
plan::Drawing take(std::span<const ops::OperatorProfile>& profile) {
  const ops::OperatorProfile& op = profile.front();
  plan::Drawing box{op.name, {}, {}};
  if (!op.details.empty()) box.facts.push_back({"details", op.details});
  box.facts.push_back({"rows_in", std::to_string(op.rows_in), true});
  box.facts.push_back({"rows_out", std::to_string(op.rows_out), true});
  box.facts.push_back({"seconds", fmt::format("{:.6f}", static_cast<double>(op.nanos) * 1e-9), true});
  box.facts.push_back({"bytes_read", std::to_string(op.bytes), true});
  if (!op.target.empty()) box.facts.push_back({"target", op.target});
  if (!op.keys.empty()) box.facts.push_back({"keys", fmt::format("{}", fmt::join(op.keys, "; "))});
  profile = profile.subspan(1);
  while (!profile.empty() && profile.front().depth > op.depth) box.inputs.push_back(take(profile));
  return box;
}

Json json_of(const plan::PipelineText& pipeline) {
  Json branches = Json::array();
  for (const auto& [source, steps] : pipeline.branches)
    branches.push_back({{"source", source}, {"steps", steps}});
  Json json = {{"number", pipeline.number},
               {"branches", std::move(branches)},
               {"sink", pipeline.sink},
               {"after", pipeline.after}};
  if (!pipeline.part.empty()) json["part"] = pipeline.part;
  return json;
}

Table table_of_drawing(const plan::Drawing& drawing, sql::Statement::Format format) {
  using Format = sql::Statement::Format;
  const std::string text = format == Format::kJson       ? to_json(drawing)
                           : format == Format::kYaml     ? to_yaml(drawing)
                           : format == Format::kMermaid  ? to_mermaid(drawing)
                           : format == Format::kGraphviz ? to_graphviz(drawing)
                                                         : to_html(drawing);
  return table_of_plan({Value::varchar(text)});
}

Table profile_table(const std::vector<ops::OperatorProfile>& profile) {
  std::vector<std::vector<Value>> columns(7);
  for (const ops::OperatorProfile& op : profile) {
    std::string details = op.details;
    for (const std::string& keys : op.keys) details += "; keys: " + keys;
    const Value row[] = {Value::varchar(std::string(static_cast<size_t>(op.depth) * 2, ' ') + op.name),
                         Value::varchar(details),
                         Value::int64(static_cast<int64_t>(op.rows_in)),
                         Value::int64(static_cast<int64_t>(op.rows_out)),
                         Value(TypeId::kFloat64, static_cast<double>(op.nanos) * 1e-9),
                         Value::int64(static_cast<int64_t>(op.bytes)),
                         Value::varchar(op.target)};
    for (size_t i = 0; i < columns.size(); ++i) columns[i].push_back(row[i]);
  }
  Table table{{{"operator", TypeId::kVarchar},
               {"details", TypeId::kVarchar},
               {"rows_in", TypeId::kInt64},
               {"rows_out", TypeId::kInt64},
               {"seconds", TypeId::kFloat64},
               {"bytes_read", TypeId::kInt64},
               {"target", TypeId::kVarchar}},
              {}};
  Batch batch;
  batch.rows = static_cast<int64_t>(profile.size());
  for (size_t i = 0; i < columns.size(); ++i)
    batch.columns.push_back(make_column(table.schema[i].type, columns[i]));
  table.batches.push_back(std::move(batch));
  return table;
}

}  // namespace

Table explained(const std::string& plan) {
  std::vector<Value> lines;
  for (size_t at = 0; at < plan.size();) {
    const size_t end = std::min(plan.find('\n', at), plan.size());
    lines.push_back(Value::varchar(plan.substr(at, end - at)));
    at = end + 1;
  }
  return table_of_plan(lines);
}

Table explained(const plan::Node& plan, const std::vector<plan::PipelineText>& pipelines,
                const sql::Statement& statement) {
  const bool writes = statement.kind != sql::Statement::Kind::kQuery;
  plan::Drawing drawing{statement.name, {{"target", "duckdb"}}, {}};
  if (statement.format == sql::Statement::Format::kJson) {
    Json json = Json::parse(plan::to_json(plan));
    if (writes) {
      Json over = Json::parse(plan::to_json(drawing));
      over["children"].push_back(std::move(json));
      json = std::move(over);
    }
    for (const plan::PipelineText& pipeline : pipelines) json["pipelines"].push_back(json_of(pipeline));
    return table_of_plan({Value::varchar(json.dump(2, ' ', false, Json::error_handler_t::replace))});
  }
  drawing.inputs.push_back(plan::drawing(plan));
  return table_of_drawing(writes ? drawing : drawing.inputs[0], statement.format);
}

Table explained(const std::vector<ops::OperatorProfile>& profile, sql::Statement::Format format) {
  if (format == sql::Statement::Format::kText) return profile_table(profile);
  std::span<const ops::OperatorProfile> left = profile;
  return table_of_drawing(left.empty() ? plan::Drawing{"Nothing", {}, {}} : take(left), format);
}

}  // namespace lanewise
