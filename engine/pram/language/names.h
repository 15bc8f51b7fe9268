#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pram/tree/tree.h"

namespace lanewise::pram {

/// What a name stands for.
struct Symbol {
  enum class Kind : uint8_t { kParameter, kVariable, kPrivate, kProcessor, kFunction, kValue };

  Kind kind = Kind::kParameter;
  uint32_t index = 0;
  ExprPtr value = nullptr;  ///< of a kValue: a function's argument; null if its declaration is invalid
};

/// Names by scope, innermost last.
class Names {
 public:
  Names() : scopes_(1) {}

  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  /// False if the innermost scope has the name already.
  bool add(std::string_view name, const Symbol& symbol) {
    return scopes_.back().emplace(name, symbol).second;
  }
  /// Only the names of the outermost scope.
  Names outermost() const {
    Names result;
    result.scopes_.front() = scopes_.front();
    return result;
  }
  /// Null if there is none.
  const Symbol* find(std::string_view name) const;
  /// The known name that is closest to `name`, if any.
  std::string_view nearest(std::string_view name) const;

 private:
  std::vector<std::unordered_map<std::string_view, Symbol>> scopes_;
};

/// Letters to insert, delete or replace to get from `a` to `b`.
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace lanewise::pram
