#pragma once

#include <memory>

#include "lanes/automata/rows.h"
#include "lanes/tuning.h"
#include "text/forms/form.h"

namespace lanewise::text::forms {

/// Runs a complete automaton, which must outlive the result, on lanes of `target`, which must be supported
/// and support `form` for it. last_bytes: of each row, 0 is all; see lanes::RowOptions.
std::unique_ptr<Form> on_lanes(lanes::Target target, lanes::Form form,
                               const automaton::CompleteAutomaton& automaton, const Request& request,
                               uint32_t last_bytes = 0);

/// States x classes.
size_t entries_of(const automaton::CompleteAutomaton& automaton);
/// "18 states x 9 classes".
std::string size_of(const automaton::CompleteAutomaton& automaton);

}  // namespace lanewise::text::forms
