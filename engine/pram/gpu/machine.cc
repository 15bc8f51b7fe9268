#include "pram/gpu/machine.h"

#include <algorithm>

#include "pram/meta/shape.h"

namespace lanewise::pram {

namespace {

using Role = KernelArgument::Role;

/// The maximum number of targets of an assignment by a single processor.
size_t most_results(const Tree& tree) {
  size_t most = 1;
  walk(tree.body, [&](const Statement& statement) { most = std::max(most, statement.targets.size()); });
  return most;
}

/// Members of the groups launched for a set.
uint64_t lanes_of(const DeviceSet& set) { return (set.positions() + kGroup - 1) / kGroup * kGroup; }

/// Lets a backend replay kernels during its lifetime.
class Replaying {
 public:
  Replaying(Backend& backend, bool wanted) : backend_(backend), wanted_(wanted) {
    if (wanted_) backend_.replay(true);
  }
  ~Replaying() {
    if (wanted_) backend_.replay(false);
  }
  Replaying(const Replaying&) = delete;
  Replaying& operator=(const Replaying&) = delete;

 private:
  Backend& backend_;
  bool wanted_;
};

}  // namespace

DeviceMachine::DeviceMachine(const Program& program, const MetaProgram& meta, const EmittedProgram& emitted,
                             const Code& code, const DeviceTools& tools, const Arrays& inputs,
                             const Options& options)
    : MetaMachine(program, meta, inputs, options),
      emitted_(emitted),
      code_(code),
      tools_(tools),
      reservation_(options.budget, "a PRAM program's memory on a device"),
      variables_(tree_.variables.size()),
      private_columns_(tree_.privates.size()),
      writer_(tools, tree_, options_, variables_) {
  const bool reads = options_.check && tree_.mode == Mode::kErew;
  readers_.resize(reads ? variables_.size() : 0);
  for (size_t i = 0; i < variables_.size(); ++i) {
    const std::vector<Word>& words = memory_.variables[i].words;
    variables_[i] = allocate(words.size() * sizeof(Word));
    tools_.backend().upload(variables_[i], words.data(), words.size() * sizeof(Word));
    if (!reads) continue;
    readers_[i] = allocate(words.size() * sizeof(Word));
    tools_.backend().fill(readers_[i], 0);
  }
  // Statements of merged kernels have no results for the host.
  status_read_.resize(kResults + most_results(tree_));
  status_ = allocate(status_read_.size() * sizeof(Word));
  tools_.backend().fill(status_, 0);
  arrived_ = allocate(sizeof(Word));
  tools_.backend().fill(arrived_, 0);
}

Buffer DeviceMachine::allocate(size_t bytes) {
  reservation_.resize(reservation_.bytes() + bytes);
  return tools_.backend().allocate(bytes);
}

void DeviceMachine::reserve(Buffer& buffer, size_t words) {
  if (buffer.held == nullptr || buffer.bytes < words * sizeof(Word)) buffer = allocate(words * sizeof(Word));
}

void DeviceMachine::go() {
  const Replaying replaying(tools_.backend(), options_.graphs && !options_.time_kernels);
  run();
  tools_.backend().finish();
}

void DeviceMachine::run_and_download() {
  go();
  read_status();
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (!tree_.variables[i].result()) continue;
    std::vector<Word>& words = memory_.variables[i].words;
    tools_.backend().download(words.data(), variables_[i], words.size() * sizeof(Word));
  }
}

uint64_t DeviceMachine::value_of(const KernelArgument& argument) const {
  switch (argument.role) {
    case Role::kVariable:
      return variables_[argument.index].handle;
    case Role::kExtent:
      return static_cast<uint64_t>(memory_.variables[argument.index].extents[argument.dimension]);
    case Role::kParameter:
      return static_cast<uint64_t>(memory_.parameters[argument.index]);
    case Role::kControl:
      return static_cast<uint64_t>(columns_[argument.index][0]);
    case Role::kColumn:
      return private_columns_[argument.index].handle;
    case Role::kDimension:
      return static_cast<uint64_t>(extents_[argument.dimension]);
    case Role::kReaders:
      return readers_[argument.index].handle;
    case Role::kLimit:
      return options_.max_steps;
    case Role::kStep:
      return steps_;
  }
  throw InternalError("a parameter of no kind");
}

void DeviceMachine::launch(const void* of, uint64_t positions, std::vector<uint64_t> first) {
  const EmittedKernel& kernel = emitted_.kernels.at(of);
  for (const KernelArgument& argument : kernel.arguments) first.push_back(value_of(argument));
  code_.launch(kernel.name, positions, first);
}

const std::vector<Word>& DeviceMachine::read_status() {
  tools_.backend().download(status_read_.data(), status_, status_read_.size() * sizeof(Word));
  if (status_read_[kFailed] != 0) throw Failed();
  return status_read_;
}

std::vector<uint64_t> DeviceMachine::of_set(const DeviceSet& set) const {
  return {set.positions(), static_cast<uint64_t>(set.form), set.members.handle, status_.handle};
}

void DeviceMachine::finish_if_timed() {
  if (options_.time_kernels) tools_.backend().finish();
}

void DeviceMachine::host(const Statement& statement) {
  const std::vector<Target>& targets = statement.targets;
  std::vector<Word> values(targets.size());
  if (is_of_host(statement)) {
    for (size_t t = 0; t < targets.size(); ++t) {
      evaluator_.evaluate(*statement.values[t], frame(), kHost, &values[t]);
    }
  } else {
    if (batch_ != nullptr) return put_off(&statement, 1, {status_.handle});
    launch(&statement, 1, {status_.handle});
    if (writes_shared_only(statement)) return;
    const std::vector<Word>& status = read_status();
    std::copy_n(status.begin() + kResults, targets.size(), values.begin());
  }
  for (size_t t = 0; t < targets.size(); ++t) {
    if (!targets[t].shared) columns_[targets[t].index][0] = values[t];
  }
}

bool DeviceMachine::holds(const Expr& condition) {
  if (!is_of_host(condition)) {
    launch(&condition, 1, {status_.handle});
    return read_status()[kResults] != 0;
  }
  Word value = 0;
  evaluator_.evaluate(condition, frame(), kHost, &value);
  return value != 0;
}

Columns DeviceMachine::look() {
  read_status();
  for (size_t i = 0; i < variables_.size(); ++i) {
    std::vector<Word>& words = memory_.variables[i].words;
    tools_.backend().download(words.data(), variables_[i], words.size() * sizeof(Word));
  }
  Columns columns = columns_;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!block_ || tree_.privates[i].block != block_ || emitted_.in_register[i]) continue;
    columns[i].resize(processors_);
    tools_.backend().download(columns[i].data(), private_columns_[i], processors_ * sizeof(Word));
  }
  return columns;
}

void DeviceMachine::begin_block(const Meta& meta) {
  block_ = meta.block;
  sets_.resize(std::max<size_t>(sets_.size(), sets_of(meta.body)));
  // Every set has memory that can be passed to a kernel.
  sets_[0] = {DeviceSet::Form::kAll, processors_, processors_, status_};
  for (size_t i = 0; i < private_columns_.size(); ++i) {
    if (tree_.privates[i].block != meta.block || emitted_.in_register[i]) continue;
    launch_batch();  // it may use the old columns
    reserve(private_columns_[i], processors_);
    if (!emitted_.assigned[i] || options_.observer != nullptr) tools_.backend().fill(private_columns_[i], 0);
  }
}

void DeviceMachine::kernel(const Meta& meta) {
  const DeviceSet& set = sets_[meta.from];
  const Launch counted(*this, meta, set.count, lanes_of(set), set.form == DeviceSet::Form::kList);
  std::vector<uint64_t> arguments = of_set(set);
  if (meta.writing == Writing::kInPlace) {
    if (batch_ != nullptr) return put_off(&meta, set.count, std::move(arguments));
    launch(&meta, set.positions(), arguments);
    return finish_if_timed();
  }
  std::vector<DeviceColumn> columns;
  for (const Target& target : assignment_of(meta).targets) {
    if (!target.shared) continue;
    // Kernels write them one after the other.
    if (columns.size() == buffered_.size()) buffered_.emplace_back();
    DeviceColumn& column = buffered_[columns.size()];
    column.variable = target.index;
    reserve(column.cells, set.positions());
    reserve(column.values, set.positions());
    columns.push_back(column);
    arguments.insert(arguments.end(), {column.cells.handle, column.values.handle});
  }
  launch(&meta, set.positions(), arguments);
  const bool exclusive = tree_.mode == Mode::kErew || tree_.mode == Mode::kCrew;
  if (options_.check && exclusive) writer_.check_exclusive(set, columns, status_);
  if (meta.writing == Writing::kResolved) {
    writer_.resolve(set, columns, status_);
  } else {
    writer_.write(set, columns);
  }
  if (options_.check && tree_.mode == Mode::kCommon) writer_.check_common(set, columns, status_);
  finish_if_timed();
}

void DeviceMachine::begin_batch(const Meta& meta) {
  // If kernels are timed or observed, each is launched alone.
  if (!options_.time_kernels && options_.observer == nullptr) batch_ = &meta;
}

void DeviceMachine::end_batch() {
  launch_batch(true);
  batch_ = nullptr;
}

void DeviceMachine::test(const Meta& meta, uint32_t number) {
  const DeviceSet& set = sets_[number];
  const Launch counted(*this, meta, set.count, lanes_of(set), set.form == DeviceSet::Form::kList);
  kept_ = tools_.backend().allocate(DeviceTools::bit_bytes(set.positions()));
  std::vector<uint64_t> arguments = of_set(set);
  arguments.push_back(kept_.handle);
  launch(&meta, set.positions(), std::move(arguments));
  const auto kept = static_cast<uint64_t>(read_status()[kKept]);
  kept_count_ = static_cast<uint32_t>(kept - kept_before_);
  kept_before_ = kept;
}

void DeviceMachine::take(uint32_t source, bool wanted, uint32_t goal) {
  const DeviceSet& from = sets_[source];
  const uint32_t count = wanted ? kept_count_ : from.count - kept_count_;
  if (count == from.count) {
    if (goal != source) sets_[goal] = from;
  } else if (count == 0) {
    sets_[goal].count = 0;
  } else {
    sets_[goal] = tools_.narrow(from, kept_, wanted, count, prefers_list(count, from.total));
  }
}

}  // namespace lanewise::pram
