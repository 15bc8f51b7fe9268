#include "expr/math/random.h"

#include <atomic>
#include <random>

#include "base/error.h"
#include "expr/function.h"
#include "expr/math/functions.h"
#include "expr/vectors/vectors.h"

namespace lanewise {

namespace {

/// The n-th number of a sequence (SplitMix64: Steele, Lea, Flood, OOPSLA 2014). Numbers of any two n are
/// independent, so threads need not share more than a count.
uint64_t random_bits(uint64_t seed, uint64_t n) {
  uint64_t z = seed + n * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/// In [0, 1).
double unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Version 4 of RFC 9562, as UUIDs are kept: the first bit is flipped, which makes their order that of
/// numbers.
int128_t uuid(uint64_t high, uint64_t low) {
  high = (high & ~uint64_t{0xf000}) | 0x4000;
  low = (low & ~uint64_t{0} >> 2) | uint64_t{1} << 63;
  return static_cast<int128_t>(uint128_t{high ^ uint64_t{1} << 63} << 64 | low);
}

struct Sequence : Prepared {
  mutable std::atomic<uint64_t> seed;
  mutable std::atomic<uint64_t> used = 0;

  Sequence() {
    std::random_device device;
    seed = uint64_t{device()} << 32 | device();
  }
  /// The numbers of `count` rows begin at this one.
  uint64_t take(uint64_t count) const { return used.fetch_add(count, std::memory_order_relaxed); }
};

const Sequence& sequence_of(const Expr& call) {
  const auto* sequence = dynamic_cast<const Sequence*>(call.prepared.get());
  invariant(sequence != nullptr, "a call of random() has its sequence");
  return *sequence;
}

std::shared_ptr<const Prepared> prepare(std::span<const ExprPtr>) { return std::make_shared<Sequence>(); }

/// Values of type T that make(seed, n) gives, n from the sequence's next number on.
template <class T, class Make>
Vector each(const Expr& expr, const ActiveSet& rows, uint64_t numbers, Make make) {
  const Sequence& sequence = sequence_of(expr);
  const uint64_t seed = sequence.seed;
  uint64_t n = sequence.take(numbers * rows.count());
  T* values = nullptr;
  Vector result = expr::new_vector(expr.type, rows.rows(), rows.arena(), values);
  std::fill_n(values, rows.rows(), T{});
  rows.for_each([&](uint32_t row) {
    values[row] = make(seed, n);
    n += numbers;
  });
  return result;
}

double real_at(uint64_t seed, uint64_t n) { return unit(random_bits(seed, n)); }
int128_t uuid_at(uint64_t seed, uint64_t n) { return uuid(random_bits(seed, n), random_bits(seed, n + 1)); }

Vector random_reals(const Expr& expr, std::span<const Vector> args, const ActiveSet& rows, EvalContext&) {
  if (args.empty()) return each<double>(expr, rows, 1, real_at);
  const uint64_t seed = sequence_of(expr).seed;
  const Vector numbers = expr::flatten(args[0], rows);
  double* values = nullptr;
  Vector result = expr::new_vector(expr.type, rows.rows(), rows.arena(), values);
  std::fill_n(values, rows.rows(), 0);
  rows.for_each(
      [&](uint32_t row) { values[row] = real_at(seed, static_cast<uint64_t>(numbers.as<int64_t>()[row])); });
  return result;
}
Vector random_uuids(const Expr& expr, std::span<const Vector>, const ActiveSet& rows, EvalContext&) {
  return each<int128_t>(expr, rows, 2, uuid_at);
}

Value random_real(const Expr& expr, std::span<const Value> args) {
  const Sequence& sequence = sequence_of(expr);
  const uint64_t n = args.empty() ? sequence.take(1) : static_cast<uint64_t>(args[0].integer());
  return Value::float64(real_at(sequence.seed, n));
}
Value random_uuid(const Expr& expr, std::span<const Value>) {
  const Sequence& sequence = sequence_of(expr);
  return {expr.type, uuid_at(sequence.seed, sequence.take(2))};
}

/// random(BIGINT) is not SQL's: the number of a row decides, whichever thread has it.
std::optional<Type> resolve_real(std::span<const Type> args) {
  const bool numbered = args.size() == 1 && args[0] == TypeId::kInt64;
  return args.empty() || numbered ? std::optional<Type>(TypeId::kFloat64) : std::nullopt;
}
std::optional<Type> resolve_uuid(std::span<const Type> args) {
  return args.empty() ? std::optional<Type>(TypeId::kUuid) : std::nullopt;
}

constexpr Function kRandomFunctions[] = {
    {.name = "random",
     .varies = true,
     .resolve = resolve_real,
     .prepare = prepare,
     .evaluate = random_reals,
     .reference = random_real,
     .documentation = "A random number of at least 0 and less than 1, another one for each row.",
     .example = "random() < 1"},
    {.name = "uuid",
     .varies = true,
     .resolve = resolve_uuid,
     .prepare = prepare,
     .evaluate = random_uuids,
     .reference = random_uuid,
     .documentation = "A random UUID (version 4), another one for each row.",
     .example = "length(uuid()::VARCHAR)"},
};

}  // namespace

std::span<const Function> random_functions() { return kRandomFunctions; }

void expr::seed_random(const Expr& call, uint64_t seed) {
  const Sequence& sequence = sequence_of(call);
  sequence.seed = seed;
  sequence.used = 0;
}

}  // namespace lanewise
