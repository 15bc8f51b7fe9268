#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.h"
#include "ops/aggregate/functions/to_real.h"
#include "ops/take.h"
#include "ops/window/function.h"

namespace lanewise::ops {

namespace {

constexpr uint32_t kFilledRows = 2048;

bool is_date_or_timestamp(Type type) {
  return type.id == TypeId::kDate || type.id == TypeId::kTimestamp || type.id == TypeId::kTimestampTz;
}

/// Whether one can compute with it: times are infinite at both ends of their range.
template <class T>
bool is_usable(Type type, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(value);
  } else if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
    constexpr T kInfinity = std::numeric_limits<T>::max();
    return !is_date_or_timestamp(type) || (value != kInfinity && value != -kInfinity);
  } else {
    return true;
  }
}

template <class T>
double real_of(T value) {
  if constexpr (std::is_same_v<T, int128_t>) {
    return to_real<double>(value);
  } else {
    return static_cast<double>(value);
  }
}

/// Calls f(T{}) with the type in memory, which is that of a number.
template <class F>
auto visit_number(Type type, F f) {
  return visit(type.physical(), [&](auto zero) {
    if constexpr (std::is_arithmetic_v<decltype(zero)> || sizeof(zero) == sizeof(int128_t)) {
      if constexpr (std::is_same_v<decltype(zero), Interval> ||
                    std::is_same_v<decltype(zero), std::string_view>) {
        throw InternalError("fill() of " + type.name());
      } else {
        f(zero);
      }
    } else {
      throw InternalError("fill() of " + type.name());
    }
  });
}

/// The unsigned integers of T's width, in which 32 and 64 bits wrap around as the reference's do.
template <class T>
using Bits = std::make_unsigned_t<T>;

template <class T>
double difference(T low, T high) {
  if constexpr (std::is_floating_point_v<T> || sizeof(T) < sizeof(int32_t)) {
    return static_cast<double>(high - low);
  } else {
    return static_cast<double>(static_cast<T>(static_cast<Bits<T>>(high) - static_cast<Bits<T>>(low)));
  }
}

/// The number as a T, if it fits.
template <class T>
std::optional<T> converted(double value) {
  constexpr int kBits = std::numeric_limits<T>::digits;
  const double end = std::ldexp(1.0, kBits), begin = std::is_signed_v<T> ? -end : 0;
  if (!(value >= begin && value < end)) return std::nullopt;
  return static_cast<T>(std::nearbyint(value));
}

/// The value at `share` of the way from `low` to `high`: outside of it if it is not between 0 and 1.
/// Nothing if the type does not have it.
template <class T>
std::optional<T> at_share(T low, double share, T high) {
  if constexpr (std::is_same_v<T, double>) {
    return low * (1.0 - share) + high * share;
  } else if constexpr (std::is_same_v<T, int128_t> || std::is_same_v<T, uint128_t>) {
    const double value = real_of(low) * (1.0 - share) + real_of(high) * share;
    const double end = std::ldexp(1.0, std::is_same_v<T, int128_t> ? 127 : 128);
    if (!(value < end && value > (std::is_same_v<T, int128_t> ? -end : -1.0))) return std::nullopt;
    return static_cast<T>(value);
  } else if constexpr (std::is_same_v<T, float>) {
    return low + static_cast<float>(difference(low, high) * share);
  } else {
    if (share >= 0 && share <= 1) {
      const auto offset = static_cast<T>(difference(low, high) * share);
      return static_cast<T>(static_cast<Bits<T>>(low) + static_cast<Bits<T>>(offset));
    }
    if (low > high) return at_share(high, -share, low);  // the reference also starts at the lesser value
    const auto offset = converted<T>(difference(low, high) * std::abs(share));
    T result;
    if (!offset || (share < 0 ? __builtin_sub_overflow(low, *offset, &result)
                              : __builtin_add_overflow(low, *offset, &result)))
      return std::nullopt;
    return result;
  }
}

/// fill(value): missing values are interpolated between the two nearest by the order's key, or extrapolated.
class Fill : public WindowFunction {
 public:
  explicit Fill(const plan::WindowCall& call) : value_(call.call.args.at(0)), key_(call.call.args.at(1)) {}

  void prepare(const WindowRows& rows, EvalContext& context) override {
    given_.emplace(context.budget, kWindow);
    before_.emplace(context.budget, kWindow);
    Arena arena(context.budget, kWindow);
    for (uint32_t first = 0; first < rows.rows; first += kFilledRows) {
      if (context.cancellation != nullptr) context.cancellation->check();
      arena.reset();
      const uint32_t count = std::min(kFilledRows, rows.rows - first);
      const auto *values = usable(rows, *value_, first, count, arena),
                 *keys = usable(rows, *key_, first, count, arena);
      for (uint32_t i = 0; i < count; ++i) {
        before_->push_back(static_cast<uint32_t>(given_->size()));
        if (values[i] && keys[i]) given_->push_back(first + i);
      }
    }
    before_->push_back(static_cast<uint32_t>(given_->size()));
  }

  ColumnPtr evaluate(const WindowRows& rows, uint32_t first, uint32_t count,
                     EvalContext& context) const override {
    ColumnBuilder builder(value_->type, context.budget, kWindow);
    Arena arena(context.budget, kWindow);
    WindowCursor cursor(rows, first);
    for (uint32_t done = 0; done < count; done += kFilledRows) {
      arena.reset();
      const uint32_t some = std::min(kFilledRows, count - done);
      append(rows, cursor, some, arena, builder);
    }
    return builder.finish();
  }

 private:
  /// For each row whether the expression's value can be computed with.
  static const bool* usable(const WindowRows& rows, const Expr& expr, uint32_t first, uint32_t count,
                            Arena& arena) {
    auto* result = arena.allocate<bool>(count);
    const Vector values = rows.values(expr, first, count, arena);
    visit_number(expr.type, [&]<class T>(T) {
      for (uint32_t i = 0; i < count; ++i)
        result[i] = !values.is_null(i) && is_usable(expr.type, values.as<T>()[values.constant ? 0 : i]);
    });
    return result;
  }

  /// The values of the cursor's row and of those that follow it.
  void append(const WindowRows& rows, WindowCursor& cursor, uint32_t count, Arena& arena,
              ColumnBuilder& builder) const {
    const uint32_t first = cursor.row();
    auto *low = arena.allocate<uint32_t>(count), *high = arena.allocate<uint32_t>(count);
    for (uint32_t i = 0; i < count; ++i, cursor.advance()) find(cursor, low[i], high[i]);
    const ActiveSet all(count, arena);
    const double* at = keys(rows.values(*key_, first, count, arena), count, arena);
    const double* from = keys(rows.values_at(*key_, low, all), count, arena);
    const double* to = keys(rows.values_at(*key_, high, all), count, arena);
    const bool* has_key = usable(rows, *key_, first, count, arena);
    const Vector own = rows.values(*value_, first, count, arena);
    const Vector lows = rows.values_at(*value_, low, all), highs = rows.values_at(*value_, high, all);
    visit_number(value_->type, [&]<class T>(T) {
      const auto value = [](const Vector& vector, uint32_t i) {
        return vector.as<T>()[vector.constant ? 0 : i];
      };
      for (uint32_t i = 0; i < count; ++i) {
        std::optional<T> result;
        if (!own.is_null(i)) {
          result = value(own, i);
        } else if (has_key[i] && low[i] != kNoRow) {
          const double distance = to[i] - from[i];
          result =
              low[i] == high[i]
                  ? value(lows, i)
                  : filled(value(lows, i), distance == 0 ? 0 : (at[i] - from[i]) / distance, value(highs, i));
        }
        if (result) {
          builder.append_physical(*result);
        } else {
          builder.append_null();
        }
      }
    });
  }

  /// The two given rows nearest to the cursor's; kNoRow: there is none; the same: there is one.
  void find(const WindowCursor& cursor, uint32_t& low, uint32_t& high) const {
    const uint32_t begin = (*before_)[cursor.partition_begin()], end = (*before_)[cursor.partition_end()];
    if (begin == end) {
      low = high = kNoRow;
      return;
    }
    const uint32_t here = (*before_)[cursor.row()];
    uint32_t before = here > begin ? here - 1 : here;
    if (before + 1 == end && before > begin) --before;
    low = (*given_)[before];
    high = (*given_)[std::min(before + 1, end - 1)];
  }

  static const double* keys(const Vector& vector, uint32_t count, Arena& arena) {
    auto* result = arena.allocate<double>(count);
    visit_number(vector.type, [&]<class T>(T) {
      for (uint32_t i = 0; i < count; ++i) result[i] = real_of(vector.as<T>()[vector.constant ? 0 : i]);
    });
    return result;
  }

  /// Short decimals are computed in the width that the reference stores them in.
  template <class T>
  std::optional<T> filled(T low, double share, T high) const {
    if constexpr (std::is_same_v<T, int64_t>) {
      const auto narrow = [&]<class Narrow>(Narrow) {
        return std::optional<T>(at_share(static_cast<Narrow>(low), share, static_cast<Narrow>(high)));
      };
      const bool is_decimal = value_->type.id == TypeId::kDecimal;
      if (is_decimal && value_->type.precision <= 4) return narrow(int16_t{});
      if (is_decimal && value_->type.precision <= 9) return narrow(int32_t{});
    }
    return at_share(low, share, high);
  }

  const ExprPtr value_;
  const ExprPtr key_;
  std::optional<BufferBuilder<uint32_t>> given_;   // rows with a value and a key
  std::optional<BufferBuilder<uint32_t>> before_;  // by row: the number of such rows before it
};

constexpr NamedWindowFunction kFillFunctions[] = {
    // NOLINTNEXTLINE(performance-unnecessary-value-param): the other functions keep their frames.
    {"fill", [](const plan::WindowCall& call, Frames) -> std::unique_ptr<WindowFunction> {
       return std::make_unique<Fill>(call);
     }}};

}  // namespace

std::span<const NamedWindowFunction> fill_functions() { return kFillFunctions; }

}  // namespace lanewise::ops
