#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/packed.h"
#include "data/value.h"
#include "ops/aggregate/functions/to_real.h"
#include "plan/node.h"

/// The plain meaning of the aggregate functions, for tests: all rows of one group at once, value by value.
namespace lanewise::ops::reference {

struct Row {
  std::vector<Value> args;
  std::vector<Value> order;
};

inline int compare_keys(const Row& a, const Row& b, const std::vector<plan::SortKey>& keys) {
  for (size_t k = 0; k < keys.size(); ++k) {
    const Value &x = a.order[k], &y = b.order[k];
    int order;
    if (x.is_null() || y.is_null()) {
      order = static_cast<int>(y.is_null()) - static_cast<int>(x.is_null());
      if (!keys[k].nulls_first) order = -order;
    } else {
      order = compare(x, y);
      if (keys[k].descending) order = -order;
    }
    if (order != 0) return order;
  }
  return 0;
}

inline double real(const Value& value) {
  if (value.type().is_float()) return value.real();
  double result = value.type().is_unsigned_integer() ? static_cast<double>(value.natural())
                                                     : static_cast<double>(value.integer());
  for (int digit = 0; value.type().id == TypeId::kDecimal && digit < value.type().scale; ++digit)
    result /= 10;
  return result;
}

inline int128_t whole(const Value& value) {
  return value.type().is_unsigned_integer() ? static_cast<int128_t>(value.natural()) : value.integer();
}

inline Value number(Type type, int128_t value) { return {type, value}; }

inline Value quantile(Type type, std::vector<Value> values, const Value& share_value, bool continuous) {
  if (values.empty()) return Value(type);
  double share = real(share_value);
  std::stable_sort(values.begin(), values.end(), [&](const Value& a, const Value& b) {
    return share < 0 ? compare(b, a) < 0 : compare(a, b) < 0;
  });
  share = std::abs(share);
  const auto n = static_cast<double>(values.size());
  if (!continuous) return values[static_cast<size_t>(std::max(1.0, std::ceil(n * share - 1e-9)) - 1)];
  const double at = (n - 1) * share;
  const Value& low = values[static_cast<size_t>(std::floor(at))];
  const Value& high = values[static_cast<size_t>(std::ceil(at))];
  const double part = at - std::floor(at);
  if (type == Type(TypeId::kFloat32)) {
    const auto x = static_cast<float>(low.real()), y = static_cast<float>(high.real());
    const float result = part == 0 ? x : x + static_cast<float>(static_cast<double>(y - x) * part);
    return {type, static_cast<double>(result)};
  }
  if (type == Type(TypeId::kFloat64)) {
    return {type, part == 0 ? real(low) : real(low) * (1 - part) + real(high) * part};
  }
  const int128_t day = values[0].type() == Type(TypeId::kDate) ? 86'400'000'000 : 1;
  if (part == 0) return number(type, low.integer() * day);
  const auto x = static_cast<double>(low.integer() * day), y = static_cast<double>(high.integer() * day);
  if (type.id == TypeId::kDecimal && type.precision > 18) {
    return number(type, static_cast<int128_t>(to_real<double>(low.integer()) * (1 - part) +
                                              to_real<double>(high.integer()) * part));
  }
  if (type.id == TypeId::kDecimal) {
    return number(type, low.integer() + static_cast<int128_t>(
                                            static_cast<double>(high.integer() - low.integer()) * part));
  }
  return number(type, std::llround(x * (1 - part) + y * part));
}

inline Value variance(const std::vector<Value>& values, bool sample, bool root) {
  const auto n = static_cast<long double>(values.size());
  if (values.size() < (sample ? 2 : 1)) return Value(TypeId::kFloat64);
  long double mean = 0, squares = 0;
  for (const Value& value : values) mean += real(value) / n;
  for (const Value& value : values) squares += (real(value) - mean) * (real(value) - mean);
  const long double result = squares / (sample ? n - 1 : n);
  return Value::float64(static_cast<double>(root ? std::sqrt(result) : result));
}

/// A value of the row whose second argument is the minimum, or the maximum.
inline Value value_of_best(const plan::AggregateCall& call, const std::vector<Row>& rows) {
  const auto is = [&](auto... names) { return ((call.function == names) || ...); };
  const bool greatest = is("max_by", "arg_max", "arg_max_null");
  const bool nulls = is("arg_min_null", "arg_max_null");
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (row.args[1].is_null() || (!nulls && row.args[0].is_null())) continue;
    const int order = best == nullptr ? -1 : compare(row.args[1], best->args[1]);
    if (best == nullptr || (greatest ? order > 0 : order < 0)) best = &row;
  }
  return best == nullptr ? Value(call.type) : best->args[0];
}

/// The median of the distances from the median.
inline Value mad(Type result, std::vector<Value> values) {
  const Value half = Value::float64(0.5), middle = quantile(result, values, half, true);
  for (Value& value : values) {
    const double distance = std::abs(value.real() - middle.real());
    value = {result,
             result == Type(TypeId::kFloat32) ? static_cast<double>(static_cast<float>(distance)) : distance};
  }
  return quantile(result, values, half, true);
}

inline Value histogram(Type result, const std::vector<Value>& values) {
  std::map<std::string, std::vector<Value>> counts;  // by slots, which have the values' order
  for (const Value& value : values) {
    std::string slot;
    packed::Writer(slot).value(value.type(), value);
    counts[slot].push_back(value);
  }
  std::vector<Value> entries;
  for (const auto& [slot, alike] : counts) {
    const Value times(TypeId::kUInt64, static_cast<uint128_t>(alike.size()));
    entries.push_back(packed::pack(result.element(), {alike[0], times}));
  }
  return packed::pack(result, entries);
}

inline double entropy(const std::vector<Value>& values) {
  double bits = 0;
  for (const Value& value : values) {
    const bool nan = value.type().is_float() && std::isnan(value.real());
    const auto alike = nan ? 1.0 : static_cast<double>(std::count(values.begin(), values.end(), value));
    bits += std::log2(static_cast<double>(values.size()) / alike) / static_cast<double>(values.size());
  }
  return bits;
}

inline Value median(Type result, const std::vector<Value>& values) {
  const Type type = values[0].type();
  const bool continuous = type.id == TypeId::kDecimal || type.is_integer() || type.is_float() ||
                          type.id == TypeId::kDate || type.id == TypeId::kTime ||
                          type.id == TypeId::kTimestamp || type.id == TypeId::kTimestampTz;
  return quantile(result, values, Value::float64(0.5), continuous);
}

/// The most frequent value; of several, the first one.
inline Value mode(const std::vector<Value>& values) {
  size_t most = 0;
  Value best;
  for (const Value& value : values) {
    const bool nan = value.type().is_float() && std::isnan(value.real());
    const size_t count = nan ? 1 : static_cast<size_t>(std::count(values.begin(), values.end(), value));
    if (count > most) most = count, best = value;
  }
  return best;
}

/// Sums, and functions of them; there is at least one value.
inline Value sum(const plan::AggregateCall& call, const std::vector<Value>& values) {
  const auto is = [&](auto... names) { return ((call.function == names) || ...); };
  if (is("sum", "sum_no_overflow") && !call.type.is_float()) {
    int128_t sum = 0;
    for (const Value& value : values) sum += whole(value);
    return number(call.type, sum);
  }
  if (is("avg") && !call.type.is_float()) {
    int128_t sum = 0;
    for (const Value& value : values) sum += whole(value);
    const auto n = static_cast<int128_t>(values.size());
    return number(call.type, sum / n + (sum % n > n / 2));
  }
  if (is("avg") && !values[0].type().is_float()) {
    int128_t sum = 0;
    for (const Value& value : values) sum += whole(value);
    auto result = static_cast<long double>(sum) / static_cast<long double>(values.size());
    for (int digit = 0; values[0].type().id == TypeId::kDecimal && digit < values[0].type().scale; ++digit)
      result /= 10;
    return Value::float64(static_cast<double>(result));
  }
  long double sum = 0, product = 1;
  for (const Value& value : values) sum += real(value), product *= real(value);
  if (is("sum", "kahan_sum")) return Value::float64(static_cast<double>(sum));
  if (is("avg", "favg"))
    return Value::float64(static_cast<double>(sum / static_cast<long double>(values.size())));
  if (is("product")) return Value::float64(static_cast<double>(product));
  throw InternalError("no reference for " + call.function);
}

/// Functions of the values that are not NULL, in row order.
inline Value of_values(const plan::AggregateCall& call, const std::vector<Value>& values) {
  const auto is = [&](auto... names) { return ((call.function == names) || ...); };
  if (is("count")) return Value::int64(static_cast<int64_t>(values.size()));
  if (is("count_if")) {
    return number(call.type, std::count_if(values.begin(), values.end(),
                                           [](const Value& value) { return value.is_true(); }));
  }
  if (is("quantile_disc", "quantile_cont")) {
    return quantile(call.type, values, call.args[1]->literal, is("quantile_cont"));
  }
  if (is("var_samp", "variance", "var_pop", "stddev_samp", "stddev", "stddev_pop")) {
    return variance(values, !is("var_pop", "stddev_pop"), is("stddev_samp", "stddev", "stddev_pop"));
  }
  if (is("entropy")) return Value::float64(entropy(values));
  if (values.empty()) return Value(call.type);
  if (is("mad")) return mad(call.type, values);
  if (is("any_value")) return values.front();
  if (is("histogram")) return histogram(call.type, values);
  if (is("median")) return median(call.type, values);
  if (is("min", "max")) {
    Value best = values[0];
    for (const Value& value : values) {
      if (is("min") ? compare(value, best) < 0 : compare(value, best) > 0) best = value;
    }
    return best;
  }
  if (is("mode")) return mode(values);
  if (is("string_agg", "listagg")) {
    const Value separator = call.args.size() == 2 ? call.args[1]->literal : Value::varchar(",");
    if (separator.is_null()) return Value(call.type);
    std::string text = values[0].text();
    for (size_t i = 1; i < values.size(); ++i) text += separator.text() + values[i].text();
    return Value::varchar(text);
  }
  if (is("bool_and", "bool_or")) {
    const auto truths =
        std::count_if(values.begin(), values.end(), [](const Value& value) { return value.is_true(); });
    return Value::boolean(is("bool_and") ? truths == static_cast<ptrdiff_t>(values.size()) : truths != 0);
  }
  if (is("bit_and", "bit_or", "bit_xor")) {
    auto bits = static_cast<uint128_t>(whole(values[0]));
    for (size_t i = 1; i < values.size(); ++i) {
      const auto other = static_cast<uint128_t>(whole(values[i]));
      bits = is("bit_and") ? bits & other : is("bit_or") ? bits | other : bits ^ other;
    }
    if (call.type.is_unsigned_integer()) return {call.type, bits};
    return number(call.type, static_cast<int128_t>(bits));
  }
  if (call.type == TypeId::kInterval) {  // avg
    throw InternalError("the average of intervals is tested apart");
  }
  return sum(call, values);
}

/// The result of `call` for the rows of one group, in the order of the input; FILTER is applied already.
inline Value aggregate(const plan::AggregateCall& call, std::vector<Row> rows) {
  const auto is = [&](auto... names) { return ((call.function == names) || ...); };
  if (is("count_star")) return Value::int64(static_cast<int64_t>(rows.size()));
  if (call.distinct) {
    std::vector<Row> once;
    for (const Row& row : rows) {
      if (std::none_of(once.begin(), once.end(), [&](const Row& other) { return other.args == row.args; }))
        once.push_back(row);
    }
    rows = once;
  }
  const auto before = [&](const Row& a, const Row& b) { return compare_keys(a, b, call.order) < 0; };
  if (is("last") && !call.order.empty()) {  // of the rows that tie with the first one
    return rows.empty() ? Value(call.type) : std::max_element(rows.begin(), rows.end(), before)->args[0];
  }
  std::stable_sort(rows.begin(), rows.end(), before);
  if (is("first", "arbitrary")) return rows.empty() ? Value(call.type) : rows.front().args[0];
  if (is("last")) return rows.empty() ? Value(call.type) : rows.back().args[0];
  if (is("min_by", "max_by", "arg_min", "arg_max", "arg_min_null", "arg_max_null"))
    return value_of_best(call, rows);
  if (is("list")) {
    std::vector<Value> all;
    for (const Row& row : rows) all.push_back(row.args[0]);
    return all.empty() ? Value(call.type) : packed::pack(call.type, all);
  }
  std::vector<Value> values;
  for (const Row& row : rows) {
    if (!row.args[0].is_null()) values.push_back(row.args[0]);
  }
  return of_values(call, values);
}

}  // namespace lanewise::ops::reference
