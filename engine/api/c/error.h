#pragma once

#include <functional>
#include <string>

#include "api/c/lanewise.h"

namespace lanewise::c {

/// Runs `body`. An exception becomes an error code and a message in `error`, which may be null.
lw_code guarded(lw_error* error, const std::function<void()>& body);

/// A copy that the caller frees with lw_text_free().
char* copied(const std::string& text);

/// Throws UserError in a process that was forked after its parent used Lanewise: the threads are missing.
void check_process();

}  // namespace lanewise::c
