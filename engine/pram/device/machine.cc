#include "pram/device/machine.h"

#include <algorithm>
#include <array>

#include "pram/meta/shape.h"

namespace lanewise::pram {

namespace {

using Role = KernelArgument::Role;

/// The most targets of an assignment that one does alone.
size_t most_results(const Tree& tree) {
  size_t most = 1;
  walk(tree.body, [&](const Statement& statement) { most = std::max(most, statement.targets.size()); });
  return most;
}

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

void DeviceMachine::run_and_download() {
  run();
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

void DeviceMachine::begin_block(const Meta& meta) {
  sets_.resize(std::max<size_t>(sets_.size(), sets_of(meta.body)));
  // Every set has memory that a kernel can be given.
  sets_[0] = {DeviceSet::Form::kAll, processors_, processors_, status_};
  for (size_t i = 0; i < private_columns_.size(); ++i) {
    if (tree_.privates[i].block != meta.block || emitted_.in_register[i]) continue;
    launch_batch();  // which may use what was there
    reserve(private_columns_[i], processors_);
    if (!emitted_.assigned[i]) tools_.backend().fill(private_columns_[i], 0);
  }
}

void DeviceMachine::kernel(const Meta& meta) {
  const DeviceSet& set = sets_[meta.from];
  const Launch counted(*this, meta, set.count, set.form == DeviceSet::Form::kList);
  std::vector<uint64_t> arguments = of_set(set);
  if (meta.writing == Writing::kInPlace) {
    if (batch_ != nullptr) return put_off(&meta, set.count, std::move(arguments));
    launch(&meta, set.positions(), arguments);
    return finish_if_timed();
  }
  std::vector<DeviceColumn> columns;
  for (const Target& target : assignment_of(meta).targets) {
    if (!target.shared) continue;
    DeviceColumn& column = columns.emplace_back();
    column.variable = target.index;
    column.cells = tools_.backend().allocate(set.positions() * sizeof(Word));
    column.values = tools_.backend().allocate(set.positions() * sizeof(Word));
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
  // Where kernels are timed each is launched alone.
  if (!options_.time_kernels) batch_ = &meta;
}

void DeviceMachine::end_batch() {
  launch_batch();
  batch_ = nullptr;
}

void DeviceMachine::put_off(const void* of, uint64_t processors, std::vector<uint64_t> first) {
  constexpr size_t kMost = 4'096;
  if (steps_put_off_.size() == kMost) launch_batch();
  const EmittedStep& step = emitted_.steps.at(of);
  BatchStep& made = steps_put_off_.emplace_back();
  made.kernel = &emitted_.kernels.at(of);
  made.number = step.number;
  made.processors = processors;
  made.cells = cells_of(step);
  made.arguments = std::move(first);
  for (const KernelArgument& argument : made.kernel->arguments) made.arguments.push_back(value_of(argument));
  for (const KernelArgument& argument : step.given) made.given.push_back(value_of(argument));
}

uint64_t DeviceMachine::cells_of(const EmittedStep& step) {
  if (!step.indexes) return 0;
  Word width = 0;
  Word last = 0;  // the last of the first processor's cells
  for (const ExprPtr& index : *step.indexes) {
    std::array<Word, 2> of_two{};
    try {
      evaluator_.evaluate(*index, frame(), {0, nullptr, 2}, of_two.data());
    } catch (const Fault&) {
      return 0;
    } catch (const Trap&) {
      return 0;
    }
    Word apart = 0;
    if (of_two[0] < 0 || __builtin_sub_overflow(of_two[1], of_two[0], &apart)) return 0;
    if (apart <= 0 || (width != 0 && apart != width)) return 0;
    width = apart;
    last = std::max(last, of_two[0]);
  }
  if (width == 0) return 1;  // it uses nothing that others write
  constexpr Word kWidest =
      Word{1} << 32;  // wider ones are out of range for most processors, who shall say so
  return last < width && width < kWidest ? static_cast<uint64_t>(width) : 0;
}

void DeviceMachine::launch_batch() {
  if (steps_put_off_.empty()) return;
  const std::vector<BatchStep> steps = std::move(steps_put_off_);
  steps_put_off_.clear();
  const EmittedKernel& kernel = emitted_.kernels.at(batch_);
  const std::vector<BatchPart> parts = parts_of(steps, code_.groups_together(kernel.name));
  std::vector<uint64_t> table;
  table.reserve(steps.size() * kernel.row);
  for (const BatchStep& step : steps) {
    table.insert(table.end(), {step.number, step.processors, std::max<uint64_t>(step.cells, 1)});
    table.insert(table.end(), step.given.begin(), step.given.end());
    table.resize((&step - &steps[0] + 1) * kernel.row);
  }
  const Buffer rows = tools_.backend().allocate(table.size() * sizeof(Word));
  tools_.backend().upload(rows, table.data(), table.size() * sizeof(Word));
  size_t done = 0;
  for (const BatchPart& part : parts) {
    const BatchStep& step = steps[done];
    const size_t end = done + part.steps;
    if (part.shape == BatchPart::Shape::kAlone) {
      code_.launch(step.kernel->name, step.processors, step.arguments);
    } else {
      std::vector<uint64_t> arguments = {done,      end,           rows.handle, part.window, arrived_.handle,
                                         arrivals_, status_.handle};
      for (const KernelArgument& argument : kernel.arguments) arguments.push_back(value_of(argument));
      if (part.shape == BatchPart::Shape::kTogether) {
        code_.launch_together(kernel.name, part.groups, arguments);
        arrivals_ += part.groups * part.steps;
      } else {
        code_.launch(kernel.name, part.groups * kGroup, arguments);
      }
    }
    done = end;
  }
}

void DeviceMachine::test(const Meta& meta, uint32_t number) {
  const DeviceSet& set = sets_[number];
  const Launch counted(*this, meta, set.count, set.form == DeviceSet::Form::kList);
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
