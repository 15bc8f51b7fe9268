#pragma once

#include <string_view>
#include <type_traits>

#include "base/error.h"
#include "data/kernels/values-inl.h"
#include "expr/function.h"
#include "expr/vectors/loops.h"

/// Functions of expr/gpu/*-inl.h, which devices compile too, as functions of single values of the host.
namespace lanewise::expr {

inline kernel::Text kernel_text(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string_view view(kernel::Text text) {
  return {reinterpret_cast<const char*>(text.at), text.size};
}

// A value in the types of these functions, and back.
template <class T>
T to_kernel(T value) {
  return value;
}
inline kernel::Interval to_kernel(const Interval& value) { return {value.months, value.days, value.micros}; }
inline kernel::Text to_kernel(std::string_view text) { return kernel_text(text); }
template <class T>
T from_kernel(T value) {
  return value;
}
inline uint8_t from_kernel(bool value) { return value ? 1 : 0; }
inline Interval from_kernel(const kernel::Interval& value) {
  return {value.months, value.days, value.micros};
}
inline std::string_view from_kernel(kernel::Text text) { return view(text); }
template <class T>
using HostType = decltype(from_kernel(std::declval<T>()));

/// What a function raises where it failed: always this message. Others make theirs of the arguments.
template <FixedText message>
struct Raises {
  template <class... A>
  [[noreturn]] static void raise(const Site&, const A&...) {
    throw UserError(message.text);
  }
};
/// For functions that never fail; the compiler drops what they would raise.
struct CannotFail {
  template <class... A>
  [[noreturn]] static void raise(const Site&, const A&...) {
    throw InternalError("a function failed that cannot");
  }
};

/// Memory for a text that such a function makes.
class ArenaRoom {
 public:
  explicit ArenaRoom(Arena& arena) : arena_(arena) {}
  uint8_t* reserve(uint64_t bytes) { return room_ = arena_.allocate<uint8_t>(bytes); }
  kernel::Text made(uint64_t bytes) const { return {room_, bytes}; }

 private:
  Arena& arena_;
  uint8_t* room_ = nullptr;
};

namespace each {

template <auto f, class Error, bool may_be_null, class R, class... A>
auto call_kernel(const Site& site, HostType<A>... args)
    -> std::conditional_t<may_be_null, std::optional<HostType<R>>, HostType<R>> {
  kernel::Outcome outcome;
  const HostType<R> result = from_kernel(f(outcome, to_kernel(args)...));
  if (outcome.failed) [[unlikely]]
    Error::raise(site, args...);
  if constexpr (may_be_null) {
    if (outcome.null) return std::nullopt;
  }
  return result;
}
template <auto f, class Error, bool may_be_null, class R, class... A>
constexpr auto on_host(R (*)(kernel::Outcome&, A...)) {
  return &call_kernel<f, Error, may_be_null, R, A...>;
}

}  // namespace each

/// For evaluate_each and reference_each: the kernel's function `f`; where its result may be NULL,
/// `or_null<f>`.
template <auto f, class Error = CannotFail>
inline constexpr auto on_host = each::on_host<f, Error, false>(f);
template <auto f, class Error = CannotFail>
inline constexpr auto or_null = each::on_host<f, Error, true>(f);

}  // namespace lanewise::expr
