#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "api/c/arguments.h"
#include "api/c/error.h"
#include "api/c/lanewise.h"
#include "api/c/shared_session.h"
#include "base/error.h"
#include "data/arrow/arrow.h"

using lanewise::Batch, lanewise::ResultStream, lanewise::Session, lanewise::UserError;
using lanewise::c::check_process, lanewise::c::guarded, lanewise::c::need, lanewise::c::TakenArray;

namespace lanewise::c {

/// The stream of a session, which it keeps alive.
struct Rows {
  std::shared_ptr<SharedSession> shared;
  ResultStream stream;

  // Nested columns need the session.
  void schema(ArrowSchema* out) {
    check_process();
    const std::lock_guard lock(shared->mutex);
    shared->session.to_arrow(stream.schema(), out);
  }
  void next(ArrowArray* out) {
    check_process();
    *out = {};
    std::optional<Batch> batch = stream.next();
    if (!batch) return;
    const std::lock_guard lock(shared->mutex);
    shared->session.to_arrow(stream.schema(), std::move(*batch), out);
  }
};

/// In a child process the threads do not exist that the destructor would wait for.
void close(Rows* rows) {
  if (guarded(nullptr, check_process) == LW_OK) delete rows;
}

}  // namespace lanewise::c

struct lw_stream {
  std::shared_ptr<lanewise::c::Rows> rows;  // null after lw_stream_rest()
};

namespace {

using lanewise::c::Rows;

Rows& rows_of(const lw_stream* stream) {
  need(stream, "stream");
  check_process();
  if (stream->rows == nullptr) throw UserError("the rows of this stream were given to a stream of Arrow's");
  return *stream->rows;
}

}  // namespace

lw_code lw_session_stream(lw_session* session, const char* sql, ArrowSchema* schema, ArrowArray* values,
                          lw_stream** out, lw_error* error) {
  TakenArray row(schema, values);
  return lanewise::c::in_session(session, error, [&](Session& own) {
    need(sql, "sql");
    need(out, "out");
    if (!std::exchange(session->shared->begun, false)) own.begin();
    *out = new lw_stream{{new Rows{session->shared, own.stream(sql, true, row.table())}, lanewise::c::close}};
  });
}

lw_code lw_stream_schema(const lw_stream* stream, ArrowSchema* out, lw_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    rows_of(stream).schema(out);
  });
}

lw_code lw_stream_next(lw_stream* stream, ArrowArray* out, lw_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    rows_of(stream).next(out);
  });
}

lw_code lw_stream_rest(lw_stream* stream, ArrowArrayStream* out, lw_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    rows_of(stream);
    const std::shared_ptr<Rows> rows = std::exchange(stream->rows, nullptr);
    lanewise::arrow::export_calls([rows](ArrowSchema* to) { rows->schema(to); },
                                  [rows](ArrowArray* to) { rows->next(to); }, out);
  });
}

void lw_stream_cancel(lw_stream* stream) {
  if (stream != nullptr && stream->rows != nullptr) stream->rows->shared->session.cancel();
}

void lw_stream_close(lw_stream* stream) { delete stream; }
