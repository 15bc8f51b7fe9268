#include "pram/executor/machine.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>

#include "pram/meta/shape.h"

namespace lanewise::pram {

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
    : MetaMachine(program, meta, inputs, options),
      team_(threads, options.cancellation),
      writer_(tree_, memory_, options_, team_),
      reservation_(options.budget, "the private variables of a PRAM program") {
  if (options_.check && tree_.mode == Mode::kErew) {
    read_check_ = std::make_unique<ReadCheck>(*this);
    for (const Array& array : memory_.variables) {
      memory_.reservation.resize(memory_.reservation.bytes() + array.words.size() * sizeof(uint64_t));
      readers_.emplace_back(array.words.size());
    }
  }
  for (size_t i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(tree_, memory_));
}

void CpuMachine::host(const Statement& statement) { assign(*workers_[0], statement, kHost); }

bool CpuMachine::holds(const Expr& condition) {
  Word value = 0;
  evaluator_.evaluate(condition, frame(), kHost, &value);
  return value != 0;
}

void CpuMachine::begin_block(const Meta& meta) {
  const auto is_column = [&](size_t i) { return tree_.privates[i].block == meta.block && !meta_.hosted[i]; };
  const uint32_t sets = sets_of(meta.body);
  size_t bytes = 2 * buffers_of(meta.body) * sizeof(Word) + (1 + sets) * sizeof(uint32_t);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (is_column(i)) bytes += sizeof(Word);
  }
  reservation_.resize(std::max(reservation_.bytes(), bytes * processors_));
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (is_column(i)) columns_[i].assign(processors_, 0);
  }
  sets_.resize(std::max<size_t>(sets_.size(), sets));
  sets_[0].form = Processors::Form::kAll;
  sets_[0].total = sets_[0].count = processors_;
  for (const auto& worker : workers_) {
    worker->evaluator.observer = processors_ > 1 ? read_check_.get() : nullptr;
  }
}

void CpuMachine::end_block() {
  for (const auto& worker : workers_) worker->evaluator.observer = nullptr;
}

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
  const Launch launch(*this, meta, set.count, set.positions(), set.form == Processors::Form::kList);
  if (meta.writing != Writing::kInPlace) return buffer(meta, set);
  parts(set, [&](Worker& worker, uint32_t, const Lanes& lanes) {
    worker.rounds = steps_;
    go(worker, meta.statements, lanes);
  });
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
  for (;; ++worker.rounds) {
    if (worker.rounds > options_.max_steps) throw Failed();
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
    // A scalar has one writer, or all write the same value.
    const uint32_t count = target.cell.empty() ? 1 : lanes.count;
    for (uint32_t i = 0; i < count; ++i) store(words[worker.cells[t][i]], worker.values[t][i]);
  }
}

void CpuMachine::buffer(const Meta& meta, const Processors& set) {
  const Statement& assignment = assignment_of(meta);
  std::vector<uint32_t> shared;  // the shared variables written to, and the column of each target
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

void CpuMachine::test(const Meta& meta, uint32_t number) {
  const Processors& set = sets_[number];
  const Launch launch(*this, meta, set.count, set.positions(), set.form == Processors::Form::kList);
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

void CpuMachine::take(uint32_t source, bool wanted, uint32_t goal) {
  const Processors& from = sets_[source];
  Processors& to = sets_[goal];
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
