#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "data/packed.h"
#include "data/testing/fake_source.h"
#include "expr/evaluation/evaluate.h"
#include "expr/functions/build.h"
#include "plan/node.h"

/// The plain, slow, row-by-row meaning of a plan: the tests compare execution with it.
namespace lanewise::plan {

using Row = std::vector<Value>;
using Rows = std::vector<Row>;

class PlanOracle {
 public:
  Rows rows(const Node& node) {
    return std::visit([&](const auto& payload) { return rows(node, payload); }, node.payload);
  }

 private:
  Rows below(const Node& node, size_t child = 0) { return rows(*node.children[child]); }

  Rows rows(const Node&, const Scan& scan) {
    Rows out;
    for (const Row& row : dynamic_cast<const FakeSource&>(*scan.source).rows()) {
      Row read;
      for (size_t column : scan.columns) read.push_back(row[column]);
      bool keep = true;
      for (const ExprPtr& predicate : scan.predicates)
        keep = keep && evaluate_reference(*predicate, read).is_true();
      if (keep) out.push_back(std::move(read));
    }
    return out;
  }

  Rows rows(const Node&, const Values& values) {
    Rows out;
    for (int64_t row = 0; row < values.table->rows(); ++row) {
      out.emplace_back();
      for (size_t i = 0; i < values.table->schema.size(); ++i)
        out.back().push_back(values.table->value(row, i));
    }
    return out;
  }

  Rows rows(const Node& node, const Filter& filter) {
    Rows out = below(node);
    std::erase_if(out, [&](const Row& row) { return !evaluate_reference(*filter.predicate, row).is_true(); });
    return out;
  }

  Rows rows(const Node& node, const Project& project) {
    Rows out = below(node);
    for (Row& row : out) {
      Row made;
      for (const ExprPtr& expr : project.exprs) made.push_back(evaluate_reference(*expr, row));
      row = std::move(made);
    }
    return out;
  }

  static Rows range(Rows rows, int64_t limit, int64_t offset) {
    rows.erase(rows.begin(), rows.begin() + std::min<int64_t>(offset, static_cast<int64_t>(rows.size())));
    if (limit >= 0 && static_cast<int64_t>(rows.size()) > limit) rows.resize(static_cast<size_t>(limit));
    return rows;
  }

  Rows rows(const Node& node, const Limit& limit) { return range(below(node), limit.limit, limit.offset); }

  Rows rows(const Node& node, const Sort& sort) {
    std::vector<std::pair<Row, Row>> keyed;
    for (Row& row : below(node)) {
      Row keys;
      for (const SortKey& key : sort.keys) keys.push_back(evaluate_reference(*key.expr, row));
      keyed.emplace_back(std::move(keys), std::move(row));
    }
    std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
      for (size_t k = 0; k < sort.keys.size(); ++k) {
        const Value &x = a.first[k], &y = b.first[k];
        if (x.is_null() != y.is_null()) return x.is_null() == sort.keys[k].nulls_first;
        if (x.is_null()) continue;
        if (const int order = compare(x, y); order != 0) return (order < 0) != sort.keys[k].descending;
      }
      return false;
    });
    Rows out;
    for (auto& [keys, row] : keyed) out.push_back(std::move(row));
    return range(std::move(out), sort.limit, sort.offset);
  }

  Rows rows(const Node& node, const Distinct&) {
    Rows out;
    for (Row& row : below(node)) {
      if (std::find(out.begin(), out.end(), row) == out.end()) out.push_back(std::move(row));
    }
    return out;
  }

  /// count(*) and sum of int64 only: the aggregates have their own tests.
  Rows rows(const Node& node, const Aggregate& aggregate) {
    std::vector<std::pair<Row, Rows>> groups;
    if (aggregate.keys.empty()) groups.emplace_back();
    for (Row& row : below(node)) {
      Row key;
      for (const ExprPtr& expr : aggregate.keys) key.push_back(evaluate_reference(*expr, row));
      auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == key; });
      if (group == groups.end()) group = groups.insert(groups.end(), {std::move(key), {}});
      group->second.push_back(std::move(row));
    }
    Rows out;
    for (auto& [key, members] : groups) {
      out.push_back(key);
      for (const AggregateCall& call : aggregate.aggregates) out.back().push_back(total(call, members));
    }
    return out;
  }

  static Value total(const AggregateCall& call, const Rows& members) {
    if (call.args.empty()) return Value::int64(static_cast<int64_t>(members.size()));
    int128_t sum = 0;
    bool any = false;
    for (const Row& row : members) {
      const Value value = evaluate_reference(*call.args[0], row);
      if (value.is_null()) continue;
      sum += value.integer();
      any = true;
    }
    return any ? Value(call.type, sum) : Value(call.type);
  }

  Rows rows(const Node&, const Window&) {
    throw InternalError("windows have a reference of their own, in ops/window/testing/reference.h");
  }

  Rows rows(const Node& node, const UnionAll&) {
    Rows out;
    for (size_t i = 0; i < node.children.size(); ++i) {
      for (Row& row : below(node, i)) out.push_back(std::move(row));
    }
    return out;
  }

  Rows rows(const Node& node, const Unnest& unnest) {
    Rows out;
    for (const Row& row : below(node)) {
      std::vector<Row> lists;
      size_t longest = 0;
      for (const ExprPtr& list : unnest.lists) {
        const Value value = evaluate_reference(*list, row);
        lists.push_back(value.is_null() ? Row() : packed::unpack(value));
        longest = std::max(longest, lists.back().size());
      }
      for (size_t i = 0; i < longest; ++i) {
        Row made;
        for (const size_t column : unnest.kept) made.push_back(row[column]);
        for (size_t list = 0; list < lists.size(); ++list)
          made.push_back(i < lists[list].size() ? lists[list][i] : Value(unnest.lists[list]->type.element()));
        out.push_back(std::move(made));
      }
    }
    return out;
  }

  static Rows rows(const Node&, const Recursion&) { throw InternalError("no oracle of recursions"); }

  Rows rows(const Node& node, const ScalarJoin& join) {
    Rows out = below(node), one = below(node, 1);
    if (one.size() > 1) throw UserError(join.message);
    if (one.empty()) {
      one.emplace_back();
      for (const Field& field : node.children[1]->schema) one[0].push_back(Value(field.type));
    }
    for (Row& row : out) row.insert(row.end(), one[0].begin(), one[0].end());
    return out;
  }

  static void append(Row& row, const Row& values) { row.insert(row.end(), values.begin(), values.end()); }

  /// Whether the join's conditions hold for two rows, three-valued.
  static Value holds(const Join& join, const Row& left, const Row& right) {
    Row both = left;
    append(both, right);
    bool unknown = false;
    for (const JoinKey& key : join.keys) {
      const Value a = evaluate_reference(*key.left, left), b = evaluate_reference(*key.right, right);
      const Value equal = evaluate_reference(
          *call(key.null_is_equal ? "IS NOT DISTINCT FROM" : "=", {literal(a), literal(b)}), {});
      if (equal.is_null()) {
        unknown = true;
      } else if (!equal.is_true()) {
        return Value::boolean(false);
      }
    }
    if (join.range) {
      const Value value = evaluate_reference(
          *call(name(join.range->order), {literal(evaluate_reference(*join.range->left, left)),
                                          literal(evaluate_reference(*join.range->right, right))}),
          {});
      if (!value.is_null() && !value.is_true()) return Value::boolean(false);
      unknown |= value.is_null();
    }
    if (join.condition != nullptr) {
      const Value value = evaluate_reference(*join.condition, both);
      if (!value.is_null() && !value.is_true()) return Value::boolean(false);
      unknown |= value.is_null();
    }
    return unknown ? Value(Type(TypeId::kBool)) : Value::boolean(true);
  }

  static Row chosen(const std::vector<size_t>& columns, const Row* row, const Schema& schema) {
    Row values;
    for (const size_t column : columns)
      values.push_back(row != nullptr ? (*row)[column] : Value(schema[column].type));
    return values;
  }

  /// For IN with rows of several values: as in DuckDB, any NULL makes FALSE unknown.
  static bool has_null_key(const Join& join, const Row& left, const Row& right) {
    return std::ranges::any_of(join.keys, [&](const JoinKey& key) {
      return !key.null_is_equal && (evaluate_reference(*key.left, left).is_null() ||
                                    evaluate_reference(*key.right, right).is_null());
    });
  }

  /// All rows of the right side; with ASOF only the nearest row, chosen before the condition.
  static std::vector<size_t> candidates(const Join& join, const Row& left, const Rows& right) {
    std::vector<size_t> all(right.size());
    std::iota(all.begin(), all.end(), 0);
    if (!join.range || !join.range->nearest) return all;
    Join without_condition = join;
    without_condition.condition = nullptr;
    const bool least =
        join.range->order == RangeOrder::kLess || join.range->order == RangeOrder::kLessOrEqual;
    std::vector<size_t> nearest;
    for (const size_t i : all) {
      const Value value = holds(without_condition, left, right[i]);
      if (value.is_null() || !value.is_true()) continue;
      const auto of = [&](size_t row) { return evaluate_reference(*join.range->right, right[row]); };
      if (nearest.empty()) {
        nearest = {i};
      } else if (const int order = compare(of(i), of(nearest[0])); least ? order < 0 : order >= 0) {
        nearest = {i};
      }
    }
    return nearest;
  }

  Rows rows(const Node& node, const Join& join) {
    const Rows left = below(node), right = below(node, 1);
    std::vector<bool> matched(right.size());
    Rows out;
    const auto emit = [&](const Row* a, const Row* b) {
      Row row = chosen(join.left, a, node.children[0]->schema);
      append(row, chosen(join.right, b, node.children[1]->schema));
      out.push_back(std::move(row));
    };
    const JoinKind kind = join.kind;
    const bool has_only_keys = join.keys.size() > 1 && join.condition == nullptr;
    for (const Row& row : left) {
      size_t matches = 0;
      bool unknown = false;
      for (const size_t i : candidates(join, row, right)) {
        const Value value = holds(join, row, right[i]);
        unknown |= value.is_null() || (has_only_keys && has_null_key(join, row, right[i]));
        if (value.is_null() || !value.is_true()) continue;
        matched[i] = true;
        if (++matches > 1 && kind == JoinKind::kSingle && !join.message.empty())
          throw UserError(join.message);
        if (kind == JoinKind::kInner || kind == JoinKind::kLeft || kind == JoinKind::kRight ||
            kind == JoinKind::kFull || (kind == JoinKind::kSingle && matches == 1)) {
          emit(&row, &right[i]);
        }
      }
      const bool with_nulls = kind == JoinKind::kLeft || kind == JoinKind::kFull || kind == JoinKind::kSingle;
      if (matches == 0 && (with_nulls || kind == JoinKind::kAnti)) emit(&row, nullptr);
      if (matches != 0 && kind == JoinKind::kSemi) emit(&row, nullptr);
      if (kind != JoinKind::kMark) continue;
      emit(&row, nullptr);
      out.back().push_back(matches != 0 ? Value::boolean(true)
                           : unknown    ? Value(Type(TypeId::kBool))
                                        : Value::boolean(false));
    }
    for (size_t i = 0; i < right.size(); ++i) {
      const bool wanted = kind == JoinKind::kRightSemi
                              ? matched[i]
                              : !matched[i] && (kind == JoinKind::kRight || kind == JoinKind::kFull ||
                                                kind == JoinKind::kRightAnti);
      if (wanted) emit(nullptr, &right[i]);
    }
    return out;
  }

  Rows rows(const Node& node, const Cte& cte) {
    definitions_[cte.id] = below(node);
    return below(node, 1);
  }

  Rows rows(const Node&, const CteRef& ref) { return definitions_.at(ref.id); }

  std::map<uint64_t, Rows> definitions_;
};

/// The table's rows as values.
inline Rows rows_of(const Table& table) {
  Rows rows;
  for (const Batch& batch : table.batches) {
    for (int64_t row = 0; row < batch.rows; ++row) {
      rows.emplace_back();
      for (const ColumnPtr& column : batch.columns) rows.back().push_back(column->value(row));
    }
  }
  return rows;
}

}  // namespace lanewise::plan
