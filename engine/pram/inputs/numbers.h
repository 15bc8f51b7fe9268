#pragma once

#include <string>
#include <string_view>

#include "pram/tree/value.h"

namespace lanewise::pram {

/// Numbers of type `type` from text: "0.1 2 .23 -23 4e-2", separated by white space or commas; bools are
/// true, false, 1, 0; reals may be infinity. With `dimensions` 0 it is one value, with 1 all of them, with 2
/// each line (or part before a ';') is a row, and all have the same length. Throws UserError that names
/// `source`, the line and the word.
Array read_numbers(std::string_view text, Type type, size_t dimensions, const std::string& source);

/// The values of an array as text: one line, or a line for each row.
std::string write_numbers(const Array& array);

}  // namespace lanewise::pram
