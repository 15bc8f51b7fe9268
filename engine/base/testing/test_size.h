// How much work a test does.
#pragma once

#include <cstdlib>

namespace lanewise {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// `few` with a sanitizer and on an emulated processor, which are ten times slower; `all` with `./dev
/// test
/// --all`; else `usual`.
template <class Size>
Size test_size(Size few, Size usual, Size all) {
  if (kSanitized || std::getenv("LANEWISE_TEST_FEW") != nullptr) return few;
  return std::getenv("LANEWISE_TEST_ALL") != nullptr ? all : usual;
}

template <class Size>
Size test_size(Size few, Size usual) {
  return test_size(few, usual, usual);
}

}  // namespace lanewise
