#include "pram/executor/meta_machine.h"

#include <algorithm>
#include <map>

#include "pram/meta/shape.h"

namespace lanewise::pram {

namespace {

constexpr int64_t kMachineProcessors = int64_t{1} << 31;
constexpr uint64_t kMachineSteps = 0xFFFFFFFE;

using Kind = Meta::Kind;

}  // namespace

MetaMachine::MetaMachine(const Program& program, const MetaProgram& meta, const Arrays& inputs,
                         const Options& options)
    : tree_(program.tree()),
      meta_(meta),
      options_(options),
      memory_(make_memory(program, inputs, options.budget)),
      columns_(tree_.privates.size()),
      evaluator_(tree_, memory_) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!tree_.privates[i].block || meta_.hosted[i]) columns_[i].resize(1);
  }
}

std::vector<KernelCost> MetaMachine::costs() const {
  std::map<uint32_t, KernelCost> lines;
  for (const auto& [meta, cost] : costs_) {
    KernelCost& line = lines[cost.line];
    line += cost;
    line.line = cost.line;
  }
  std::vector<KernelCost> result;
  for (const auto& [number, line] : lines) result.push_back(line);
  return result;
}

uint64_t MetaMachine::words_of(const Meta& meta) {
  const auto [found, is_new] = words_.try_emplace(&meta);
  if (is_new) {
    std::vector<bool> columns(tree_.privates.size());
    for (uint32_t i = 0; i < columns.size(); ++i) columns[i] = has_column(i);
    found->second = pram::words_of(meta, columns);
  }
  return found->second;
}

void MetaMachine::step() {
  if (options_.cancellation != nullptr) options_.cancellation->check();
  if (++steps_ > std::min(options_.max_steps, kMachineSteps)) throw Failed();
  if (options_.steps != nullptr) options_.steps->store(steps_, std::memory_order_relaxed);
}

void MetaMachine::run() {
  if (options_.observer != nullptr) options_.observer->begin(memory_);
  nodes(meta_.body);
}

void MetaMachine::ran(const Unit& unit, uint32_t active) {
  const Columns columns = look();
  options_.observer->ran(unit, active, memory_, columns);
}

void MetaMachine::nodes(const std::vector<Meta>& list) {
  for (const Meta& meta : list) node(meta);
}

void MetaMachine::node(const Meta& meta) {
  switch (meta.kind) {
    case Kind::kHost:
      for (const Statement& statement : meta.statements) {
        step();
        host(statement);
        if (options_.observer != nullptr) ran(unit_of(statement), 1);
      }
      return;
    case Kind::kHostIf:
      return nodes(decides(meta) ? meta.body : meta.otherwise);
    case Kind::kHostWhile:
      while (decides(meta)) nodes(meta.body);
      return;
    case Kind::kAll:
      return block(meta);
    case Kind::kKernel:
      if (active(meta.from) == 0) return;
      kernel(meta);
      if (options_.observer != nullptr) ran(unit_of(meta), active(meta.from));
      return;
    case Kind::kSplit:
      return split(meta);
    case Kind::kRepeat:
      return repeat(meta);
    case Kind::kBatch:
      begin_batch(meta);
      nodes(meta.body);
      return end_batch();
  }
}

bool MetaMachine::decides(const Meta& meta) {
  step();
  const bool chosen = holds(*meta.condition);
  if (options_.observer != nullptr) ran(unit_of(meta), 1);
  return chosen;
}

void MetaMachine::block(const Meta& meta) {
  std::vector<int64_t> extents;
  int64_t processors = 1;
  for (const Block::Dimension& dimension : tree_.blocks[meta.block].dimensions) {
    Word extent = 0;
    evaluator_.evaluate(*dimension.extent, frame(), kHost, &extent);
    if (extent < 0) throw Failed();
    if (__builtin_mul_overflow(processors, extent, &processors) || processors > kMachineProcessors) {
      throw Failed();
    }
    extents.push_back(extent);
  }
  if (processors == 0) return;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (tree_.privates[i].block == meta.block && meta_.hosted[i]) columns_[i][0] = 0;
  }
  extents_ = std::move(extents);
  processors_ = static_cast<uint32_t>(processors);
  begin_block(meta);
  if (options_.observer != nullptr) options_.observer->begin_block(meta.block, processors_, meta_);
  nodes(meta.body);
  end_block();
  extents_.clear();
  processors_ = 1;
}

void MetaMachine::split(const Meta& meta) {
  if (active(meta.from) == 0) return;
  test(meta, meta.from);
  if (options_.observer != nullptr) ran(unit_of(meta), active(meta.from));
  if (meta.rest) take(meta.from, false, *meta.rest);
  take(meta.from, true, meta.to);
  if (active(meta.to) != 0) nodes(meta.body);
  if (meta.rest && active(*meta.rest) != 0) nodes(meta.otherwise);
}

void MetaMachine::repeat(const Meta& meta) {
  copy_set(meta.from, meta.to);
  while (active(meta.to) != 0) {
    test(meta, meta.to);
    if (options_.observer != nullptr) ran(unit_of(meta), active(meta.to));
    take(meta.to, true, meta.to);
    if (active(meta.to) != 0) nodes(meta.body);
  }
}

bool MetaMachine::prefers_list(uint32_t count, uint32_t total) const {
  constexpr uint32_t kSparse = 4;  // measured (docs/notes/performance-pram.md)
  if (options_.active != ActiveForm::kAuto) return options_.active == ActiveForm::kList;
  return count < total / kSparse;
}

}  // namespace lanewise::pram
