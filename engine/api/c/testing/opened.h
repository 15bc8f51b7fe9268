#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/c/lanewise.h"

namespace lanewise::c {

/// An error that is released in the destructor.
struct Error {
  Error() = default;
  ~Error() { lw_error_release(&error); }
  Error(const Error&) = delete;
  std::string message() const { return error.message != nullptr ? error.message : ""; }
  lw_error error = {};
};

struct Opened {
  explicit Opened(std::vector<lw_option> options = {}) {
    Error error;
    EXPECT_EQ(lw_session_open(options.data(), options.size(), &session, &error.error), LW_OK)
        << error.message();
  }
  ~Opened() { lw_session_close(session); }
  Opened(const Opened&) = delete;

  lw_code run(const char* sql, lw_error* error, lw_result** result) const {
    return lw_session_run(session, sql, nullptr, nullptr, result, error);
  }
  lw_session* session = nullptr;
};

}  // namespace lanewise::c
