/* A program in C that uses every kind of call of the C ABI. Prints nothing and returns 0 where all is right.
 */
#include "api/c/lanewise.h"

#include <stdio.h>
#include <string.h>

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema*);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray*);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#define NEED(condition)                                                                             \
  if (!(condition)) {                                                                               \
    fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, error.message ? error.message : ""); \
    return 1;                                                                                       \
  }

int main(void) {
  lw_option options[] = {{"threads", "2"}, {"memory_limit", "1GB"}};
  lw_session* session = NULL;
  lw_result* result = NULL;
  lw_error error = {LW_OK, -1, NULL};
  struct ArrowArrayStream stream;
  struct ArrowArray batch;

  NEED(lw_session_open(options, 2, &session, &error) == LW_OK);
  NEED(lw_session_run(session, "SELECT i * 2 AS twice FROM range(5) AS r(i)", NULL, NULL, &result, &error) ==
       LW_OK);
  NEED(lw_result_rows(result) == 5);
  NEED(lw_result_stream(result, &stream, &error) == LW_OK);
  lw_result_close(result);

  /* The rows are a table again. */
  NEED(lw_session_add_table(session, "doubled", &stream, 1, &error) == LW_OK);
  NEED(lw_session_run(session, "SELECT max(twice) FROM doubled", NULL, NULL, &result, &error) == LW_OK);
  NEED(lw_result_stream(result, &stream, &error) == LW_OK);
  NEED(stream.get_next(&stream, &batch) == 0 && batch.length == 1);
  NEED(((const int64_t*)batch.children[0]->buffers[1])[batch.children[0]->offset] == 8);
  batch.release(&batch);
  stream.release(&stream);
  lw_result_close(result);

  NEED(lw_session_run(session, "SELECT nix", NULL, NULL, &result, &error) == LW_ERROR_SQL);
  NEED(error.position == 7 && strstr(error.message, "nix") != NULL);
  lw_error_release(&error);
  lw_session_close(session);
  return 0;
}
