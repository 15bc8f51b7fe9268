#include "ops/aggregate/gpu/groups/state_run.h"

namespace lanewise::ops {

StateRun::StateRun(const GroupPlan& plan, const StateLayout& layout, const DeviceSink::Setting& setting)
    : plan_(plan),
      layout_(layout),
      options_(setting.options),
      gpu_(setting.gpu),
      states_(gpu_.pool.allocate(layout.bytes() * most_blocks(gpu_), gpu_.stream, "Aggregation")),
      host_(states_.size()) {
  gpu_.stream.fill(states_.address(), 0, states_.size());
}

void StateRun::take(BranchRun& run, bool /*only*/) {
  run.narrow(false);
  kernel::Job job = run.job();
  job.words[codegen::JobLayout::kOut] = states_.address();
  if (run.makes_texts("aggregate")) gpu_.staging.download(bring(), gpu_.stream);
  while (!run.try_aggregate(job))  // memory for the strings that it made was short
    gpu_.staging.upload(states_.address(), host_.data(), host_.size(), gpu_.stream);
}

SinkResult StateRun::finish(const Schema& output) {
  return {plan_.finish(layout_.merged(host_), false, output, options_.budget)};
}

}  // namespace lanewise::ops
