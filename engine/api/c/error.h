#pragma once

#include <functional>
#include <string>

#include "api/c/lanewise.h"

namespace lanewise::c {

/// Runs `body`; what it throws becomes a code, and a message in `error`, which may be null.
lw_code guarded(lw_error* error, const std::function<void()>& body);

/// A copy for the caller, who frees it by lw_text_free().
char* copied(const std::string& text);

/// Throws UserError in a child process of one that has used Lanewise: it has none of its threads.
void check_process();

}  // namespace lanewise::c
