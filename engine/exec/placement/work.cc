#include "exec/placement/work.h"

#include "data/gpu/device_rows.h"
#include "ops/operators/operators.h"
#include "ops/scan/slicing.h"
#include "ops/scan/stored_input.h"

namespace lanewise::exec {

namespace {

/// Adds up the sizes of columns, hot or not.
class ColumnSizes {
 public:
  explicit ColumnSizes(double rows) { size_.rows = rows; }

  void add(Type type, const ops::ColumnStore::Chunks& chunks, bool resident, bool elsewhere) {
    double fixed = 0, text = 0;
    if (chunks == nullptr) {
      fixed = size_.rows * (type.is_string() ? 4 : ops::usual_bytes(type));
      text = type.is_string() ? size_.rows * ops::kUsualText : 0;
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
  ops::InputSize size() const {
    ops::InputSize size = size_;
    if (texts_ > 0 && size.rows > 0) size.text = text_bytes_ / texts_ / size.rows;
    return size;
  }

 private:
  ops::InputSize size_;
  double texts_ = 0, text_bytes_ = 0;
};

ops::InputSize size_of(const plan::Scan& scan, const Schema& schema, const Known& known) {
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
  ops::InputSize size = sizes.size();
  if (hot) {
    size.skipped = static_cast<double>(
        read_stored(chunks, rows, scan.predicates, ops::slicing_for({}, rows)).skipped_rows);
  }
  return size;
}

ops::InputSize size_of(double rows, const Schema& schema) {
  ColumnSizes sizes(rows);
  for (const Field& field : schema) sizes.add(field.type, nullptr, false, false);
  return sizes.size();
}

ops::InputSize size_of(const plan::Branch& branch, const Known& known) {
  if (const auto* scan = std::get_if<const plan::Scan*>(&branch.input))
    return size_of(**scan, branch.schema, known);
  if (const auto* values = std::get_if<const plan::Values*>(&branch.input))
    return size_of(static_cast<double>((*values)->table->rows()), branch.schema);
  return size_of(known.result_rows[*pipeline_read(branch)], branch.schema);
}

}  // namespace

ops::Work work_of(const plan::Pipeline& pipeline, const Known& known) {
  ops::Work work;
  double rows = 0, skipped = 0;
  const ops::SinkOperator& sink = ops::sink_operator(pipeline);
  const std::vector<ExprPtr> exprs = sink.expressions(pipeline);
  for (const plan::Branch& branch : pipeline.branches) {
    const ops::InputSize size = size_of(branch, known);
    ops::BranchWork through(size, work);
    if (const auto* scan = std::get_if<const plan::Scan*>(&branch.input)) through.narrow((*scan)->predicates);
    for (const plan::StepSpec& step : branch.steps) {
      const double input_rows = step.reads_result() ? known.result_rows[step.result] : 0;
      ops::step_operator(*step.node).add_work(through, step, input_rows);
    }
    through.evaluate(exprs);
    rows += through.rows();
    skipped += size.skipped;
  }
  if (work.rows > 0) work.host_share = 1 - skipped / work.rows;
  work.result_rows = sink.add_work(work, pipeline, rows);
  if (!is_build(pipeline)) work.result_bytes = work.result_rows * ops::usual_bytes(pipeline.output);
  return work;
}

}  // namespace lanewise::exec
