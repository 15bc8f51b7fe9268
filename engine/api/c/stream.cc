#include <cerrno>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "api/c/arguments.h"
#include "api/c/error.h"
#include "api/c/lanewise.h"
#include "api/c/shared_session.h"
#include "base/error.h"
#include "data/arrow/arrow.h"

using lanewise::Batch, lanewise::ResultStream, lanewise::Session, lanewise::Table, lanewise::UserError;
using lanewise::c::check_process, lanewise::c::guarded, lanewise::c::need, lanewise::c::TakenArray;

namespace lanewise::c {

/// The stream of a session, which it keeps alive.
struct Rows {
  std::shared_ptr<lanewise::c::SharedSession> shared;
  ResultStream stream;

  /// The batches as Arrow's stream. Nested columns need the session.
  void to_arrow(std::vector<Batch> batches, ArrowArrayStream* out) {
    const std::lock_guard lock(shared->mutex);
    shared->session.to_arrow({stream.schema(), std::move(batches)}, out);
  }
  void schema(ArrowSchema* out) {
    ArrowArrayStream none{};
    to_arrow({}, &none);
    none.get_schema(&none, out);
    none.release(&none);
  }
  void next(ArrowArray* out) {
    *out = {};
    std::optional<Batch> batch = stream.next();
    if (!batch) return;
    ArrowArrayStream one{};
    to_arrow({std::move(*batch)}, &one);
    if (one.get_next(&one, out) != 0) {
      const std::string message = one.get_last_error(&one);
      one.release(&one);
      throw UserError(message);
    }
    one.release(&one);
  }
};

}  // namespace lanewise::c

struct lw_stream {
  std::shared_ptr<lanewise::c::Rows> rows;  // null after lw_stream_rest()
};

namespace {

using lanewise::c::Rows;

/// Rows as a stream of Arrow's.
struct ArrowRows {
  std::shared_ptr<Rows> rows;
  std::string error;

  static ArrowRows& of(ArrowArrayStream* stream) { return *static_cast<ArrowRows*>(stream->private_data); }

  template <class F>
  int call(F f) {
    lw_error failed{};
    if (guarded(&failed, f) == LW_OK) return 0;
    error = failed.message == nullptr ? "no memory is left" : failed.message;
    const int code = failed.code == LW_ERROR_MEMORY      ? ENOMEM
                     : failed.code == LW_ERROR_CANCELLED ? ECANCELED
                                                         : EINVAL;
    lw_error_release(&failed);
    return code;
  }

  static int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    return of(stream).call([&] { of(stream).rows->schema(out); });
  }
  static int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    return of(stream).call([&] { of(stream).rows->next(out); });
  }
  static const char* get_last_error(ArrowArrayStream* stream) {
    return of(stream).error.empty() ? nullptr : of(stream).error.c_str();
  }
  static void release(ArrowArrayStream* stream) {
    if (guarded(nullptr, check_process) == LW_OK) delete &of(stream);
    stream->release = nullptr;
  }
};

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
    *out = new lw_stream{std::make_shared<Rows>(session->shared, own.stream(sql, true, row.table()))};
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
    auto rows = std::make_unique<ArrowRows>(std::exchange(stream->rows, nullptr));
    *out = {ArrowRows::get_schema, ArrowRows::get_next, ArrowRows::get_last_error, ArrowRows::release,
            rows.release()};
  });
}

void lw_stream_close(lw_stream* stream) {
  if (guarded(nullptr, check_process) == LW_OK) delete stream;
}
