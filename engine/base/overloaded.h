#pragma once

#include <concepts>

namespace lanewise {

/// The overloads of several functions, for std::visit. An alternative without one is an error of the
/// compiler.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

/// Alternatives that one overload takes: `[](const OneOf<A, B> auto&) {}`.
template <class T, class... Alternatives>
concept OneOf = (std::same_as<T, Alternatives> || ...);

}  // namespace lanewise
