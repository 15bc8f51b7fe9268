#include "ops/aggregate/gpu/state_sink.h"

#include <algorithm>
#include <utility>

#include "ops/aggregate/gpu/aggregate_kernels.h"
#include "ops/aggregate/gpu/states-inl.h"
#include "ops/gpu/branch/branch_run.h"

namespace lanewise::ops {

namespace {

class StateKernels : public SinkKernels {
 public:
  StateKernels(const codegen::KernelBuilder& builder, const std::vector<DeviceAggregate>& aggregates)
      : builder_(builder), aggregates_(aggregates) {}
  std::vector<codegen::KernelText> texts() const override {
    std::vector<codegen::KernelText> texts;
    add_aggregate_kernels(texts, builder_, aggregates_);
    return texts;
  }

 private:
  const codegen::KernelBuilder& builder_;
  const std::vector<DeviceAggregate>& aggregates_;
};

/// States of all blocks, with what they hold at the end.
class StateRun : public SinkRun {
 public:
  StateRun(const std::vector<DeviceAggregate>& aggregates, Accelerator& gpu)
      : aggregates_(aggregates), gpu_(gpu) {
    for (const DeviceAggregate& aggregate : aggregates) stride_ += aggregate.bytes;
    const size_t bytes = stride_ * most_blocks(gpu);
    host_.resize(bytes);
    states_ = gpu.pool.allocate(bytes, gpu.stream, "Aggregation");
    gpu.stream.fill(states_.address(), 0, bytes);
  }

  void take(BranchRun& run, bool /*only*/) override {
    run.narrow(false);
    kernel::Job job = run.job();
    job.words[codegen::JobLayout::kOut] = states_.address();
    const std::vector<uint8_t> before = run.makes_texts("aggregate") ? held() : std::vector<uint8_t>();
    while (!run.try_aggregate(job)) hold(before);
  }
  Downloads bring() override { return {all()}; }
  uint64_t came() const override {
    return static_cast<uint64_t>(count_rows({host_.data(), most_blocks(gpu_), stride_}));
  }
  SinkResult finish(const Schema& output) override {
    Batch row;
    row.rows = 1;
    size_t at = sizeof(kernel::Count);
    for (const DeviceAggregate& aggregate : aggregates_) {
      const Value value = aggregate.finish(aggregate.call, {&host_[at], most_blocks(gpu_), stride_});
      row.columns.push_back(make_column(aggregate.call.type, {value}));
      at += aggregate.bytes;
    }
    return {{output, {std::move(row)}}};
  }

 private:
  gpu::Download all() { return {host_.data(), states_.address(), host_.size()}; }
  /// What they hold, and to hold that again.
  std::vector<uint8_t> held() {
    const gpu::Download all = this->all();
    gpu_.staging.download(all.to, all.from, all.bytes, gpu_.stream);
    return host_;
  }
  void hold(const std::vector<uint8_t>& states) {
    gpu_.staging.upload(states_.address(), states.data(), states.size(), gpu_.stream);
  }

  const std::vector<DeviceAggregate>& aggregates_;
  Accelerator& gpu_;
  size_t stride_ = sizeof(kernel::Count);  // each state begins with how many rows came to it
  gpu::DeviceBuffer states_;
  std::vector<uint8_t> host_;
};

}  // namespace

bool StateSink::takes(const plan::Aggregate& aggregate) {
  return aggregate.keys.empty() &&
         std::ranges::none_of(aggregate.aggregates, [](const plan::AggregateCall& call) {
           return is_distinct(call) || is_ranked(call) || pick_of(call) ||
                  call.type.id == TypeId::kInterval || device_aggregate(call).finish == nullptr;
         });
}

StateSink::StateSink(const plan::Aggregate& aggregate) {
  for (const plan::AggregateCall& call : aggregate.aggregates) {
    aggregates_.push_back(device_aggregate(call));
    expressions_.insert(expressions_.end(), {call.args.empty() ? nullptr : call.args[0], call.filter});
  }
}

std::unique_ptr<SinkKernels> StateSink::kernels(const codegen::KernelBuilder& builder) const {
  return std::make_unique<StateKernels>(builder, aggregates_);
}

std::unique_ptr<SinkRun> StateSink::start(const Setting& setting) const {
  return std::make_unique<StateRun>(aggregates_, setting.gpu);
}

}  // namespace lanewise::ops
