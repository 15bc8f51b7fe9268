/* What the extension module adds to the C ABI. Included once, after Python.h and lanewise.h. */
#include <signal.h>
#include <stdlib.h>

/* The destructor of a capsule "arrow_array_stream": releases what nobody took. */
static void destroy_stream(PyObject* capsule) {
  struct ArrowArrayStream* stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
  if (stream == NULL) return;
  if (stream->release != NULL) stream->release(stream);
  free(stream);
}
static void* stream_destructor(void) { return (void*)destroy_stream; }

static lw_session* volatile interrupted_session;
static struct sigaction python_action;

/* Ends the running statement, then does what Python does: it raises KeyboardInterrupt when the call has returned. */
static void on_interrupt(int signal) {
  lw_session_cancel(interrupted_session);
  python_action.sa_handler(signal);
}

/* lw_session_run() that Ctrl-C ends; for the main thread, the only one that Python tells of signals. */
static lw_code run_interruptible(lw_session* session, const char* sql, struct ArrowSchema* schema,
                                 struct ArrowArray* values, lw_result** out, lw_error* error) {
  struct sigaction ours;
  lw_code code;
  sigaction(SIGINT, NULL, &python_action);
  if ((python_action.sa_flags & SA_SIGINFO) != 0 || python_action.sa_handler == SIG_IGN ||
      python_action.sa_handler == SIG_DFL) {
    return lw_session_run(session, sql, schema, values, out, error);
  }
  interrupted_session = session;
  ours = python_action;
  ours.sa_handler = on_interrupt;
  sigaction(SIGINT, &ours, NULL);
  code = lw_session_run(session, sql, schema, values, out, error);
  sigaction(SIGINT, &python_action, NULL);
  return code;
}
