#include "pram/interpreter/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "pram/machine/columns.h"

namespace lanewise::pram {

namespace {

constexpr uint64_t kMostSteps = 0xFFFFFFFE;
constexpr int64_t kMostProcessors = int64_t{1} << 31;

}  // namespace

/// Detects that two processors read one cell in this step.
class Interpreter::ReadCheck : public ReadObserver {
 public:
  explicit ReadCheck(Stamps& stamps) : stamps_(stamps) {}
  void read(const Expr& expr, const Word* cells, const Lanes& lanes) override {
    for (uint32_t i = 0; i < lanes.count; ++i) {
      met |= stamps_.mark(expr.index, static_cast<uint64_t>(cells[i]), lanes[i]) != lanes[i];
    }
  }
  bool met = false;

 private:
  Stamps& stamps_;
};

/// Records all reads.
class Interpreter::ReadLog : public ReadObserver {
 public:
  void read(const Expr& expr, const Word* cells, const Lanes& lanes) override {
    for (uint32_t i = 0; i < lanes.count; ++i) {
      accesses.push_back({expr.index, static_cast<uint64_t>(cells[i]), lanes[i], expr.place, 0});
    }
  }
  std::vector<Access> accesses;
};

Interpreter::Interpreter(Program program, const Arrays& inputs, const Options& options)
    : program_(std::move(program)),
      options_(options),
      mode_(program_.tree().mode),
      memory_(make_memory(program_, inputs, options.budget)),
      columns_(program_.tree().privates.size()),
      reservation_(options.budget, "the private variables of a PRAM program"),
      stamps_reservation_(options.budget, "the marks that find conflicts of a PRAM program"),
      code_(flatten(program_.tree())),
      evaluator_(program_.tree(), memory_),
      read_stamps_(memory_),
      write_stamps_(memory_) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!program_.tree().privates[i].block) columns_[i].resize(1);
  }
  size_t cells = 0;
  for (const Array& array : memory_.variables) cells += array.words.size();
  const bool reads = options.survey || mode_ == Mode::kErew;
  stamps_reservation_.resize(cells * sizeof(uint64_t) * (reads ? 2 : 1));
  walk(program_.tree().body, [&](const Statement& statement) {
    most_targets_ = std::max(most_targets_, statement.targets.size());
  });
  control_.active.push_back({1, nullptr});
  settle();
}

void Interpreter::run() {
  while (step()) {
  }
}

bool Interpreter::step() {
  settle();
  const Instruction& instruction = code_[control_.at];
  if (instruction.kind == Instruction::Kind::kStop) return false;
  if (options_.cancellation != nullptr) options_.cancellation->check();
  if (options_.steps != nullptr) options_.steps->store(cost_.steps, std::memory_order_relaxed);
  if (step_number() > std::min(options_.max_steps, kMostSteps)) {
    fail(instruction.statement->place, fmt::format("the program has not ended after {} steps", cost_.steps),
         lanes()[0]);
  }
  if (history_ != 0) remember(*instruction.statement);
  try {
    if (instruction.kind == Instruction::Kind::kAssign) {
      assign(*instruction.statement);
    } else {
      test(instruction);
    }
  } catch (...) {
    if (history_ != 0) undo_.pop_back();
    throw;
  }
  settle();
  return true;
}

void Interpreter::remember(const Statement& statement) {
  Undo& undo = undo_.emplace_back();
  undo.control = control_;
  undo.last = last_;
  undo.last_active = last_active_;
  undo.work = cost_.work;
  undo.depth = cost_.depth;
  undo.peak = cost_.peak;
  undo.line = statement.place.line;
  if (const auto found = cost_.lines.find(undo.line); found != cost_.lines.end())
    undo.line_cost = found->second;
  undo.survey = survey_;
  if (undo_.size() > history_) undo_.pop_front();
}

bool Interpreter::back() {
  if (undo_.empty()) return false;
  Undo undo = std::move(undo_.back());
  undo_.pop_back();
  control_ = std::move(undo.control);
  for (size_t i = 0; i < columns_.size(); ++i) {  // also undoes the start of a block
    const Private& owned = program_.tree().privates[i];
    if (owned.block && owned.block != control_.block) columns_[i].clear();
  }
  for (auto& [index, column] : undo.ended) columns_[index] = std::move(column);
  for (auto change = undo.changes.rbegin(); change != undo.changes.rend(); ++change) {
    (change->shared ? memory_.variables[change->index].words : columns_[change->index])[change->cell] =
        change->before;
  }
  --cost_.steps;
  cost_.work = undo.work;
  cost_.depth = undo.depth;
  cost_.peak = undo.peak;
  if (undo.line_cost) {
    cost_.lines[undo.line] = *undo.line_cost;
  } else {
    cost_.lines.erase(undo.line);
  }
  survey_ = undo.survey;
  last_ = undo.last;
  last_active_ = undo.last_active;
  return true;
}

std::span<const Change> Interpreter::changes() const {
  if (undo_.empty()) return {};
  return undo_.back().changes;
}

void Interpreter::settle() {
  for (;;) {
    const Instruction& instruction = code_[control_.at];
    switch (instruction.kind) {
      case Instruction::Kind::kAssign:
      case Instruction::Kind::kBranch:
      case Instruction::Kind::kTest:
      case Instruction::Kind::kStop:
        return;
      case Instruction::Kind::kElse:
        control_.active.pop_back();
        control_.depths.back().first = cost_.depth;
        cost_.depth = control_.depths.back().before;
        control_.at = control_.active.back().count == 0 ? instruction.target : control_.at + 1;
        break;
      case Instruction::Kind::kEndIf:
        control_.active.pop_back();
        cost_.depth = std::max(cost_.depth, control_.depths.back().first);
        control_.depths.pop_back();
        ++control_.at;
        break;
      case Instruction::Kind::kEnter:
        control_.active.push_back(control_.active.back());
        ++control_.at;
        break;
      case Instruction::Kind::kRepeat:
        control_.at = instruction.target;
        break;
      case Instruction::Kind::kBlock:
        begin_block(instruction);
        break;
      case Instruction::Kind::kEnd:
        end_block();
        break;
    }
  }
}

void Interpreter::begin_block(const Instruction& instruction) {
  const uint32_t number = instruction.statement->block;
  const Block& block = program_.tree().blocks[number];
  std::vector<int64_t> extents;
  int64_t processors = 1;
  for (const Block::Dimension& dimension : block.dimensions) {
    Word extent = 0;
    try {
      evaluator_.evaluate(*dimension.extent, frame(), lanes(), &extent);
    } catch (const Fault& fault) {
      fail(fault.place, fault.message, 0);
    }
    if (extent < 0) fail(dimension.extent->place, fmt::format("there cannot be {} processors", extent), 0);
    if (__builtin_mul_overflow(processors, extent, &processors) || processors > kMostProcessors) {
      fail(dimension.extent->place, fmt::format("more than {} processors", kMostProcessors), 0);
    }
    extents.push_back(extent);
  }
  if (processors == 0) {
    control_.at = instruction.target;
    return;
  }
  const auto& privates = program_.tree().privates;
  const auto columns = static_cast<size_t>(std::count_if(
      privates.begin(), privates.end(), [&](const Private& owned) { return owned.block == number; }));
  reservation_.resize((columns + 2 * most_targets_) * static_cast<size_t>(processors) * sizeof(Word));
  for (size_t i = 0; i < privates.size(); ++i) {
    if (privates[i].block == number) columns_[i].assign(static_cast<size_t>(processors), 0);
  }
  control_.block = number;
  control_.extents = std::move(extents);
  control_.processors = static_cast<uint32_t>(processors);
  control_.active.push_back({control_.processors, nullptr});
  ++control_.at;
}

void Interpreter::end_block() {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!control_.block || program_.tree().privates[i].block != control_.block) continue;
    if (!undo_.empty()) {
      undo_.back().ended.emplace_back(static_cast<uint32_t>(i), std::move(columns_[i]));
    }
    columns_[i] = {};
  }
  reservation_.resize(0);
  control_.block.reset();
  control_.extents.clear();
  control_.processors = 1;
  control_.active.pop_back();
  ++control_.at;
}

void Interpreter::count(const Statement& statement) {
  last_ = &statement;
  last_active_ = active().count;
  ++cost_.steps;
  ++cost_.depth;
  cost_.work += last_active_;
  cost_.peak = std::max(cost_.peak, last_active_);
  LineCost& line = cost_.lines[statement.place.line];
  ++line.steps;
  line.work += last_active_;
  line.peak = std::max(line.peak, last_active_);
}

template <class F>
void Interpreter::in_parts(F f) {
  ReadCheck check(read_stamps_);
  read_stamps_.begin_epoch();
  const bool exclusive = options_.survey ? !survey_.read : mode_ == Mode::kErew;
  evaluator_.observer = exclusive && control_.processors > 1 ? &check : nullptr;
  const Lanes all = lanes();
  uint32_t processor = 0;
  try {
    for (uint32_t begin = 0; begin < all.count; begin += kLanes) {
      if (options_.cancellation != nullptr) options_.cancellation->check();
      const Lanes part = all.part(begin, std::min(kLanes, all.count - begin));
      processor = part[0];
      const auto one_by_one = [&] {
        for (uint32_t i = 0; i < part.count; ++i) {
          processor = part[i];
          f(part.part(i, 1), begin + i);
        }
        throw InternalError("an expression fails for several processors and for none of them alone");
      };
      try {
        f(part, begin);
      } catch (const Trap&) {
        one_by_one();
      } catch (const Fault&) {  // for a single processor left by `and`, `or` or `?`
        if (part.count == 1) throw;
        one_by_one();
      }
    }
    if (check.met) {
      ReadLog log;
      evaluator_.observer = &log;
      for (uint32_t begin = 0; begin < all.count; begin += kLanes) {
        f(all.part(begin, std::min(kLanes, all.count - begin)), begin);
      }
      meet(find_conflict(std::move(log.accesses), Conflict::Kind::kRead, step_number()));
    }
  } catch (const Fault& fault) {
    fail(fault.place, fault.message, processor);
  }
}

void Interpreter::assign(const Statement& statement) {
  const uint32_t processors = active().count;
  const size_t targets = statement.targets.size();
  cells_.resize(std::max(cells_.size(), targets));
  values_.resize(std::max(values_.size(), targets));
  for (size_t t = 0; t < targets; ++t) {
    cells_[t].resize(processors);
    values_[t].resize(processors);
  }
  in_parts([&](const Lanes& part, uint32_t begin) {
    for (size_t t = 0; t < targets; ++t) {
      const Target& target = statement.targets[t];
      if (target.shared) {
        evaluator_.cells(target.index, target.cell, target.place, frame(), part, cells_[t].data() + begin);
      }
    }
    for (size_t t = 0; t < targets; ++t) {
      evaluator_.evaluate(*statement.values[t], frame(), part, values_[t].data() + begin);
    }
  });
  const Writes writes = shared_writes(statement);
  if (!writes.columns.empty()) {
    const bool met = resolve(writes);
    if (met && mode_ == Mode::kCombining && !combine_into_winners(writes)) {
      write_combined(writes);
    } else {
      write(writes);
    }
  }
  for (size_t t = 0; t < targets; ++t) {
    if (!statement.targets[t].shared) write_private(statement.targets[t], values_[t]);
  }
  count(statement);
  ++control_.at;
}

void Interpreter::test(const Instruction& instruction) {
  Active chosen;
  Active rest;
  split(*instruction.statement->condition, chosen, rest);
  count(*instruction.statement);
  const bool found = chosen.count != 0;
  if (instruction.kind == Instruction::Kind::kBranch) {
    control_.depths.push_back({cost_.depth, cost_.depth});
    control_.active.push_back(std::move(rest));
    control_.active.push_back(std::move(chosen));
  } else if (found) {
    control_.active.back() = std::move(chosen);
  } else {
    control_.active.pop_back();
  }
  control_.at = found ? control_.at + 1 : instruction.target;
}

void Interpreter::split(const Expr& condition, Active& chosen, Active& rest) {
  const Active& present = active();
  values_.resize(std::max<size_t>(values_.size(), 1));
  std::vector<Word>& holds = values_[0];
  holds.resize(present.count);
  in_parts([&](const Lanes& part, uint32_t begin) {
    evaluator_.evaluate(condition, frame(), part, holds.data() + begin);
  });
  const auto count = static_cast<uint32_t>(std::count(holds.begin(), holds.end(), 1));
  if (count == present.count) {
    chosen = present;
  } else if (count == 0) {
    rest = present;
  } else {
    auto yes = std::make_shared<std::vector<uint32_t>>();
    auto no = std::make_shared<std::vector<uint32_t>>();
    yes->reserve(count);
    no->reserve(present.count - count);
    const Lanes all = lanes();
    for (uint32_t i = 0; i < all.count; ++i) (holds[i] != 0 ? yes : no)->push_back(all[i]);
    chosen = {count, std::move(yes)};
    rest = {present.count - count, std::move(no)};
  }
}

void Interpreter::fail(const Place& place, const std::string& message, uint32_t processor) const {
  std::string who = fmt::format("processor {} in step {}", processor, step_number());
  if (control_.extents.size() > 1) {
    std::vector<std::string> coordinates;
    uint64_t rest = processor;
    for (size_t d = control_.extents.size(); d-- > 0;) {
      const auto extent = static_cast<uint64_t>(control_.extents[d]);
      coordinates.push_back(
          fmt::format("{} = {}", program_.tree().blocks[*control_.block].dimensions[d].name, rest % extent));
      rest /= extent;
    }
    std::reverse(coordinates.begin(), coordinates.end());
    who = fmt::format("processor {} ({}) in step {}", processor, fmt::join(coordinates, ", "), step_number());
  }
  throw RunError(program_.render({.place = place, .message = message, .advice = who}), place, step_number(),
                 processor);
}

}  // namespace lanewise::pram
