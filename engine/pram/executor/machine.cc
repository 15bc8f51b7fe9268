#include "pram/executor/machine.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <numeric>

namespace lanewise::pram {

namespace {

constexpr int64_t kMostProcessors = int64_t{1} << 31;
constexpr uint64_t kMostSteps = 0xFFFFFFFE;

using Kind = Meta::Kind;

/// The sets that a list of nodes needs.
uint32_t sets_of(const std::vector<Meta>& list) {
  uint32_t sets = 1;
  for (const Meta& meta : list) {
    sets = std::max({sets, meta.from + 1, meta.to + 1, sets_of(meta.body), sets_of(meta.otherwise)});
  }
  return sets;
}

/// The assignment of a kernel that is not in place.
const Statement& assignment_of(const Meta& meta) {
  const Statement* statement = &meta.statements[0];
  while (statement->kind == Statement::Kind::kIf) statement = &statement->body[0];
  return *statement;
}

/// The most targets of a kernel that is not in place.
size_t buffers_of(const std::vector<Meta>& list) {
  size_t most = 0;
  for (const Meta& meta : list) {
    if (meta.kind == Kind::kKernel && meta.writing != Writing::kInPlace) {
      most = std::max(most, assignment_of(meta).targets.size());
    }
    most = std::max({most, buffers_of(meta.body), buffers_of(meta.otherwise)});
  }
  return most;
}

constexpr Lanes kHost{0, nullptr, 1};

}  // namespace

class CpuMachine::ReadCheck : public ReadObserver {
 public:
  explicit ReadCheck(CpuMachine& machine) : machine_(machine) {}
  void read(const Expr& expr, const Word* cells, const Lanes& lanes) override {
    std::vector<uint64_t>& readers = machine_.readers_[expr.index];
    for (uint32_t i = 0; i < lanes.count; ++i) {
      const uint64_t own = machine_.steps_ << 32 | lanes[i];
      const uint64_t last = std::atomic_ref<uint64_t>(readers[static_cast<size_t>(cells[i])]).exchange(own);
      if (last >> 32 == machine_.steps_ && last != own) throw Failed();
    }
  }

 private:
  CpuMachine& machine_;
};

CpuMachine::CpuMachine(const Program& program, const MetaProgram& meta, const Arrays& inputs,
                       const Options& options, size_t threads)
    : tree_(program.tree()),
      meta_(meta),
      options_(options),
      memory_(make_memory(program, inputs, options.budget)),
      team_(threads, options.cancellation),
      writer_(tree_, memory_, options_, team_),
      columns_(tree_.privates.size()),
      reservation_(options.budget, "the private variables of a PRAM program") {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!tree_.privates[i].block || meta_.hosted[i]) columns_[i].resize(1);
  }
  if (options_.check && tree_.mode == Mode::kErew) {
    read_check_ = std::make_unique<ReadCheck>(*this);
    for (const Array& array : memory_.variables) {
      memory_.reservation.resize(memory_.reservation.bytes() + array.words.size() * sizeof(uint64_t));
      readers_.emplace_back(array.words.size());
    }
  }
  for (size_t i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(tree_, memory_));
}

void CpuMachine::run() { nodes(meta_.body); }

std::vector<KernelCost> CpuMachine::costs() const {
  std::vector<KernelCost> result;
  result.reserve(costs_.size());
  for (const auto& [meta, cost] : costs_) result.push_back(cost);
  return result;
}

void CpuMachine::step() {
  team_.check();
  if (++steps_ > std::min(options_.max_steps, kMostSteps)) throw Failed();
}

void CpuMachine::nodes(const std::vector<Meta>& list) {
  for (const Meta& meta : list) node(meta);
}

void CpuMachine::node(const Meta& meta) {
  switch (meta.kind) {
    case Kind::kHost:
      for (const Statement& statement : meta.statements) host(statement);
      return;
    case Kind::kHostIf:
      return nodes(holds(*meta.condition) ? meta.body : meta.otherwise);
    case Kind::kHostWhile:
      while (holds(*meta.condition)) nodes(meta.body);
      return;
    case Kind::kAll:
      return block(meta);
    case Kind::kKernel:
      return kernel(meta);
    case Kind::kSplit:
      return split(meta);
    case Kind::kRepeat:
      return repeat(meta);
  }
}

void CpuMachine::host(const Statement& statement) {
  step();
  assign(*workers_[0], statement, kHost);
}

bool CpuMachine::holds(const Expr& condition) {
  step();
  Word value = 0;
  workers_[0]->evaluator.evaluate(condition, frame(), kHost, &value);
  return value != 0;
}

void CpuMachine::block(const Meta& meta) {
  const Block& found = tree_.blocks[meta.block];
  std::vector<int64_t> extents;
  int64_t processors = 1;
  for (const Block::Dimension& dimension : found.dimensions) {
    Word extent = 0;
    workers_[0]->evaluator.evaluate(*dimension.extent, frame(), kHost, &extent);
    if (extent < 0) throw Failed();
    if (__builtin_mul_overflow(processors, extent, &processors) || processors > kMostProcessors) {
      throw Failed();
    }
    extents.push_back(extent);
  }
  if (processors == 0) return;
  const auto count = static_cast<size_t>(processors);
  const uint32_t sets = sets_of(meta.body);
  size_t bytes = 2 * buffers_of(meta.body) * sizeof(Word) + (1 + sets) * sizeof(uint32_t);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (tree_.privates[i].block == meta.block && !meta_.hosted[i]) bytes += sizeof(Word);
  }
  reservation_.resize(std::max(reservation_.bytes(), bytes * count));
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (tree_.privates[i].block == meta.block) columns_[i].assign(meta_.hosted[i] ? 1 : count, 0);
  }
  extents_ = std::move(extents);
  processors_ = static_cast<uint32_t>(processors);
  sets_.resize(std::max<size_t>(sets_.size(), sets));
  sets_[0].form = Processors::Form::kAll;
  sets_[0].total = sets_[0].count = processors_;
  for (const auto& worker : workers_) {
    worker->evaluator.observer = processors_ > 1 ? read_check_.get() : nullptr;
  }
  nodes(meta.body);
  for (const auto& worker : workers_) worker->evaluator.observer = nullptr;
  extents_.clear();
  processors_ = 1;
}

/// Adds what happens until it ends to the costs of a node.
class CpuMachine::Launch {
 public:
  Launch(CpuMachine& machine, const Meta& meta, const Processors& set) : cost_(machine.costs_[&meta]) {
    machine.step();
    cost_.line = meta.place.line;
    ++cost_.launches;
    cost_.processors += set.count;
    if (set.form == Processors::Form::kList) ++cost_.lists;
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  ~Launch() {
    cost_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  KernelCost& cost_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

template <class F>
void CpuMachine::parts(const Processors& set, F f) {
  team_.run(set.parts(), [&](size_t number, uint32_t part) {
    Worker& worker = *workers_[number];
    const Scratch<uint32_t> scratch(worker.numbers);
    const Lanes lanes = set.part(part, scratch.data);
    if (lanes.count != 0) f(worker, part, lanes);
  });
}

void CpuMachine::kernel(const Meta& meta) {
  const Processors& set = sets_[meta.from];
  if (set.count == 0) return;
  const Launch launch(*this, meta, set);
  if (meta.writing != Writing::kInPlace) return buffer(meta, set);
  parts(set, [&](Worker& worker, uint32_t, const Lanes& lanes) { go(worker, meta.statements, lanes); });
}

void CpuMachine::go(Worker& worker, const std::vector<Statement>& statements, const Lanes& lanes) {
  for (const Statement& statement : statements) {
    if (statement.kind == Statement::Kind::kAssign) {
      assign(worker, statement, lanes);
    } else if (statement.kind == Statement::Kind::kWhile) {
      loop(worker, statement, lanes);
    } else {
      const Scratch<Word> holds(worker.words);
      const Scratch<uint32_t> list(worker.numbers);
      worker.evaluator.evaluate(*statement.condition, frame(), lanes, holds.data);
      const Lanes chosen = choose(holds.data, 1, lanes, list.data);
      if (chosen.count != 0) go(worker, statement.body, chosen);
      if (chosen.count == lanes.count || statement.otherwise.empty()) continue;
      go(worker, statement.otherwise, choose(holds.data, 0, lanes, list.data));
    }
  }
}

void CpuMachine::loop(Worker& worker, const Statement& statement, const Lanes& lanes) {
  const Scratch<Word> holds(worker.words);
  const Scratch<uint32_t> list(worker.numbers);
  Lanes inside = lanes;
  for (uint64_t round = steps_;; ++round) {
    if (round > options_.max_steps) throw Failed();
    team_.check();
    worker.evaluator.evaluate(*statement.condition, frame(), inside, holds.data);
    inside = choose(holds.data, 1, inside, list.data);
    if (inside.count == 0) return;
    go(worker, statement.body, inside);
  }
}

Lanes CpuMachine::choose(const Word* holds, Word wanted, const Lanes& lanes, uint32_t* list) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < lanes.count; ++i) count += holds[i] == wanted;
  if (count == lanes.count) return lanes;
  count = 0;
  for (uint32_t i = 0; i < lanes.count; ++i) {
    const uint32_t processor = lanes[i];
    if (holds[i] == wanted) list[count++] = processor;
  }
  return {0, list, count};
}

template <class C, class V>
void CpuMachine::evaluate(Worker& worker, const Statement& statement, const Lanes& lanes, C cells, V values) {
  const std::vector<Target>& targets = statement.targets;
  for (size_t t = 0; t < targets.size(); ++t) {
    if (!targets[t].shared) continue;
    worker.evaluator.cells(targets[t].index, targets[t].cell, targets[t].place, frame(), lanes, cells(t));
    // No processor may write one cell twice.
    for (size_t other = 0; other < t; ++other) {
      if (!targets[other].shared || targets[other].index != targets[t].index) continue;
      for (uint32_t i = 0; i < lanes.count; ++i) {
        if (cells(t)[i] == cells(other)[i]) throw Failed();
      }
    }
  }
  for (size_t t = 0; t < targets.size(); ++t) {
    worker.evaluator.evaluate(*statement.values[t], frame(), lanes, values(t));
  }
  for (size_t t = 0; t < targets.size(); ++t) {
    if (targets[t].shared) continue;
    Word* column = columns_[targets[t].index].data();
    const Word* from = values(t);
    if (lanes.list == nullptr) {
      std::copy_n(from, lanes.count, column + lanes.first);
    } else {
      for (uint32_t i = 0; i < lanes.count; ++i) column[lanes.list[i]] = from[i];
    }
  }
}

void CpuMachine::assign(Worker& worker, const Statement& statement, const Lanes& lanes) {
  const size_t targets = statement.targets.size();
  for (size_t t = worker.cells.size(); t < targets; ++t) {
    worker.cells.emplace_back(kLanes);
    worker.values.emplace_back(kLanes);
  }
  evaluate(
      worker, statement, lanes, [&](size_t t) { return worker.cells[t].data(); },
      [&](size_t t) { return worker.values[t].data(); });
  for (size_t t = 0; t < targets; ++t) {
    const Target& target = statement.targets[t];
    if (!target.shared) continue;
    Word* words = memory_.variables[target.index].words.data();
    // To a scalar there is one writer, or all write the same.
    const uint32_t count = target.cell.empty() ? 1 : lanes.count;
    for (uint32_t i = 0; i < count; ++i) store(words[worker.cells[t][i]], worker.values[t][i]);
  }
}

void CpuMachine::buffer(const Meta& meta, const Processors& set) {
  const Statement& assignment = assignment_of(meta);
  std::vector<uint32_t> shared;  // the variables written to, and at each target its column
  std::vector<size_t> column(assignment.targets.size());
  for (size_t t = 0; t < column.size(); ++t) {
    column[t] = shared.size();
    if (assignment.targets[t].shared) shared.push_back(assignment.targets[t].index);
  }
  pending_.resize(set.parts(), shared);
  parts(set, [&](Worker& worker, uint32_t part, const Lanes& all) {
    const Scratch<uint32_t> list(worker.numbers);
    const Scratch<Word> values(worker.words);
    Lanes lanes = all;
    for (const Statement* statement = &meta.statements[0]; statement != &assignment;
         statement = &statement->body[0]) {
      worker.evaluator.evaluate(*statement->condition, frame(), lanes, values.data);
      lanes = choose(values.data, 1, lanes, list.data);
      if (lanes.count == 0) return;
    }
    const size_t begin = size_t{part} * kLanes;
    for (size_t t = worker.values.size(); t < assignment.targets.size(); ++t) {
      worker.cells.emplace_back(kLanes);
      worker.values.emplace_back(kLanes);
    }
    evaluate(
        worker, assignment, lanes,
        [&](size_t t) { return pending_.columns()[column[t]].cells.get() + begin; },
        [&](size_t t) {
          return assignment.targets[t].shared ? pending_.columns()[column[t]].values.get() + begin
                                              : worker.values[t].data();
        });
    pending_.counts[part] = lanes.count;
    for (uint32_t i = 0; i < lanes.count; ++i) pending_.processors[begin + i] = lanes[i];
  });
  const bool exclusive = tree_.mode == Mode::kErew || tree_.mode == Mode::kCrew;
  if (options_.check && exclusive) writer_.check_exclusive(pending_);
  if (meta.writing == Writing::kResolved) {
    writer_.resolve(pending_);
  } else {
    writer_.write(pending_);
  }
  if (options_.check && tree_.mode == Mode::kCommon) writer_.check_common(pending_);
}

void CpuMachine::split(const Meta& meta) {
  const Processors& from = sets_[meta.from];
  if (from.count == 0) return;
  test(meta, from);
  if (meta.rest) take(from, false, sets_[*meta.rest]);
  take(from, true, sets_[meta.to]);
  if (sets_[meta.to].count != 0) nodes(meta.body);
  if (meta.rest && sets_[*meta.rest].count != 0) nodes(meta.otherwise);
}

void CpuMachine::repeat(const Meta& meta) {
  Processors& inside = sets_[meta.to];
  inside = sets_[meta.from];
  while (inside.count != 0) {
    test(meta, inside);
    take(inside, true, inside);
    if (inside.count != 0) nodes(meta.body);
  }
}

void CpuMachine::test(const Meta& meta, const Processors& set) {
  const Launch launch(*this, meta, set);
  mask_.assign(size_t{set.parts()} * (kLanes / 64), 0);
  chosen_.assign(set.parts(), 0);
  const bool spread = set.form == Processors::Form::kBits;
  parts(set, [&](Worker& worker, uint32_t part, const Lanes& lanes) {
    const Scratch<Word> holds(worker.words);
    worker.evaluator.evaluate(*meta.condition, frame(), lanes, holds.data);
    uint64_t* words = mask_.data() + size_t{part} * (kLanes / 64);
    uint32_t count = 0;
    for (uint32_t i = 0; i < lanes.count; ++i) count += holds.data[i] != 0;
    if (spread && lanes.list != nullptr) {
      for (uint32_t i = 0; i < lanes.count; ++i) {
        const uint32_t position = lanes.list[i] % kLanes;
        words[position / 64] |= static_cast<uint64_t>(holds.data[i]) << (position % 64);
      }
    } else {
      for (uint32_t i = 0; i < lanes.count; i += 64) {
        const uint32_t size = std::min(lanes.count - i, 64u);
        uint64_t word = 0;
        for (uint32_t bit = 0; bit < size; ++bit) word |= static_cast<uint64_t>(holds.data[i + bit]) << bit;
        words[i / 64] = word;
      }
    }
    chosen_[part] = count;
  });
}

bool CpuMachine::prefers_list(uint32_t count, uint32_t total) const {
  constexpr uint32_t kSparse = 4;  // measured (docs/performance-pram.md)
  if (options_.active != ActiveForm::kAuto) return options_.active == ActiveForm::kList;
  return count < total / kSparse;
}

void CpuMachine::take(const Processors& from, bool wanted, Processors& to) {
  uint32_t count = 0;
  for (const uint32_t chosen : chosen_) count += chosen;
  if (!wanted) count = from.count - count;
  if (count == from.count) {
    if (&to != &from) to = from;
    return;
  }
  const auto keeps = [&](size_t i) { return wanted ? mask_[i] : ~mask_[i]; };
  if (from.form == Processors::Form::kList) return list(from, keeps, count, to);
  const bool all = from.form == Processors::Form::kAll;
  to.total = from.total;
  to.bits.resize((size_t{to.total} + 63) / 64);
  for (size_t i = 0; i < to.bits.size(); ++i) to.bits[i] = keeps(i) & (all ? ~uint64_t{0} : from.bits[i]);
  if (to.total % 64 != 0) to.bits.back() &= ~uint64_t{0} >> (64 - to.total % 64);
  to.form = Processors::Form::kBits;
  to.count = count;
  if (prefers_list(count, to.total)) list(to, [&](size_t i) { return to.bits[i]; }, count, to);
}

template <class F>
void CpuMachine::list(const Processors& from, F keeps, uint32_t count, Processors& to) {
  const uint32_t positions = from.positions();
  const auto word = [&](uint32_t i) {
    const uint32_t rest = positions - 64 * i;
    return rest < 64 ? keeps(i) & ((uint64_t{1} << rest) - 1) : keeps(i);
  };
  const auto each_word = [&](uint32_t part, auto f) {
    const uint32_t end = std::min((part + 1) * (kLanes / 64), (positions + 63) / 64);
    for (uint32_t i = part * (kLanes / 64); i < end; ++i) f(i, word(i));
  };
  const uint32_t parts = from.parts();
  offsets_.assign(parts, 0);
  team_.run(parts, [&](size_t, uint32_t part) {
    each_word(part,
              [&](uint32_t, uint64_t bits) { offsets_[part] += static_cast<uint32_t>(std::popcount(bits)); });
  });
  std::exclusive_scan(offsets_.begin(), offsets_.end(), offsets_.begin(), 0u);
  spare_.resize(count);
  team_.run(parts, [&](size_t, uint32_t part) {
    uint32_t at = offsets_[part];
    each_word(part, [&](uint32_t i, uint64_t bits) {
      for (; bits != 0; bits &= bits - 1) {
        const uint32_t position = 64 * i + static_cast<uint32_t>(std::countr_zero(bits));
        spare_[at++] = from.form == Processors::Form::kList ? from.list[position] : position;
      }
    });
  });
  to.total = from.total;
  to.count = count;
  to.form = Processors::Form::kList;
  std::swap(to.list, spare_);
}

}  // namespace lanewise::pram
