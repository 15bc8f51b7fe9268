#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pram/tree/tree.h"

namespace lanewise::pram {

/// A string that is equal for two expressions only if they are the same.
std::string key_of(const Expr& expr);

/// Whether an expression has one value in a kernel: it reads no cell, and nothing of a single processor.
bool is_fixed(const Expr& expr);

/// An integer expression as a sum of products of processor numbers and of expressions that are fixed in a
/// kernel.
class Polynomial {
 public:
  /// Nothing for expressions that read cells or private variables, or divide processor numbers.
  static std::optional<Polynomial> of(const Expr& expr);

  /// A factor is a processor number ("p0", of dimension 0) or the key of a fixed expression; sorted.
  using Product = std::vector<std::string>;
  static bool is_processor(const std::string& factor) { return factor[0] == 'p'; }
  static bool has_processor(const Product& product);

  /// Whether it is the same for all processors.
  bool same_for_all() const;

  /// No coefficient is 0.
  const std::map<Product, int64_t>& terms() const { return terms_; }
  bool operator==(const Polynomial&) const = default;

  /// Nothing if a coefficient grows too large.
  std::optional<Polynomial> plus(const Polynomial& other, int64_t times) const;
  std::optional<Polynomial> times(const Polynomial& other) const;

 private:
  static Polynomial term(const Product& product, int64_t number);
  bool add(const Product& product, int64_t number);

  std::map<Product, int64_t> terms_;
};

}  // namespace lanewise::pram
