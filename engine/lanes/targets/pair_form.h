#pragma once

#include <cstdint>
#include <string_view>

namespace lanewise::lanes {

/// How the lanes of a core share the pairs of rows and their runs of matches. Every form writes the same
/// pairs; naive and refill write them in another order.
enum class PairForm : uint8_t {
  automatic,  ///< the fastest measured: mixed
  naive,      ///< a lane writes the matches of its row one after another; new rows when all lanes have ended
  refill,     ///< the same, but lanes that have ended take new rows
  balanced,   ///< a prefix sum over the rows' counts gives each lane its pair
  whole,      ///< all lanes write one run after another
  mixed,      ///< whole for runs that fill all lanes, balanced for the others
};

inline constexpr PairForm kPairForms[] = {PairForm::naive, PairForm::refill, PairForm::balanced,
                                          PairForm::whole, PairForm::mixed};

std::string_view name(PairForm form);

/// The form of that name; "auto" and no name are automatic. Throws UserError for other names.
PairForm require_pair_form(std::string_view text);

}  // namespace lanewise::lanes
