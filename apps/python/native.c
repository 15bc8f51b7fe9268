/* What the extension module adds to the C ABI: _native.c, which native.py writes, includes it after Python.h and lanewise.h. */
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
static struct sigaction before;

/* Ends the running statement, then does what was done before: Python raises KeyboardInterrupt when the call
 * has returned. Polars puts a handler with SA_SIGINFO around Python's. */
static void on_interrupt(int signal, siginfo_t* info, void* context) {
  lw_session_cancel(interrupted_session);
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else {
    before.sa_handler(signal);
  }
}

/* lw_session_run() that Ctrl-C ends; for the main thread, the only one that Python tells of signals. */
static lw_code run_interruptible(lw_session* session, const char* sql, struct ArrowSchema* schema,
                                 struct ArrowArray* values, lw_result** out, lw_error* error) {
  struct sigaction ours;
  lw_code code;
  sigaction(SIGINT, NULL, &before);
  if ((before.sa_flags & SA_SIGINFO) == 0 && (before.sa_handler == SIG_IGN || before.sa_handler == SIG_DFL)) {
    return lw_session_run(session, sql, schema, values, out, error);
  }
  interrupted_session = session;
  ours = before;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = on_interrupt;
  sigaction(SIGINT, &ours, NULL);
  code = lw_session_run(session, sql, schema, values, out, error);
  sigaction(SIGINT, &before, NULL);
  return code;
}
