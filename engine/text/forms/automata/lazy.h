#pragma once

#include "text/automaton/lazy_automaton.h"
#include "text/forms/form.h"

namespace lanewise::text::forms {

/// A thread's lazy automaton. The pattern must outlive it.
struct LazyState final : FormState {
  explicit LazyState(const detail::CompiledPattern& pattern);
  automaton::LazyAutomaton automaton;
};

}  // namespace lanewise::text::forms
