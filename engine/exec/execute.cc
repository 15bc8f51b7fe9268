#include "exec/execute.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "exec/morsel_list.h"
#include "exec/open_operators.h"
#include "exec/open_scan.h"
#include "exec/pipeline.h"
#include "exec/run.h"
#include "ops/filter/filter.h"
#include "primitives/parallel.h"

namespace lanewise::exec {

namespace {

/// Opens and runs the pipelines of a plan, one after the other.
class Execution {
 public:
  Execution(const plan::Node& root, const Options& options)
      : options_(options), lines_(lines_of(root)), counters_(lines_.size()), pipelines_(split(root)) {
    results_.resize(pipelines_.size());
    last_use_.resize(pipelines_.size());
    for (size_t i = 0; i < pipelines_.size(); ++i) {
      for (const Branch& branch : pipelines_[i].branches) {
        if (const auto* result = std::get_if<ResultOf>(&branch.input)) last_use_[result->pipeline] = i;
        for (const StepSpec& step : branch.steps)
          if (step.reads_result()) last_use_[step.constants] = i;
      }
    }
  }

  Result run() {
    for (size_t i = 0; i < pipelines_.size(); ++i) {
      OpenPipeline open = this->open(pipelines_[i]);
      results_[i] = exec::run(open, options_, counters_);
      results_[i].schema = pipelines_[i].output;
      if (pipelines_[i].sink != nullptr) {
        counters_[pipelines_[i].line].rows_out += static_cast<uint64_t>(results_[i].rows());
      }
      for (size_t used = 0; used < i; ++used) {
        if (last_use_[used] == i) results_[used] = Table();
      }
    }
    Result result;
    result.table = std::move(results_.back());
    result.profile = make_profile(lines_, counters_, options_);
    for (const auto& [line, note] : notes_) result.profile[line].details += note;
    result.from_hot_columns = scans_ > 0 && hot_scans_ == scans_;
    return result;
  }

 private:
  OpenPipeline open(const Pipeline& pipeline) {
    OpenPipeline open;
    open.sink = open_sink(pipeline);
    const auto order = open.sink->wanted_order();
    for (const Branch& branch : pipeline.branches) open.branches.push_back(this->open(branch, order));
    open.sink_line = pipeline.line;
    open.sink_is_operator = pipeline.sink != nullptr;
    return open;
  }

  OpenBranch open(const Branch& branch, const std::optional<ops::InputOrder>& order) {
    OpenBranch open;
    if (order) open.ordered_by = order->column;
    open.line = branch.line;
    if (const auto* scan = std::get_if<const plan::Scan*>(&branch.input)) {
      open.what = (*scan)->source->name();
      open.input = open_scan(**scan, branch, order ? before_steps(*order, branch) : std::nullopt);
      if (!(*scan)->predicates.empty()) {
        open.steps.push_back({"Scan", branch.line, true, std::make_unique<ops::Filter>((*scan)->predicates)});
      }
    } else if (const auto* values = std::get_if<const plan::Values*>(&branch.input)) {
      open.input = open_table(*(*values)->table);
    } else {
      open.input = open_table(results_[std::get<ResultOf>(branch.input).pipeline]);
    }
    for (const StepSpec& step : branch.steps) {
      open.steps.push_back(
          {plan::name(step.node->payload), step.line, false,
           open_step(*step.node, step.reads_result() ? &results_[step.constants] : nullptr)});
    }
    return open;
  }

  std::unique_ptr<Input> open_table(const Table& table) {
    return read_table(table, slicing_for(options_, table.rows()));
  }

  /// What must hold, in terms of the scan's columns, for rows that pass the filters that follow it.
  static std::vector<ExprPtr> early_predicates(const plan::Scan& scan, const Branch& branch) {
    constexpr auto kComputed = static_cast<size_t>(-1);
    std::vector<ExprPtr> predicates = scan.predicates;
    std::vector<size_t> scanned(scan.columns.size());  // which of the scan's columns a step's column is
    std::iota(scanned.begin(), scanned.end(), size_t{0});
    for (const StepSpec& step : branch.steps) {
      if (const auto* filter = std::get_if<plan::Filter>(&step.node->payload)) {
        const std::vector<size_t> used = columns_of(*filter->predicate);
        const auto is_scanned = [&](size_t column) { return scanned[column] != kComputed; };
        if (std::all_of(used.begin(), used.end(), is_scanned))
          predicates.push_back(remap(filter->predicate, scanned));
      } else if (const auto* project = std::get_if<plan::Project>(&step.node->payload)) {
        std::vector<size_t> kept;
        for (const ExprPtr& expr : project->exprs)
          kept.push_back(expr->kind == Expr::Kind::kColumn ? scanned[expr->column] : kComputed);
        scanned = std::move(kept);
      } else {
        break;
      }
    }
    return predicates;
  }

  /// The order, where it is one by a column of the branch's input.
  static std::optional<ops::InputOrder> before_steps(ops::InputOrder order, const Branch& branch) {
    for (auto step = branch.steps.rbegin(); step != branch.steps.rend(); ++step) {
      const plan::Node& node = *step->node;
      if (const auto* project = std::get_if<plan::Project>(&node.payload)) {
        const Expr& expr = *project->exprs[order.column];
        if (expr.kind != Expr::Kind::kColumn) return std::nullopt;
        order.column = expr.column;
      } else if (order.column >= node.children[0]->schema.size()) {
        return std::nullopt;  // a ScalarJoin's
      }
    }
    return order;
  }

  std::unique_ptr<Input> open_scan(const plan::Scan& scan, const Branch& branch,
                                   const std::optional<ops::InputOrder>& order) {
    OpenScan open = exec::open_scan(scan, early_predicates(scan, branch), order, options_);
    ++scans_;
    hot_scans_ += open.hot;
    notes_[branch.line] = std::move(open.note);
    return std::move(open.input);
  }

  const Options& options_;
  std::vector<Line> lines_;
  std::vector<Counters> counters_;
  std::vector<Pipeline> pipelines_;
  std::vector<Table> results_;
  std::vector<size_t> last_use_;
  std::unordered_map<size_t, std::string> notes_;  // of lines: how a scan was read
  size_t scans_ = 0;
  size_t hot_scans_ = 0;
};

}  // namespace

Result execute(const plan::NodePtr& root, const Options& options) {
  try {
    return with_threads(options.threads, [&] { return Execution(*root, options).run(); });
  } catch (const std::bad_alloc&) {
    throw MemoryError("the system has no memory left for this query; lower --memory-limit or --threads");
  }
}

}  // namespace lanewise::exec
