/* Lanewise for C, and for languages that call C: sessions, statements, Arrow in and out, functions, ordered
 * indexes, PRAM programs.
 *
 * - Every function that can fail returns a code and fills `error`, which may be NULL. Nothing is thrown,
 * printed or aborted.
 * - Strings are UTF-8 and end with a NUL. Strings and structures that a function returns belong to the
 * caller, who releases them; those that a handle owns live as long as the handle.
 * - Threads: a session or an index runs one call at a time, and calls from other threads wait.
 * lw_session_cancel() does not block and is safe in signal handlers. Results and streams may be used and
 * released by any thread, one at a time.
 * - fork(): a child process does not have the parent's threads. If the parent had opened a session before,
 * every call that needs them fails in the child with LW_ERROR_USER. */
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
/* Arrow's structures for memory of devices, https://arrow.apache.org/docs/format/CDeviceDataInterface.html.
 */
struct ArrowDeviceArray;
struct ArrowDeviceArrayStream;

typedef enum lw_code {
  LW_OK = 0,
  LW_ERROR_USER = 1,    /* a bad option, file, table or argument; the message says which */
  LW_ERROR_SQL = 2,     /* an invalid statement: syntax, names or types; `position` says where, if known */
  LW_ERROR_PATTERN = 3, /* an invalid or too large pattern */
  LW_ERROR_VALUE = 4,   /* a value cannot be converted, or a result does not fit its type */
  LW_ERROR_UNSUPPORTED = 5, /* valid, but not supported; the option `fallback` lets DuckDB answer */
  LW_ERROR_MEMORY = 6,      /* a memory limit was exceeded; the message names operator and limit */
  LW_ERROR_DEVICE = 7,      /* no GPU, or a call of its driver failed */
  LW_ERROR_CANCELLED = 8,   /* lw_session_cancel() was called */
  LW_ERROR_INTERNAL = 9,    /* a bug in Lanewise: please report the message */
  LW_ERROR_PROGRAM = 10,    /* an invalid PRAM program, or one that failed; the message has the line */
  LW_ERROR_FUNCTION = 11    /* a function of lw_session_add_function() failed; the message is its own */
} lw_code;

typedef struct lw_error {
  lw_code code;
  int64_t position; /* bytes before the mistake in the statement; -1: not known */
  char* message;    /* belongs to the caller, see lw_error_release() */
} lw_error;

/* Frees the message and clears the fields. */
LW_API void lw_error_release(lw_error* error);

LW_API const char* lw_version(void);

typedef struct lw_session lw_session;
typedef struct lw_result lw_result;

/* A setting by its name, as text:
 *   database       a DuckDB file; empty: in memory
 *   read_only      true or false
 *   threads        0: one for each core
 *   memory_limit   "2GB", "512MiB"; empty: 80 % of the machine's memory
 *   temp_directory folder for data beyond that; empty: $TMPDIR, else /var/tmp; none: no such folder
 *   device         cpu, cuda, cuda:N, auto
 *   device_memory  "8GB"; empty: nearly all
 *   lanes          simd, scalar, ...: see `lanewise info`
 *   fallback       duckdb: DuckDB answers unsupported queries; empty: they are errors */
typedef struct lw_option {
  const char* name;
  const char* value;
} lw_option;

/* Opens a session. LW_ERROR_USER: an option is unknown or has a bad value, or the database cannot be opened.
 * */
LW_API lw_code lw_session_open(const lw_option* options, size_t count, lw_session** out, lw_error* error);
/* Ends a session; NULL is allowed. Its results and streams remain valid. */
LW_API void lw_session_close(lw_session* session);
/* Ends the running call with LW_ERROR_CANCELLED; a call that begins later is not affected. */
LW_API void lw_session_cancel(lw_session* session);
/* From here on lw_session_cancel() ends the next lw_session_run(), even if it comes before that call. */
LW_API lw_code lw_session_begin(lw_session* session, lw_error* error);

/* The finished share of the running statement, 0 to 1; negative if unknown. Does not block, so other threads
 * may call it. */
LW_API double lw_session_progress(const lw_session* session);

/* Runs all statements of `sql` and returns the result of the last one. Parameters (?, $1, $name) need a
 * single statement; their values are a struct array of one row with a field for each: "1", "2", ... or the
 * name. `schema` and `values` may be NULL, and are always released. */
LW_API lw_code lw_session_run(lw_session* session, const char* sql, struct ArrowSchema* schema,
                              struct ArrowArray* values, lw_result** out, lw_error* error);
/* The plan of a query as text; does not run it. Parameters as above. */
LW_API lw_code lw_session_explain(lw_session* session, const char* sql, struct ArrowSchema* schema,
                                  struct ArrowArray* values, char** text, lw_error* error);
/* Adds a table with the rows of a stream of struct arrays. The name is not case-sensitive. It replaces a
 * table added before; a table of the database takes precedence. The stream is read to its end and always
 * released. Aligned buffers are used without a copy. `keep`: 1 if several statements read the table, so that
 * statistics of its columns pay. */
LW_API lw_code lw_session_add_table(lw_session* session, const char* name, struct ArrowArrayStream* stream,
                                    int keep, lw_error* error);
/* The same for struct arrays on one GPU, or in the host's memory. With the option `device` cuda or auto, the
 * session's GPU reads them in place; cores read a copy, which is made once. Waits for the arrays' events. The
 * schema and the arrays are always released: the arrays when the table is dropped or the session ends. */
LW_API lw_code lw_session_add_device_table(lw_session* session, const char* name, struct ArrowSchema* schema,
                                           struct ArrowDeviceArray* arrays, size_t count, lw_error* error);
/* The same for all arrays of a stream, which is always released. */
LW_API lw_code lw_session_add_device_stream(lw_session* session, const char* name,
                                            struct ArrowDeviceArrayStream* stream, lw_error* error);
/* Copies the arrays of `rows` to the session's GPU. The copy is complete on return, so the arrays of `out`
 * have no event; they may outlive the session. `rows` is always released. LW_ERROR_USER: the session has no
 * GPU, or the type of a column is not supported. */
LW_API lw_code lw_session_to_device(lw_session* session, struct ArrowArrayStream* rows,
                                    struct ArrowDeviceArrayStream* out, lw_error* error);
/* Waits for the work given to a CUDA stream of GPU number `device`. As in CUDA, 1 is the default stream and 2
 * the default stream of the calling thread; others are a cudaStream_t. For arrays whose producer names a
 * stream, before lw_session_add_device_table(). */
LW_API lw_code lw_cuda_synchronize(int64_t device, uintptr_t stream, lw_error* error);
/* The tables that the statements of `sql` name, including those that do not exist, as rows (name) of strings.
 * */
LW_API lw_code lw_session_table_names(lw_session* session, const char* sql, struct ArrowArrayStream* out,
                                      lw_error* error);
LW_API lw_code lw_session_drop_table(lw_session* session, const char* name, lw_error* error);

/* A scalar function of the caller. `arguments` is a struct array with a field for each argument; the function
 * releases it and its schema. It fills `result`, a struct array of as many rows with one field, and its
 * schema; the library releases both. It returns 0, or another number on failure, with an explanation in
 * `message` (`size` bytes including the NUL). Several threads call it at the same time. It must not use the
 * session that calls it. */
typedef int (*lw_function)(void* data, struct ArrowSchema* arguments_schema, struct ArrowArray* arguments,
                           struct ArrowSchema* result_schema, struct ArrowArray* result, char* message,
                           size_t size);
/* Adds `function` to SQL under a name that is not case-sensitive. It replaces a function added before.
 * `signature` is the schema of a struct: a field for each argument, then the result; the caller keeps it.
 * Lists, structs and maps give LW_ERROR_USER, and so does the name of a function that SQL has. `strict`: 1 if
 * a NULL argument gives NULL; the function then sees no NULLs. Equal arguments must give equal results.
 * `data` must live until the function is dropped or replaced, or the session is closed. */
LW_API lw_code lw_session_add_function(lw_session* session, const char* name,
                                       const struct ArrowSchema* signature, int strict, lw_function function,
                                       void* data, lw_error* error);
LW_API lw_code lw_session_drop_function(lw_session* session, const char* name, lw_error* error);

/* 1 if the statement was a query or returned rows, else 0. */
LW_API int lw_result_has_rows(const lw_result* result);
LW_API int64_t lw_result_rows(const lw_result* result);
/* "lanewise" or "duckdb", and why DuckDB answered a query (otherwise empty). Both strings belong to the
 * result. */
LW_API const char* lw_result_engine(const lw_result* result);
LW_API const char* lw_result_fallback_reason(const lw_result* result);
/* A line for each operator: rows in and out, time summed over threads, lanes or device. The string belongs to
 * the result. */
LW_API const char* lw_result_profile(const lw_result* result);
/* The rows as a stream, batch by batch, which may outlive result and session; may be called again. Buffers
 * are shared with the result where Arrow has the same layout. */
LW_API lw_code lw_result_stream(const lw_result* result, struct ArrowArrayStream* out, lw_error* error);
/* Rows that a GPU made stay in its memory if they are more than 1 MB: as a stream of one array, without a
 * copy. It may outlive result and session. Others are on the host: out->release is NULL, and
 * lw_session_to_device() copies what lw_result_stream() gives. Rows are on the host, too, once the GPU's
 * memory was short or the session was closed. The result and all arrays share the memory: do not write it. */
LW_API lw_code lw_result_device_stream(const lw_result* result, struct ArrowDeviceArrayStream* out,
                                       lw_error* error);
LW_API void lw_result_close(lw_result* result);

/* The rows of a statement, read while it runs: for results larger than the memory. */
typedef struct lw_stream lw_stream;

/* Starts a single statement, with parameters as above. It waits while about 64 MiB of rows are not read.
 * Until its rows have ended or the stream is closed, other calls of the session fail with LW_ERROR_USER,
 * except lw_session_cancel(). */
LW_API lw_code lw_session_stream(lw_session* session, const char* sql, struct ArrowSchema* schema,
                                 struct ArrowArray* values, lw_stream** out, lw_error* error);
LW_API lw_code lw_stream_schema(const lw_stream* stream, struct ArrowSchema* out, lw_error* error);
/* Waits for the next rows, a struct array; out->release is NULL at the end. */
LW_API lw_code lw_stream_next(lw_stream* stream, struct ArrowArray* out, lw_error* error);
/* The rows that are left as a stream of Arrow's, to which lw_stream_next() then no longer applies. It may
 * outlive `stream`; its release ends the statement. */
LW_API lw_code lw_stream_rest(lw_stream* stream, struct ArrowArrayStream* out, lw_error* error);
/* Ends a running or the next lw_stream_next() with LW_ERROR_CANCELLED. Like lw_session_cancel(), also after
 * the session was closed. */
LW_API void lw_stream_cancel(lw_stream* stream);
/* Ends the statement if it still runs; NULL is allowed. */
LW_API void lw_stream_close(lw_stream* stream);

/* The scalar functions of SQL, as rows (name, documentation, example) of strings. */
LW_API lw_code lw_functions(struct ArrowArrayStream* out, lw_error* error);

LW_API void lw_text_free(char* text);

/* ---- Ordered indexes: keys of one to four columns in order, a row number with each ---- */
typedef struct lw_index lw_index;

/* Builds an index of `keys`, a struct array whose one to four fields are the key, most significant first.
 * `rows` has a number for each key; NULL: 0, 1, 2, ... Both structures are always released. Options:
 *   unique   true: a duplicate key is an error, and LW_INSERT ignores keys that exist
 *   nulls    true: NULL is a key, ordered after all values
 *   device   cpu, cuda, cuda:N: where batches are searched and changed */
LW_API lw_code lw_index_build(struct ArrowSchema* schema, struct ArrowArray* keys, const int64_t* rows,
                              const lw_option* options, size_t count, lw_index** out, lw_error* error);
/* Opens a file of lw_index_save(). Options: read_only (true or false), device, wait (seconds for other
 * processes). */
LW_API lw_code lw_index_open(const char* path, const lw_option* options, size_t count, lw_index** out,
                             lw_error* error);
/* Closes an index; NULL is allowed. Changes that were not committed are lost. */
LW_API void lw_index_close(lw_index* index);
/* The number of entries. */
LW_API int64_t lw_index_size(const lw_index* index);
/* 1: NULL is a key, 0: it is an error. */
LW_API int lw_index_nulls(const lw_index* index);
/* A stream without arrays, whose schema is that of the key: fields "key" or "key1", "key2", ... */
LW_API lw_code lw_index_key(const lw_index* index, struct ArrowArrayStream* out, lw_error* error);
/* The keys of the calls below have the types of the index's key, and are always released. */
/* The row number of each key's first entry, or -1. `found` receives the number of keys found; it may be NULL.
 * */
LW_API lw_code lw_index_find(lw_index* index, struct ArrowSchema* schema, struct ArrowArray* keys,
                             int64_t* rows, int64_t* found, lw_error* error);
/* The entries of each [low, high), at most `limit` of each (negative: all), as rows (position, key..., row).
 * The position is the number of the range. */
LW_API lw_code lw_index_range(lw_index* index, struct ArrowSchema* low_schema, struct ArrowArray* lows,
                              struct ArrowSchema* high_schema, struct ArrowArray* highs, int64_t limit,
                              struct ArrowArrayStream* out, lw_error* error);
/* All entries that have each key, as such rows. */
LW_API lw_code lw_index_equal(lw_index* index, struct ArrowSchema* schema, struct ArrowArray* keys,
                              struct ArrowArrayStream* out, lw_error* error);
/* What lw_index_change() does with each key. LW_INSERT adds an entry. LW_UPSERT sets the row number of the
 * first entry, or adds one. LW_ERASE removes all entries and ignores `rows`. */
typedef enum lw_change { LW_INSERT = 0, LW_UPSERT = 1, LW_ERASE = 2 } lw_change;
/* `changed` receives the number of entries added or removed. */
LW_API lw_code lw_index_change(lw_index* index, lw_change change, struct ArrowSchema* schema,
                               struct ArrowArray* keys, const int64_t* rows, int64_t* changed,
                               lw_error* error);
/* Writes the index to a new file, which replaces a file of this name. Later commits go to this file. */
LW_API lw_code lw_index_save(lw_index* index, const char* path, lw_error* error);
/* Makes all changes durable in the file of lw_index_save() or lw_index_open(). */
LW_API lw_code lw_index_commit(lw_index* index, lw_error* error);
/* Checks the whole image: checksums, order, counts. */
LW_API lw_code lw_index_verify(lw_index* index, lw_error* error);

/* ---- PRAM programs ---- */
typedef struct lw_program lw_program;
typedef struct lw_run lw_run;
/* Ends a run from another thread or a signal handler. Once set, it stays set. */
typedef struct lw_cancellation lw_cancellation;
LW_API lw_cancellation* lw_cancellation_new(void);
LW_API void lw_cancellation_cancel(lw_cancellation* cancellation);
LW_API void lw_cancellation_free(lw_cancellation* cancellation);

typedef enum lw_cell { LW_BOOL = 0, LW_INT32 = 1, LW_INT = 2, LW_REAL = 3 } lw_cell;
/* Cells, row by row; one cell if there are no dimensions. A word is an integer, a bool (0 or 1), or the bits
 * of a real (double). */
typedef struct lw_cells {
  const char* name;
  lw_cell type;
  int32_t dimensions; /* 0 to 2 */
  int64_t extents[2];
  const int64_t* words;
} lw_cells;

/* The programs that come with Lanewise, as rows (name, summary, text). */
LW_API lw_code lw_programs(struct ArrowArrayStream* out, lw_error* error);
/* Reads and checks a program. `file` is the name that errors show. */
LW_API lw_code lw_program_open(const char* text, const char* file, lw_program** out, lw_error* error);
LW_API void lw_program_close(lw_program* program);
/* The mode that the program declares, such as "CRCW common". The string belongs to the program. */
LW_API const char* lw_program_mode(const lw_program* program);
/* Warnings, each with line and caret; empty if there are none. The string belongs to the program. */
LW_API const char* lw_program_warnings(const lw_program* program);
/* The compiled form of the program. Option: without (the name of an optimisation, or all). */
LW_API lw_code lw_program_explain(const lw_program* program, const lw_option* options, size_t count,
                                  char** text, lw_error* error);
/* Runs a program. `cancellation` may be NULL. Options:
 *   executor       interpreter (finds conflicts, counts costs), cpu, cuda, opencl
 *   seed           chooses the winning processor in mode CRCW arbitrary
 *   max_steps      a longer run is an error
 *   threads        of executors; 0: one for each core
 *   memory_limit   "4GB"
 *   survey         true: conflicts do not end the run, see lw_run_needs()
 *   check, race, specialise, one_group, without  as in `lanewise pram run --help` */
LW_API lw_code lw_program_run(const lw_program* program, const lw_cells* inputs, size_t inputs_count,
                              const lw_option* options, size_t count, lw_cancellation* cancellation,
                              lw_run** out, lw_error* error);
/* The same, but returns a line of JSON for each step, like `lanewise pram trace`, even if the run fails
 * later. Option: by (statement or kernel). */
LW_API lw_code lw_program_trace(const lw_program* program, const lw_cells* inputs, size_t inputs_count,
                                const lw_option* options, size_t count, lw_cancellation* cancellation,
                                char** lines, lw_error* error);
/* Runs a program on the interpreter, up to 100,000 steps or 4 million changes, and records each step. A run
 * that fails is LW_OK: its last step is the one that failed. */
typedef struct lw_recording lw_recording;
LW_API lw_code lw_program_record(const lw_program* program, const lw_cells* inputs, size_t inputs_count,
                                 lw_recording** out, lw_error* error);
/* Variables, costs and the end of the run, as a JSON object. It belongs to the recording. */
LW_API const char* lw_recording_summary(const lw_recording* recording);
/* Array number `place` in the order of engine/pram/interpreter/recording.h; 0 after the last one. */
LW_API int lw_recording_array(const lw_recording* recording, size_t place, const void** data, size_t* bytes);
LW_API void lw_recording_close(lw_recording* recording);
/* Output number `place`, which belongs to the run; 0 after the last one. */
LW_API int lw_run_output(const lw_run* run, size_t place, lw_cells* out);
typedef struct lw_cost {
  uint64_t steps, work, depth, peak;
} lw_cost;
/* The costs that the interpreter counted; all 0 for other executors. */
LW_API lw_cost lw_run_cost(const lw_run* run);
/* The cost of each line as rows: (line, steps, work, peak) of the interpreter, else (line, launches,
 * processors, occupancy, lists, bytes, seconds). */
LW_API lw_code lw_run_lines(const lw_run* run, struct ArrowArrayStream* out, lw_error* error);
/* With the option survey: the weakest mode that allows the run's conflicts, and the first conflict of each
 * kind with line and caret. The strings belong to the run. */
LW_API const char* lw_run_needs(const lw_run* run);
LW_API const char* lw_run_conflicts(const lw_run* run);
LW_API void lw_run_close(lw_run* run);

/* ---- Graphs: vertices 0 to n - 1, edges with a number each; loops and parallel edges are kept ---- */
typedef struct lw_graph lw_graph;
/* Copies edges that lead from source[e] to target[e]. `vertices`: n; negative: one more than the largest
 * vertex. `weight` may be NULL: each is 1. Options:
 *   device         cpu, cuda, cuda:N
 *   threads        0: one for each core
 *   memory_limit   of edges, and of distances between all vertices; "4GB" */
LW_API lw_code lw_graph_open(int64_t vertices, const int64_t* source, const int64_t* target,
                             const double* weight, size_t edges, const lw_option* options, size_t count,
                             lw_graph** out, lw_error* error);
LW_API void lw_graph_close(lw_graph* graph);
LW_API int64_t lw_graph_vertices(const lw_graph* graph);
LW_API int64_t lw_graph_edges(const lw_graph* graph);
/* The arrays below have room for n numbers. */
/* The least vertex of each vertex's connected component; the direction of edges is ignored. */
LW_API lw_code lw_graph_components(lw_graph* graph, int64_t* label, lw_error* error);
/* The edges of a lightest spanning forest, ascending, and how many there are; their direction is ignored. */
LW_API lw_code lw_graph_spanning_forest(lw_graph* graph, int64_t* edges, int64_t* count, lw_error* error);
/* A maximum matching of sources with targets: the target of each source, or -1. */
LW_API lw_code lw_graph_matching(lw_graph* graph, int64_t* target, lw_error* error);
/* The least number of edges from `root` along directed edges, or -1. */
LW_API lw_code lw_graph_levels(lw_graph* graph, int64_t root, int64_t* level, lw_error* error);
/* Distances between all pairs along directed edges, row by row, n * n doubles; infinite without a path. They
 * are kept for lw_graph_path(). `cancellation` may be NULL. LW_ERROR_USER: a cycle of negative weight. */
LW_API lw_code lw_graph_distances(lw_graph* graph, double* matrix, lw_cancellation* cancellation,
                                  lw_error* error);
/* The vertices of a shortest path with both ends, and how many there are: 0 without a path. The first call
 * finds all distances. */
LW_API lw_code lw_graph_path(lw_graph* graph, int64_t from, int64_t to, int64_t* path, int64_t* count,
                             lw_cancellation* cancellation, lw_error* error);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */
#endif
