#include "text/automaton/product.h"

#include <algorithm>
#include <map>

#include "text/automaton/table.h"

namespace lanewise::text::automaton {
namespace {

/// A state of each automaton; kDead if it cannot match any more, or is not needed any more.
using Tuple = std::vector<uint16_t>;
constexpr uint16_t kDead = UINT16_MAX;

/// Numbers keys in the order in which they are first reached.
template <class Key>
class Numbers {
 public:
  size_t operator[](const Key& key) {
    const auto [it, isNew] = known_.emplace(key, keys_.size());
    if (isNew) keys_.push_back(key);
    return it->second;
  }
  const std::vector<Key>& keys() const { return keys_; }

 private:
  std::map<Key, size_t> known_;
  std::vector<Key> keys_;
};

class Builder {
 public:
  Builder(std::span<const CompleteAutomaton* const> automata, Which which)
      : automata_(automata), which_(which) {
    for (size_t byte = 0; byte < 256; ++byte) {
      Tuple classes;
      for (const CompleteAutomaton* one : automata_) classes.push_back(one->class_of[byte]);
      table_.class_of[byte] = static_cast<uint8_t>(classes_[classes]);
    }
    table_.classes = classes_.keys().size();
    sets_[0];
  }

  std::optional<Product> build(size_t most_states) {
    Tuple start;
    for (const CompleteAutomaton* one : automata_) start.push_back(static_cast<uint16_t>(one->start));
    table_.start = number(start);
    for (size_t s = 0; s < states_.keys().size(); ++s) {
      const Tuple from = states_.keys()[s];
      for (const Tuple& classes : classes_.keys()) table_.next.push_back(number(step(from, classes)));
      table_.labels.push_back(static_cast<uint8_t>(sets_[matching(from)]));
      if (states_.keys().size() > most_states || sets_.keys().size() > 256) return std::nullopt;
    }
    minimise(table_);
    reject_somewhere();
    return Product{numbered(table_), sets_.keys()};
  }

 private:
  uint32_t number(Tuple state) {
    bool open = true;
    for (size_t i = 0; i < state.size(); ++i) {
      if (!open || state[i] == automata_[i]->dead) state[i] = kDead;
      // After the first one that matches in any case, later ones do not matter.
      if (which_ == Which::kFirst && state[i] != kDead && state[i] >= automata_[i]->match) open = false;
    }
    return static_cast<uint32_t>(states_[state]);
  }

  Tuple step(const Tuple& from, const Tuple& classes) const {
    Tuple to = from;
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i] != kDead) to[i] = automata_[i]->next[from[i] * automata_[i]->classes + classes[i]];
    }
    return to;
  }

  /// If the text ends here.
  uint64_t matching(const Tuple& state) const {
    uint64_t set = 0;
    for (size_t i = 0; i < state.size(); ++i) {
      if (state[i] == kDead || state[i] < automata_[i]->end_accept) continue;
      set |= uint64_t{1} << i;
      if (which_ == Which::kFirst) break;
    }
    return set;
  }

  /// Lanes require a state that does not match: if all do, an unreachable one is added.
  void reject_somewhere() {
    if (std::ranges::find(table_.labels, 0) != table_.labels.end()) return;
    table_.next.insert(table_.next.end(), table_.classes, static_cast<uint32_t>(table_.states()));
    table_.labels.push_back(0);
  }

  const std::span<const CompleteAutomaton* const> automata_;
  const Which which_;
  Numbers<Tuple> classes_, states_;
  Numbers<uint64_t> sets_;
  Table table_;
};

}  // namespace

std::optional<Product> product(std::span<const CompleteAutomaton* const> automata, Which which,
                               size_t most_states) {
  constexpr size_t kStates = 65'000;  // their numbers are 16-bit
  return Builder(automata, which).build(std::min(most_states, kStates));
}

}  // namespace lanewise::text::automaton
