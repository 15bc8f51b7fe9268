#pragma once

#include "expr/function.h"

namespace lanewise {

std::span<const Function> date_functions();  ///< date_part, date_trunc, date ± interval, ...

/// Its parts, one per file.
namespace expr {

std::span<const Function> interval_arithmetic();   ///< arithmetic.cc: date + interval, interval * number, ...
std::span<const Function> date_part_functions();   ///< part_functions.cc: year, date_part, ...
std::span<const Function> epoch_functions();       ///< epochs.cc: epoch_ms, last_day, dayname, isfinite, ...
std::span<const Function> date_trunc_functions();  ///< truncate.cc
std::span<const Function> date_difference_functions();  ///< differences.cc: date_diff, date_sub, age
std::span<const Function> make_date_functions();        ///< make.cc: make_date, to_days, ...
std::span<const Function> strftime_functions();         ///< strftime.cc

}  // namespace expr
}  // namespace lanewise
