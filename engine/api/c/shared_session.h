#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "api/c/arguments.h"
#include "api/c/error.h"
#include "api/c/lanewise.h"
#include "api/session.h"

namespace lanewise::c {

/// A session that runs one call at a time.
struct SharedSession {
  explicit SharedSession(const SessionOptions& options) : session(options) {
    session.set_progress([this](const std::string&, double done) { share = done; });
  }
  std::mutex mutex;
  bool begun = false;             // by lw_session_begin()
  std::atomic<double> share{-1};  // finished fraction of the running statement
  Session session;
};

}  // namespace lanewise::c

struct lw_session {
  std::shared_ptr<lanewise::c::SharedSession> shared;
};

namespace lanewise::c {

/// guarded() for a call of a session: fails in a forked process, and waits for other threads' calls.
template <class Body>
lw_code in_session(lw_session* session, lw_error* error, const Body& body) {
  return guarded(error, [&] {
    need(session, "session");
    check_process();
    const std::lock_guard lock(session->shared->mutex);
    body(session->shared->session);
  });
}

}  // namespace lanewise::c
