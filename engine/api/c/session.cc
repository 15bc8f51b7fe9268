#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "api/c/arguments.h"
#include "api/c/error.h"
#include "api/c/host_function.h"
#include "api/c/lanewise.h"
#include "api/c/options.h"
#include "api/c/rows.h"
#include "api/c/shared_session.h"
#include "base/error.h"
#include "data/arrow/arrow.h"
#include "gpu/device.h"

using lanewise::Session, lanewise::StatementResult, lanewise::Table, lanewise::UserError;
using lanewise::c::check_process, lanewise::c::guarded, lanewise::c::in_session, lanewise::c::need;
using lanewise::c::TakenArray, lanewise::c::TakenDeviceArrays, lanewise::c::TakenStream;

struct lw_result {
  std::shared_ptr<lanewise::c::SharedSession>
      shared;  // null if no column is a list, struct or map, which need the session
  StatementResult result;
  mutable std::once_flag profile_made;
  mutable std::string profile;  // made on first use
};

namespace {

std::string profile_text(const StatementResult& result) {
  std::string text;
  for (const lanewise::ops::OperatorProfile& op : result.profile) {
    text += fmt::format("{:{}}{}{}{}: {} rows in, {} rows out, {:.3f} ms", "", 2 * op.depth, op.name,
                        op.details.empty() ? "" : " ", op.details, op.rows_in, op.rows_out,
                        static_cast<double>(op.nanos) / 1e6);
    if (op.bytes > 0) text += fmt::format(", {} bytes", op.bytes);
    if (!op.target.empty()) text += fmt::format(", {}", op.target);
    text += '\n';
    for (const std::string& keys : op.keys)
      text += fmt::format("{:{}}keys: {}\n", "", 2 * op.depth + 2, keys);
    for (const std::string& line : op.device) text += fmt::format("{:{}}{}\n", "", 2 * op.depth + 2, line);
  }
  return text + fmt::format("plan {:.3f} ms, run {:.3f} ms{}\n", result.plan_seconds * 1e3,
                            result.run_seconds * 1e3, result.hot ? ", columns were in memory" : "");
}

StatementResult run_all(Session& session, const std::string& sql, const Table& parameters) {
  if (sql.find(';') == std::string::npos) return session.run(sql, true, parameters, true);  // parsed once
  const std::vector<std::string> statements = session.split(sql);
  if (statements.empty()) throw UserError("the SQL text has no statement");
  if (statements.size() == 1) return session.run(sql, true, parameters, true);
  if (!parameters.schema.empty())
    throw UserError(fmt::format("parameters need a single statement, not {}", statements.size()));
  StatementResult last;
  for (const std::string& statement : statements) last = session.run(statement, true, {}, true);
  return last;
}

}  // namespace

const char* lw_version() { return LANEWISE_VERSION; }

lw_code lw_session_open(const lw_option* options, size_t count, lw_session** out, lw_error* error) {
  return guarded(error, [&] {
    need(out, "out");
    check_process();
    auto shared =
        std::make_shared<lanewise::c::SharedSession>(lanewise::c::session_options({options, count}));
    *out = new lw_session{std::move(shared)};
  });
}

void lw_session_close(lw_session* session) {
  if (session == nullptr) return;
  // In a child process the session's threads do not exist, and its destructor would wait for them.
  if (guarded(nullptr, check_process) == LW_OK) delete session;
}

void lw_session_cancel(lw_session* session) {
  if (session != nullptr) session->shared->session.cancel();
}

lw_code lw_session_begin(lw_session* session, lw_error* error) {
  return in_session(session, error, [&](Session& own) {
    own.begin();
    session->shared->begun = true;
  });
}

lw_code lw_session_run(lw_session* session, const char* sql, ArrowSchema* schema, ArrowArray* values,
                       lw_result** out, lw_error* error) {
  TakenArray row(schema, values);
  return in_session(session, error, [&](Session& own) {
    need(sql, "sql");
    need(out, "out");
    session->shared->share = -1;
    if (!std::exchange(session->shared->begun, false)) own.begin();
    auto result = std::make_unique<lw_result>();
    result->result = run_all(own, sql, row.table());
    const auto nested = [](const lanewise::Field& field) {
      return !field.text_of.empty() || field.type.is_nested();
    };
    if (std::ranges::any_of(result->result.table.schema, nested)) result->shared = session->shared;
    *out = result.release();
  });
}

double lw_session_progress(const lw_session* session) { return session->shared->share; }

lw_code lw_session_explain(lw_session* session, const char* sql, ArrowSchema* schema, ArrowArray* values,
                           char** text, lw_error* error) {
  TakenArray row(schema, values);
  return in_session(session, error, [&](Session& own) {
    need(sql, "sql");
    need(text, "text");
    *text = lanewise::c::copied(own.explain(sql, false, row.table()));
  });
}

lw_code lw_session_add_table(lw_session* session, const char* name, ArrowArrayStream* stream, int keep,
                             lw_error* error) {
  const TakenStream taken(stream);
  return in_session(session, error, [&](Session& own) {
    need(name, "name");
    need(stream, "stream");
    own.add_table(name, stream, keep != 0);
  });
}

lw_code lw_session_add_device_table(lw_session* session, const char* name, ArrowSchema* schema,
                                    ArrowDeviceArray* arrays, size_t count, lw_error* error) {
  const TakenDeviceArrays taken(schema, arrays, count);
  return in_session(session, error, [&](Session& own) {
    need(name, "name");
    need(schema, "schema");
    if (count != 0) need(arrays, "arrays");
    own.add_table(name, schema, taken.arrays());
  });
}

lw_code lw_session_add_device_stream(lw_session* session, const char* name, ArrowDeviceArrayStream* stream,
                                     lw_error* error) {
  const TakenStream taken(stream);
  return in_session(session, error, [&](Session& own) {
    need(name, "name");
    need(stream, "stream");
    own.add_table(name, stream);
  });
}

lw_code lw_session_to_device(lw_session* session, ArrowArrayStream* rows, ArrowDeviceArrayStream* out,
                             lw_error* error) {
  const TakenStream taken(rows);
  return in_session(session, error, [&](Session& own) {
    need(rows, "rows");
    need(out, "out");
    own.to_device(rows, out);
  });
}

lw_code lw_cuda_synchronize(int64_t device, uintptr_t stream, lw_error* error) {
  return guarded(error, [&] {
    if (device < 0 || device > std::numeric_limits<int>::max())
      throw UserError(fmt::format("there is no GPU {}", device));
    lanewise::gpu::Driver::system()
        .device(static_cast<int>(device))
        .run(&lanewise::gpu::cuda::Calls::stream_synchronize,
             reinterpret_cast<lanewise::gpu::cuda::Stream>(stream));
  });
}

lw_code lw_session_table_names(lw_session* session, const char* sql, ArrowArrayStream* out, lw_error* error) {
  return in_session(session, error, [&](Session& own) {
    need(sql, "sql");
    need(out, "out");
    std::vector<lanewise::Value> names;
    for (std::string& name : own.table_names(sql)) names.push_back(lanewise::Value::varchar(std::move(name)));
    lanewise::c::export_rows({{"name", lanewise::TypeId::kVarchar}}, {names}, out);
  });
}

lw_code lw_session_drop_table(lw_session* session, const char* name, lw_error* error) {
  return in_session(session, error, [&](Session& own) {
    need(name, "name");
    own.drop_table(name);
  });
}

lw_code lw_session_add_function(lw_session* session, const char* name, const ArrowSchema* signature,
                                int strict, lw_function function, void* data, lw_error* error) {
  return in_session(session, error, [&](Session& own) {
    need(name, "name");
    need(signature, "signature");
    if (function == nullptr) throw UserError("the argument 'function' is NULL");
    own.add_function(lanewise::c::host_function(name, *signature, strict != 0, function, data));
  });
}

lw_code lw_session_drop_function(lw_session* session, const char* name, lw_error* error) {
  return in_session(session, error, [&](Session& own) {
    need(name, "name");
    own.drop_function(name);
  });
}

int lw_result_has_rows(const lw_result* result) { return result->result.has_rows ? 1 : 0; }
int64_t lw_result_rows(const lw_result* result) {
  const StatementResult& own = result->result;
  return own.on_device ? own.on_device->rows() : own.table.rows();
}
const char* lw_result_engine(const lw_result* result) { return result->result.engine.c_str(); }
const char* lw_result_fallback_reason(const lw_result* result) {
  return result->result.fallback_reason.c_str();
}
const char* lw_result_profile(const lw_result* result) {
  guarded(nullptr, [&] {
    std::call_once(result->profile_made, [&] { result->profile = profile_text(result->result); });
  });
  return result->profile.c_str();
}

lw_code lw_result_stream(const lw_result* result, ArrowArrayStream* out, lw_error* error) {
  return guarded(error, [&] {
    need(result, "result");
    need(out, "out");
    if (result->shared == nullptr) {
      if (result->result.on_device == nullptr)
        return lanewise::arrow::export_stream(result->result.table, out);
      check_process();
      return lanewise::RowsOnDevice::export_host(result->result.on_device, out);
    }
    check_process();
    const std::lock_guard lock(result->shared->mutex);
    result->shared->session.to_arrow(result->result.table, out);
  });
}

lw_code lw_result_device_stream(const lw_result* result, ArrowDeviceArrayStream* out, lw_error* error) {
  return guarded(error, [&] {
    need(result, "result");
    need(out, "out");
    check_process();
    *out = {};
    if (result->result.on_device) result->result.on_device->export_rows(out);
  });
}

void lw_result_close(lw_result* result) {
  if (guarded(nullptr, check_process) == LW_OK) delete result;
}
