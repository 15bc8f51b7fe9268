/* Lanewise for C, and for languages that call C: sessions, statements, Arrow in and out, functions.
 *
 * - Every function that can fail returns a code and fills `error`, which may be NULL. Nothing is thrown,
 * printed or aborted.
 * - Texts are UTF-8 that ends with a NUL. Texts and structures that a function hands out belong to the
 * caller, who releases them; those that a handle owns live as long as the handle.
 * - Threads: a session runs one call at a time, and calls from other threads wait. lw_session_cancel() waits
 * for nothing and is safe in signal handlers. Results and streams may be used and released by any thread, one
 * at a time.
 * - fork(): a child process has none of the parent's threads. Every call that would need them fails there
 * with LW_ERROR_USER, if the parent had opened a session before. */
#ifndef LANEWISE_H
#define LANEWISE_H

#include <stddef.h>
#include <stdint.h>

/* NOLINTBEGIN(readability-identifier-naming): names as C has them. */
#ifdef __cplusplus
extern "C" {
#endif

#define LW_API __attribute__((visibility("default")))

/* Arrow's structures, https://arrow.apache.org/docs/format/CDataInterface.html: include their definitions,
 * too. */
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

typedef enum lw_code {
  LW_OK = 0,
  LW_ERROR_USER = 1,    /* a bad option, file, table or argument; the message says which */
  LW_ERROR_SQL = 2,     /* a wrong statement: its syntax, names or types; `position` says where, if known */
  LW_ERROR_PATTERN = 3, /* a wrong or too large pattern */
  LW_ERROR_VALUE = 4,   /* a value cannot be converted, or a result does not fit its type */
  LW_ERROR_UNSUPPORTED =
      5,                  /* right, but Lanewise does not run it; the option `fallback` lets DuckDB answer */
  LW_ERROR_MEMORY = 6,    /* a memory limit was exceeded; the message names operator and limit */
  LW_ERROR_DEVICE = 7,    /* no GPU, or a call of its driver failed */
  LW_ERROR_CANCELLED = 8, /* lw_session_cancel() was called */
  LW_ERROR_INTERNAL = 9   /* a bug in Lanewise: please report the message */
} lw_code;

typedef struct lw_error {
  lw_code code;
  int64_t position; /* bytes before the mistake in the statement; -1: not known */
  char* message;    /* of the caller: lw_error_release() */
} lw_error;

/* Frees the message and sets all to nothing. */
LW_API void lw_error_release(lw_error* error);

LW_API const char* lw_version(void);

typedef struct lw_session lw_session;
typedef struct lw_result lw_result;

/* A setting by its name, as text:
 *   database       a DuckDB file; empty: in memory
 *   read_only      true or false
 *   threads        0: one for each core
 *   memory_limit   "2GB", "512MiB"; empty: 80 % of the machine's memory
 *   device         cpu, cuda, cuda:N, auto
 *   device_memory  "8GB"; empty: nearly all
 *   lanes          simd, scalar, ...: see `lanewise info`
 *   fallback       duckdb: DuckDB answers what Lanewise cannot; empty: that is an error */
typedef struct lw_option {
  const char* name;
  const char* value;
} lw_option;

/* Opens a session. LW_ERROR_USER: an option that is not there or has a bad value, a database that cannot be
 * opened. */
LW_API lw_code lw_session_open(const lw_option* options, size_t count, lw_session** out, lw_error* error);
/* Ends a session; NULL is allowed. Results and streams of it stay good. */
LW_API void lw_session_close(lw_session* session);
/* Asks the running call to end with LW_ERROR_CANCELLED; a call that begins later is not affected. */
LW_API void lw_session_cancel(lw_session* session);

/* Runs all statements of `sql`, and gives the result of the last one. Parameters (?, $1, $name) need a single
 * statement; their values are a struct array of one row with a field for each: "1", "2", ... or the name.
 * `schema` and `values` may be NULL and are released in any case. */
LW_API lw_code lw_session_run(lw_session* session, const char* sql, struct ArrowSchema* schema,
                              struct ArrowArray* values, lw_result** out, lw_error* error);
/* The plan of a query as text; does not run it. Parameters as above. */
LW_API lw_code lw_session_explain(lw_session* session, const char* sql, struct ArrowSchema* schema,
                                  struct ArrowArray* values, char** text, lw_error* error);
/* Makes a stream of struct arrays a table of that name, in any case of letters. It replaces one that was
 * added before, while a table of the database goes first. The stream is read to its end and released in any
 * case; its buffers are used where they lie if they are aligned. */
LW_API lw_code lw_session_add_table(lw_session* session, const char* name, struct ArrowArrayStream* stream,
                                    lw_error* error);
/* The tables that the statements of `sql` name, whether there are such or not, as rows (name): texts. */
LW_API lw_code lw_session_table_names(lw_session* session, const char* sql, struct ArrowArrayStream* out,
                                      lw_error* error);
LW_API lw_code lw_session_drop_table(lw_session* session, const char* name, lw_error* error);

/* 1: the statement was a query or returned rows, 0: it did not. */
LW_API int lw_result_has_rows(const lw_result* result);
LW_API int64_t lw_result_rows(const lw_result* result);
/* "lanewise" or "duckdb", and why DuckDB answered a query (else empty). They belong to the result. */
LW_API const char* lw_result_engine(const lw_result* result);
LW_API const char* lw_result_fallback_reason(const lw_result* result);
/* A line for each operator: rows in and out, time added over threads, lanes or device. It belongs to the
 * result. */
LW_API const char* lw_result_profile(const lw_result* result);
/* The rows as a stream, batch by batch, which may outlive result and session; may be called again. Buffers
 * are shared with the result where Arrow has the same layout. */
LW_API lw_code lw_result_stream(const lw_result* result, struct ArrowArrayStream* out, lw_error* error);
LW_API void lw_result_close(lw_result* result);

/* The scalar functions that SQL has, as rows (name, documentation, example), all texts. */
LW_API lw_code lw_functions(struct ArrowArrayStream* out, lw_error* error);

LW_API void lw_text_free(char* text);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */
#endif
