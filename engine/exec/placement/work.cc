#include "exec/placement/work.h"

#include <algorithm>
#include <cmath>

#include "data/gpu/device_rows.h"
#include "expr/codegen/emitter.h"
#include "expr/patterns/prepared_pattern.h"
#include "ops/filter/filter.h"
#include "ops/scan/slicing.h"
#include "ops/scan/stored_input.h"
#include "text/forms/form.h"

namespace lanewise::exec {

namespace {

/// Bytes of a row.
double usual_bytes(Type type) {
  return type.is_string() ? 4 + kUsualText : static_cast<double>(width(type.physical()));
}
double words(Type type) {
  return std::ceil((type.is_string() ? kUsualText : usual_bytes(type)) / ops::kWordBytes);
}

/// Of a row that a build side keeps, or that is found there: its keys, and the columns that the join gives.
double words_of_row(const plan::Join& join, const plan::Node& node) {
  double sum = 0;
  for (const plan::JoinKey& key : join.keys) sum += words(key.right->type);
  if (!plan::gives_right(join.kind)) return sum;
  for (const size_t column : join.right) sum += words(node.children[1]->schema[column].type);
  return sum;
}

/// The input of a branch.
struct InputSize {
  double rows = 0;
  double fixed = 0;    ///< bytes of numbers, offsets and codes
  double text = 0;     ///< average bytes of one string
  double missing = 0;  ///< bytes that the GPU does not have
  double fetched = 0;  ///< bytes that only the GPU has
  double skipped = 0;  ///< rows that bounds exclude
};

/// Adds up the sizes of columns, hot or not.
class ColumnSizes {
 public:
  explicit ColumnSizes(double rows) { size_.rows = rows; }

  void add(Type type, const ops::ColumnStore::Chunks& chunks, bool resident, bool elsewhere) {
    double fixed = 0, text = 0;
    if (chunks == nullptr) {
      fixed = size_.rows * (type.is_string() ? 4 : usual_bytes(type));
      text = type.is_string() ? size_.rows * kUsualText : 0;
    } else {
      for (const ops::StoredChunk& chunk : *chunks) {
        const Column& column = *chunk.column;
        const bool plain_text = type.is_string() && column.dictionary == nullptr;
        fixed += static_cast<double>(column.offsets.size() + (plain_text ? 0 : column.values.size()));
        text += static_cast<double>(plain_text          ? column.values.size()
                                    : column.dictionary ? column.dictionary->bytes()
                                                        : 0);
      }
    }
    size_.fixed += fixed;
    texts_ += type.is_string();
    text_bytes_ += text;
    if (!resident) size_.missing += fixed + text;
    if (elsewhere) size_.fetched += fixed + text;
  }
  InputSize size() const {
    InputSize size = size_;
    if (texts_ > 0 && size.rows > 0) size.text = text_bytes_ / texts_ / size.rows;
    return size;
  }

 private:
  InputSize size_;
  double texts_ = 0, text_bytes_ = 0;
};

InputSize size_of(const plan::Scan& scan, const Schema& schema, const Known& known) {
  const std::string identity = scan.source->identity();
  std::vector<ops::ColumnStore::Chunks> chunks(scan.columns.size());
  int64_t rows = scan.source->estimated_rows();
  bool hot = !chunks.empty() && known.store != nullptr && !identity.empty();
  if (hot) {
    for (size_t i = 0; i < chunks.size(); ++i) {
      chunks[i] = known.store->find(identity, scan.columns[i]);
      hot &= chunks[i] != nullptr;
      if (chunks[i] != nullptr) rows = rows_of(*chunks[i]);
    }
  }
  ColumnSizes sizes(rows < 0 ? kUnknownRows : static_cast<double>(rows));
  for (size_t i = 0; i < chunks.size(); ++i) {
    const bool resident = known.resident && !identity.empty() && rows >= 0 &&
                          known.resident(*scan.source, scan.columns[i], rows);
    const DeviceRows* const there = scan.source->device_rows();
    const bool elsewhere = there != nullptr && there->has(scan.columns[i]) && chunks[i] == nullptr;
    sizes.add(schema[i].type, chunks[i], resident, elsewhere);
  }
  InputSize size = sizes.size();
  if (hot) {
    size.skipped = static_cast<double>(
        read_stored(chunks, rows, scan.predicates, ops::slicing_for({}, rows)).skipped_rows);
  }
  return size;
}

InputSize size_of(double rows, const Schema& schema) {
  ColumnSizes sizes(rows);
  for (const Field& field : schema) sizes.add(field.type, nullptr, false, false);
  return sizes.size();
}

InputSize size_of(const plan::Branch& branch, const Known& known) {
  if (const auto* scan = std::get_if<const plan::Scan*>(&branch.input))
    return size_of(**scan, branch.schema, known);
  if (const auto* values = std::get_if<const plan::Values*>(&branch.input))
    return size_of(static_cast<double>((*values)->table->rows()), branch.schema);
  return size_of(known.result_rows[*pipeline_read(branch)], branch.schema);
}

/// The rows of a branch on their way to the sink.
class BranchWork {
 public:
  BranchWork(const plan::Branch& branch, const InputSize& size, const Known& known, Work& work)
      : work_(work), all_(size.rows), rows_(size.rows), text_(size.text) {
    work.rows += size.rows;
    work.scanned += size.fixed;
    work.missing += size.missing;
    work.fetched += size.fetched;
    if (const auto* scan = std::get_if<const plan::Scan*>(&branch.input)) narrow((*scan)->predicates);
    for (const plan::StepSpec& step : branch.steps) {
      visit_step(
          *step.node, [&](const plan::Filter& filter) { narrow({filter.predicate}); },
          [&](const plan::Project& project) { evaluate(project.exprs); },
          [&](const plan::Join& join) { look_up(join, *step.node, known.result_rows[step.result]); },
          [](const OneOf<plan::ScalarJoin, plan::Unnest> auto&) {});  // as many rows, for nothing
    }
  }
  double rows() const { return rows_; }

  void evaluate(const std::vector<ExprPtr>& exprs) {
    for (const ExprPtr& expr : exprs) {
      if (expr != nullptr) evaluate(*expr);
    }
  }

 private:
  void narrow(const std::vector<ExprPtr>& predicates) {
    for (const ExprPtr& predicate : ops::order_by_cost(ops::conjuncts(predicates))) {
      evaluate(*predicate);
      rows_ *= kPasses;
    }
  }

  void look_up(const plan::Join& join, const plan::Node& node, double build_rows) {
    for (const plan::JoinKey& key : join.keys) evaluate(*key.left);
    work_.lookups.push_back({rows_ * words_of_row(join, node), build_rows});
    // What DuckDB expects of the join, in proportion.
    const double given = node.estimated_rows, taken = node.children[0]->estimated_rows;
    if (given > 0 && taken > 0) rows_ *= given / taken;
  }

  void evaluate(const Expr& expr) {
    double cost = ops::cost(expr);
    walk(expr, [&](const Expr& part) {
      if (expr::is_match(part)) {
        cost -= ops::cost(part);
        match(static_cast<const expr::PreparedPattern&>(*part.prepared));
        return;
      }
      for (const ExprPtr& arg : part.args) {
        if (arg->type.is_string() && arg->kind == Expr::Kind::kColumn) work_.scanned += rows_ * text_;
      }
    });
    work_.computed += rows_ * cost;
  }

  void match(const expr::PreparedPattern& prepared) {
    constexpr double kSector = 32;  // bytes fetched by one access
    using text::forms::GpuCost;
    switch (text::forms::gpu_form(prepared.pattern().compiled(), rows_ == all_).gpu->cost) {
      case GpuCost::kEnds:
        work_.scanned += rows_ * std::min(kSector, text_);
        break;
      case GpuCost::kText:
        work_.searched += rows_ * text_;
        break;
      case GpuCost::kSteps:
        work_.walked += rows_ * text_;
        break;
    }
  }

  Work& work_;
  const double all_;
  double rows_;
  const double text_;
};

/// The sink of several branches.
class SinkWork {
 public:
  SinkWork(const plan::Pipeline& pipeline, double rows, Work& work)
      : pipeline_(pipeline), rows_(rows), work_(work) {}

  /// The expressions that it evaluates for each row.
  std::vector<ExprPtr> expressions() const {
    std::vector<ExprPtr> exprs;
    if (pipeline_.sink == nullptr) return exprs;
    visit_sink(
        *pipeline_.sink,
        [&](const plan::Aggregate& aggregate) {
          exprs = aggregate.keys;
          for (const plan::AggregateCall& call : aggregate.aggregates) {
            exprs.insert(exprs.end(), call.args.begin(), call.args.end());
            exprs.push_back(call.filter);
          }
        },
        [&](const plan::Sort& sort) {
          for (const plan::SortKey& key : sort.keys) exprs.push_back(key.expr);
        },
        [&](const plan::Window& window) {
          exprs = window.partition;
          for (const plan::SortKey& key : window.order) exprs.push_back(key.expr);
        },
        [&](const plan::Join& join) {
          for (const plan::JoinKey& key : join.keys) exprs.push_back(key.right);
        },
        [](const OneOf<plan::Limit, plan::Distinct> auto&) {});
    return exprs;
  }

  void book() {
    const auto book_sink = [&](const auto& sink) { return book(sink); };
    work_.result_rows = pipeline_.sink == nullptr ? rows_ : visit_sink(*pipeline_.sink, book_sink);
    if (!is_build(pipeline_)) work_.result_bytes = work_.result_rows * exec::usual_bytes(pipeline_.output);
  }

 private:
  // Each returns the rows that the sink gives.
  double book(const plan::Aggregate& aggregate) {
    work_.computed += rows_ * static_cast<double>(aggregate.aggregates.size());
    double keys = 0;
    for (const ExprPtr& key : aggregate.keys) keys += words(key->type);
    double grouped = keys;
    for (const plan::AggregateCall& call : aggregate.aggregates) {
      if (call.distinct) grouped += keys + words(call.args[0]->type);
    }
    group(grouped);
    return aggregate.keys.empty() ? 1 : groups();
  }
  double book(const plan::Distinct&) {
    double keys = 0;
    for (const Field& field : pipeline_.input) keys += words(field.type);
    group(keys);
    return groups();
  }
  double book(const plan::Sort& sort) {
    double keys = 0;
    for (const plan::SortKey& key : sort.keys) keys += words(key.expr->type);
    // If few of many rows are needed, only candidates are sorted.
    work_.sorted += keys * (sort.limit < 0 ? rows_ : std::min(rows_, needed(sort.limit, sort.offset)));
    return within(sort.limit, sort.offset);
  }
  double book(const plan::Limit& limit) {
    if (limit.limit >= 0)
      work_.host_share *= std::min(1.0, needed(limit.limit, limit.offset) / std::max(rows_, 1.0));
    return within(limit.limit, limit.offset);
  }
  double book(const plan::Join& join) {
    work_.built += rows_ * words_of_row(join, *pipeline_.sink);
    return rows_;
  }
  double book(const plan::Window&) { return rows_; }

  static double needed(int64_t limit, int64_t offset) { return static_cast<double>(limit + offset); }
  double within(int64_t limit, int64_t offset) const {
    const double left = std::max(0.0, rows_ - static_cast<double>(offset));
    return limit < 0 ? left : std::min(left, static_cast<double>(limit));
  }
  /// If DuckDB has no statistics of the keys, it assumes half of the rows.
  double groups() const {
    const double told = pipeline_.sink->estimated_rows;
    const bool is_known = told >= 0 && std::abs(told - pipeline_.sink->children[0]->estimated_rows / 2) > 1;
    return std::clamp(is_known ? told : rows_ / kRowsOfGroup, std::min(rows_, 1.0), rows_);
  }
  void group(double words_of_row) {
    if (words_of_row == 0) return;
    work_.grouped += rows_ * words_of_row;
    work_.groups = groups();
  }

  const plan::Pipeline& pipeline_;
  const double rows_;  // rows that reach it
  Work& work_;
};

}  // namespace

double usual_bytes(const Schema& schema) {
  double bytes = 0;
  for (const Field& field : schema) bytes += usual_bytes(field.type);
  return bytes;
}

Work work_of(const plan::Pipeline& pipeline, const Known& known) {
  Work work;
  double rows = 0, skipped = 0;
  const std::vector<ExprPtr> exprs = SinkWork(pipeline, 0, work).expressions();
  for (const plan::Branch& branch : pipeline.branches) {
    const InputSize size = size_of(branch, known);
    BranchWork through(branch, size, known, work);
    through.evaluate(exprs);
    rows += through.rows();
    skipped += size.skipped;
  }
  if (work.rows > 0) work.host_share = 1 - skipped / work.rows;
  SinkWork(pipeline, rows, work).book();
  return work;
}

}  // namespace lanewise::exec
