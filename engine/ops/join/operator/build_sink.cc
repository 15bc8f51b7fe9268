#include "ops/join/operator/build_sink.h"

#include "expr/codegen/emitter.h"
#include "ops/collect/gpu/collect.h"
#include "ops/collect/gpu/column_kernels.h"
#include "ops/concat.h"
#include "ops/join/build.h"
#include "ops/join/gpu/join_table.h"

namespace lanewise::ops {

namespace {

/// The rows of a build side, without a lookup.
Build together(const std::vector<Batch>& batches, const Schema& schema, size_t keys, MemoryBudget* budget) {
  size_t rows = 0;
  for (const Batch& batch : batches) rows += static_cast<size_t>(batch.rows);
  if (rows >= UINT32_MAX)
    throw expr::NotOnDevice("build sides of more than 2^32 rows are not supported on GPUs");
  Build build;
  build.rows = static_cast<uint32_t>(rows);
  const size_t kept = schema.size() - keys;
  for (size_t c = 0; c < schema.size(); ++c) {
    std::vector<ColumnPtr> parts;
    for (const Batch& batch : batches) parts.push_back(batch.columns[c]);
    if (parts.empty()) parts.push_back(make_column(schema[c].type, {}));
    (c < kept ? build.columns : build.keys).push_back(concat(parts, budget, kJoin));
  }
  return build;
}

/// Rows of one batch stay on the device; those of several are put together on the host.
class BuildRun : public SinkRun {
 public:
  BuildRun(const plan::Join& join, const Schema& schema, const DeviceSink::Setting& setting)
      : join_(join), schema_(schema), to_(setting), collector_(schema, setting.options, setting.gpu) {}

  void take(BranchRun& run, bool only) override {
    if (only) columns_ = run.outputs_as_they_are();
    if (!columns_.empty()) {
      rows_ = run.rows();
      return;
    }
    run.narrow(true);
    if (only) {
      for (DeviceColumn& column : collector_.keep(run))
        columns_.push_back(std::make_shared<const DeviceColumn>(std::move(column)));
    } else {
      collector_.take(run);
    }
    rows_ = collector_.seen();
  }
  uint64_t came() const override { return rows_; }
  SinkResult finish(const Schema& output) override {
    SinkResult result{{output, {}}};
    if (columns_.empty()) {
      const Build build = together(collector_.take(), schema_, join_.keys.size(), to_.options.budget);
      result.build = std::make_shared<const JoinTable>(join_, build, to_.options, to_.gpu, to_.times);
    } else {
      result.build = std::make_shared<const JoinTable>(join_, std::move(columns_), rows_, to_.options,
                                                       to_.gpu, to_.times);
    }
    return result;
  }

 private:
  const plan::Join& join_;
  const Schema& schema_;
  const DeviceSink::Setting to_;
  Collector collector_;
  std::vector<JoinTable::ColumnPtr> columns_;
  uint64_t rows_ = 0;
};

}  // namespace

DeviceBuildSink::DeviceBuildSink(const plan::Join& join, const Schema& left, const Schema& rows)
    : join_(join) {
  if (join.range) throw expr::NotOnDevice("joins by an inequality are not supported on GPUs");
  for (const size_t kept : JoinColumns(join, left, rows).kept)
    columns_.push_back(column(kept, rows[kept].type));
  for (const plan::JoinKey& key : join.keys) columns_.push_back(key.right);
  for (const ExprPtr& column : columns_) schema_.push_back({"", column->type});
}

std::unique_ptr<SinkKernels> DeviceBuildSink::kernels(const codegen::KernelBuilder& builder) const {
  return std::make_unique<ColumnKernels>(builder);
}

std::unique_ptr<SinkRun> DeviceBuildSink::start(const Setting& setting) const {
  return std::make_unique<BuildRun>(join_, schema_, setting);
}

}  // namespace lanewise::ops
