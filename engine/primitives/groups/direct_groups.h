#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "active/active_set.h"
#include "base/memory.h"
#include "primitives/groups/key_words.h"

namespace lanewise {

/// A shortcut before a hash table for keys of a small domain: integers of a narrow range, booleans,
/// dictionary codes. The combined code of a row's keys is the index into an array of group numbers. Unknown
/// keys are left to the table, and their groups are then stored in the array.
class DirectGroups {
 public:
  /// `what`, a string literal, names the operator in memory errors.
  DirectGroups(MemoryBudget* budget, std::string_view what) : cache_(budget, what) {}

  /// Sets groups[row] of the active rows whose group is known. Returns, in ascending order, the rows whose
  /// groups the caller must set: the first of each unknown code, and all that have no code.
  std::span<const uint32_t> find(std::span<const KeyWords> keys, const ActiveSet& rows, uint32_t* groups);
  /// Stores groups[row] of the rows that the last find() returned, and sets those of all other rows.
  void learn(std::span<const uint32_t> rows, uint32_t* groups);

 private:
  /// The integers [base, base + size) of a key column.
  struct Window {
    int64_t base = 0;
    uint64_t size = 0;
    bool full = false;  ///< it cannot grow any more
  };

  /// The dictionary of the cached codes; kept alive, so that no other dictionary gets its address.
  struct Dictionary {
    Buffer text;
    Buffer offsets;
    int64_t rows = -1;
  };

  bool find_integers(const KeyWords& key, const ActiveSet& rows, uint32_t* groups);
  bool find_codes(std::span<const KeyWords> keys, const ActiveSet& rows, uint32_t* groups);
  template <class CodeOf>
  bool look_up(const ActiveSet& rows, CodeOf code_of, uint32_t* groups) const;
  template <class CodeOf>
  void leave(const ActiveSet& rows, CodeOf code_of, const uint32_t* groups);
  void recall(std::span<const KeyWords> keys);
  bool prepare(uint64_t domain, const ActiveSet& rows);
  uint64_t add_codes(const KeyWords& key, const ActiveSet& rows, uint64_t domain);
  uint64_t add_integers(size_t column, const KeyWords& key, const ActiveSet& rows, uint64_t domain);
  bool widen(Window& window, const KeyWords& key, const ActiveSet& rows);
  void clear(uint64_t domain);

  std::vector<Window> windows_;           // by column
  std::vector<Dictionary> dictionaries_;  // by column
  /// By code; the last entry is never known and is used for codes that are too large.
  BufferBuilder<uint32_t> cache_;
  uint64_t domain_ = 0;
  bool any_dictionary_ = false;
  bool hopeless_ = false;              // the keys' range is too wide
  uint32_t* combined_ = nullptr;       // combined codes of all columns, by row
  uint32_t* codes_ = nullptr;          // codes of the rows that the last find() left, by row
  std::span<const uint32_t> unknown_;  // rows that the last find() left to the caller
  std::span<const uint32_t> waiting_;  // rows whose code occurs in an earlier one of those
};

}  // namespace lanewise
