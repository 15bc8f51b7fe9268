#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <unordered_set>

#include "base/error.h"
#include "expr/evaluation/evaluation.h"
#include "expr/function.h"
#include "expr/numbers.h"
#include "expr/vectors/compare.h"
#include "expr/vectors/compare_vectors.h"
#include "expr/vectors/loops.h"
#include "primitives/groups/hash.h"

namespace lanewise::expr {

namespace {

/// Up to this many items are compared in sequence, without branches, instead of looked up.
constexpr size_t kFew = 8;
/// Integers no further apart than this are looked up in a bitmap.
constexpr uint64_t kSpan = 1 << 16;

/// Equal keys for equal values.
template <class T>
struct Key {
  size_t operator()(const T& value) const {
    if constexpr (std::is_same_v<T, Interval>) {
      const auto [months, days, micros] = normalise(value);
      return hash::of_word(static_cast<uint64_t>((months * 31 + days) * 86'400'000'007 + micros));
    } else if constexpr (std::is_floating_point_v<T>) {
      const double number = std::isnan(value) || value == 0 ? 0 : static_cast<double>(value);
      return hash::of_word(std::bit_cast<uint64_t>(number));
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      return hash::of_bytes(reinterpret_cast<const uint8_t*>(value.data()), value.size());
    } else {
      return hash::of_word(static_cast<uint64_t>(value) ^ static_cast<uint64_t>(value >> (sizeof(T) * 4)));
    }
  }
};
template <class T>
struct Same {
  bool operator()(const T& a, const T& b) const { return equal(a, b); }
};

/// The literals of an IN list without NULLs.
struct InSet : Prepared {
  bool has_null = false;
  std::vector<Value> items;

  virtual const uint64_t* find(const Vector& values, const ActiveSet& rows, EvalContext& context) const = 0;
};

template <class T>
struct TypedInSet final : InSet {
  std::unordered_set<T, Key<T>, Same<T>> set;
  T least{};  // with `spanned`: the item of bit 0
  std::vector<uint64_t>
      spanned;  // a bit for each number from the smallest item to the greatest, if they are close

  /// Called after the last item.
  void finish() {
    if constexpr (is_integer<T> && sizeof(T) <= 8) {
      if (set.empty()) return;
      const auto [low, high] = std::minmax_element(set.begin(), set.end());
      const uint64_t span = static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low);
      if (span >= kSpan) return;
      least = *low;
      spanned.resize(span / 64 + 1);
      for (const T item : set)
        bits::set(spanned.data(), static_cast<uint64_t>(item) - static_cast<uint64_t>(least));
    }
  }

  std::string describe(lanes::Target, const lanes::Tuning&) const override {
    const char* how = items.size() <= kFew ? "comparisons with "
                      : spanned.empty()    ? "hash of "
                                           : "bitmap of ";
    return how + std::to_string(items.size()) + " items";
  }

  const uint64_t* find(const Vector& values, const ActiveSet& rows, EvalContext& context) const override {
    const size_t words = bits::words(rows.rows());
    auto* found = context.arena->allocate<uint64_t>(words + 1);
    std::fill_n(found, words, 0);
    if (items.size() <= kFew) {
      for (const Value& item : items) {
        const uint64_t* hits =
            rows_where(Comparison::eq, values, constant(item, *context.arena), rows, context);
        for (size_t word = 0; word < words; ++word) found[word] |= hits[word];
      }
      return found;
    }
    const Reader<T> in(values);
    if constexpr (is_integer<T> && sizeof(T) <= 8) {
      if (!spanned.empty()) {
        // All rows, without a branch; values in inactive rows do not matter.
        for (uint32_t row = 0; row < rows.rows(); ++row) {
          const uint64_t bit = static_cast<uint64_t>(in[row]) - static_cast<uint64_t>(least);
          const uint64_t word = bit / 64 < spanned.size() ? spanned[bit / 64] : 0;
          found[row / 64] |= (word >> (bit % 64) & 1) << (row % 64);
        }
        const uint64_t* active = rows.bitmap();
        for (size_t word = 0; word < words; ++word) found[word] &= active[word];
        return found;
      }
    }
    rows.for_each([&](uint32_t row) {
      if (set.contains(in[row])) bits::set(found, row);
    });
    return found;
  }
};

const uint64_t* minus(const ActiveSet& rows, const uint64_t* bits) {
  auto* result = rows.arena().allocate<uint64_t>(bits::words(rows.rows()) + 1);
  for (size_t word = 0; word < bits::words(rows.rows()); ++word)
    result[word] = rows.bitmap()[word] & ~bits[word];
  return result;
}

/// IN a list of expressions: one item after the other, each for the rows that are not found yet.
Truth truth_of_items(const Expr& expr, const Vector& wanted, Columns columns, const ActiveSet& valid,
                     EvalContext& context) {
  const size_t words = bits::words(valid.rows());
  auto* yes = context.arena->allocate<uint64_t>(words + 1);
  auto* unknown = context.arena->allocate<uint64_t>(words + 1);
  std::fill_n(yes, words, 0);
  std::fill_n(unknown, words, 0);
  ActiveSet open = valid;
  for (size_t arg = 1; arg < expr.args.size() && !open.none(); ++arg) {
    const Vector item = flatten(evaluate(*expr.args[arg], columns, open, context), open);
    const ActiveSet present = item.validity == nullptr ? open : open.narrowed(item.validity);
    const uint64_t* hits = rows_where(Comparison::eq, wanted, item, present, context);
    for (size_t word = 0; word < words; ++word) {
      if (item.validity != nullptr) unknown[word] |= open.bitmap()[word] & ~item.validity[word];
      yes[word] |= hits[word];
    }
    open.remove(hits);
  }
  for (size_t word = 0; word < words; ++word) unknown[word] &= ~yes[word];
  return {yes, unknown};
}

}  // namespace

std::shared_ptr<const Prepared> prepare_in(const std::vector<ExprPtr>& args) {
  for (size_t arg = 1; arg < args.size(); ++arg) {
    if (args[arg]->kind != Expr::Kind::kLiteral) return nullptr;
  }
  return visit(args[0]->type.physical(), [&](auto zero) -> std::shared_ptr<const Prepared> {
    using T = decltype(zero);
    auto result = std::make_shared<TypedInSet<T>>();
    for (size_t arg = 1; arg < args.size(); ++arg) {
      if (args[arg]->literal.is_null()) {
        result->has_null = true;
      } else {
        result->items.push_back(args[arg]->literal);
      }
    }
    for (const Value& item : result->items) result->set.insert(from_value<T>(item));
    result->finish();
    return result;
  });
}

Truth truth_of_in(const Expr& expr, Columns columns, const ActiveSet& rows, EvalContext& context) {
  if (rows.none()) return truth_of(null_vector(TypeId::kBool, rows.arena()), rows);
  const Vector given = evaluate(*expr.args[0], columns, rows, context);
  if (given.constant && given.is_null(0)) return truth_of(null_vector(TypeId::kBool, rows.arena()), rows);
  const uint64_t* validity = given.constant ? nullptr : given.validity;
  const ActiveSet valid = validity == nullptr ? rows : rows.narrowed(validity);
  const auto* set = static_cast<const InSet*>(expr.prepared.get());
  Truth truth;
  if (set == nullptr) {
    truth = truth_of_items(expr, flatten(given, rows), columns, valid, context);
  } else if (given.form == Vector::Form::kDictionary && given.dictionary->rows <= valid.count()) {
    const auto entries = static_cast<uint32_t>(given.dictionary->rows);
    const ActiveSet all(entries, rows.arena());
    const Vector hit =
        vector_of({set->find(slice(*given.dictionary, 0, entries, rows.arena()), all, context)}, all);
    truth = truth_of(gather(hit, given.as<uint32_t>(), valid), valid);
  } else {
    truth.yes = set->find(flatten(given, rows), valid, context);
  }
  if (set != nullptr && set->has_null) truth.unknown = minus(valid, truth.yes);
  if (validity != nullptr) {
    const uint64_t* null = minus(rows, validity);
    if (truth.unknown != nullptr) {
      auto* merged = rows.arena().allocate<uint64_t>(bits::words(rows.rows()) + 1);
      for (size_t word = 0; word < bits::words(rows.rows()); ++word)
        merged[word] = null[word] | truth.unknown[word];
      null = merged;
    }
    truth.unknown = null;
  }
  return truth;
}

}  // namespace lanewise::expr
