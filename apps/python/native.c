/* What the extension module adds to the C ABI: _native.c, which native.py writes, includes it after Python.h
 * and lanewise.h. */
#include <signal.h>
#include <stdlib.h>

/* Destructors of capsules: they release what nobody took. */
static void destroy_stream(PyObject* capsule) {
  struct ArrowArrayStream* stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
  if (stream == NULL) return;
  if (stream->release != NULL) stream->release(stream);
  free(stream);
}
static void destroy_device_stream(PyObject* capsule) {
  struct ArrowDeviceArrayStream* stream = PyCapsule_GetPointer(capsule, "arrow_device_array_stream");
  if (stream == NULL) return;
  if (stream->release != NULL) stream->release(stream);
  free(stream);
}
static void destroy_device_array(PyObject* capsule) {
  struct ArrowDeviceArray* array = PyCapsule_GetPointer(capsule, "arrow_device_array");
  if (array == NULL) return;
  if (array->array.release != NULL) array->array.release(&array->array);
  free(array);
}
static void destroy_tensor(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return; /* a consumer took it, and renamed the capsule */
  struct DLManagedTensor* tensor = PyCapsule_GetPointer(capsule, "dltensor");
  tensor->deleter(tensor);
}
static void* stream_destructor(void) { return (void*)destroy_stream; }
static void* device_stream_destructor(void) { return (void*)destroy_device_stream; }
static void* device_array_destructor(void) { return (void*)destroy_device_array; }
static void* tensor_destructor(void) { return (void*)destroy_tensor; }

/* Arrays that Python made own a reference to the object that holds their memory. Any thread may release them,
 * also one that Python does not know. */
static void release_object(void* object) {
  if (!Py_IsInitialized()) return; /* the process ends */
  const PyGILState_STATE gil = PyGILState_Ensure();
  Py_DecRef((PyObject*)object);
  PyGILState_Release(gil);
}
static void release_array(struct ArrowArray* array) {
  for (int64_t i = 0; i < array->n_children; ++i) {
    struct ArrowArray* const child = array->children[i];
    if (child->release != NULL) child->release(child);
  }
  if (array->dictionary != NULL && array->dictionary->release != NULL) array->dictionary->release(array->dictionary);
  array->release = NULL; /* before the reference: the array may be in the object's memory */
  release_object(array->private_data);
}
static void release_device_stream(struct ArrowDeviceArrayStream* stream) {
  stream->release = NULL;
  release_object(stream->private_data);
}
static void delete_tensor(struct DLManagedTensor* tensor) { release_object(tensor->manager); }
static void* array_release(void) { return (void*)release_array; }
static void* device_stream_release(void) { return (void*)release_device_stream; }
static void* tensor_deleter(void) { return (void*)delete_tensor; }

static lw_session* volatile interrupted_session;
static lw_stream* volatile interrupted_stream;
static lw_cancellation* volatile interrupted_run;
static struct sigaction before;

/* Ends the running call, then does what was done before: Python raises KeyboardInterrupt when the call
 * has returned. Polars puts a handler with SA_SIGINFO around Python's. */
static void on_interrupt(int signal, siginfo_t* info, void* context) {
  lw_session_cancel(interrupted_session);
  lw_stream_cancel(interrupted_stream);
  lw_cancellation_cancel(interrupted_run);
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else {
    before.sa_handler(signal);
  }
}

/* What was interruptible before a call: of a function in Python that a statement calls, that statement. */
struct interruptible {
  int replaced;
  lw_session* session;
  lw_stream* stream;
  lw_cancellation* run;
};

/* A signal of which Python has not told anyone yet ends the call as well. */
static void end_if_interrupted(lw_session* session, lw_stream* stream, lw_cancellation* run) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  if (PyErr_CheckSignals() != 0) {
    PyErr_Clear();
    PyErr_SetInterrupt(); /* Python raises again when the call has returned. */
    lw_session_cancel(session);
    lw_stream_cancel(stream);
    lw_cancellation_cancel(run);
  }
  PyGILState_Release(gil);
}
/* From here on Ctrl-C ends the call; for the main thread, the only one that Python tells of signals. */
static struct interruptible begin_interruptible(lw_session* session, lw_stream* stream,
                                                lw_cancellation* run) {
  struct interruptible outer = {0, interrupted_session, interrupted_stream, interrupted_run};
  struct sigaction now, ours;
  sigaction(SIGINT, NULL, &now);
  const int has_info = (now.sa_flags & SA_SIGINFO) != 0;
  if (!has_info && (now.sa_handler == SIG_IGN || now.sa_handler == SIG_DFL)) return outer;
  interrupted_session = session;
  interrupted_stream = stream;
  interrupted_run = run;
  if (has_info && now.sa_sigaction == on_interrupt) return outer;
  before = now;
  ours = now;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = on_interrupt;
  sigaction(SIGINT, &ours, NULL);
  outer.replaced = 1;
  end_if_interrupted(session, stream, run);
  return outer;
}
static lw_code end_interruptible(struct interruptible outer, lw_code code) {
  if (outer.replaced) sigaction(SIGINT, &before, NULL);
  interrupted_session = outer.session;
  interrupted_stream = outer.stream;
  interrupted_run = outer.run;
  return code;
}

/* Calls that Ctrl-C ends, with the arguments of those without the prefix. */
static lw_code interruptible_session_run(lw_session* session, const char* sql, struct ArrowSchema* schema,
                                         struct ArrowArray* values, lw_result** out, lw_error* error) {
  lw_session_begin(session, NULL); /* so that what comes before the run is not forgotten */
  const struct interruptible outer = begin_interruptible(session, NULL, NULL);
  return end_interruptible(outer, lw_session_run(session, sql, schema, values, out, error));
}
static lw_code interruptible_session_stream(lw_session* session, const char* sql, struct ArrowSchema* schema,
                                            struct ArrowArray* values, lw_stream** out, lw_error* error) {
  lw_session_begin(session, NULL); /* so that what comes before the run is not forgotten */
  const struct interruptible outer = begin_interruptible(session, NULL, NULL);
  return end_interruptible(outer, lw_session_stream(session, sql, schema, values, out, error));
}
static lw_code interruptible_stream_next(lw_stream* stream, struct ArrowArray* out, lw_error* error) {
  const struct interruptible outer = begin_interruptible(NULL, stream, NULL);
  return end_interruptible(outer, lw_stream_next(stream, out, error));
}
static lw_code interruptible_program_run(const lw_program* program, const lw_cells* inputs,
                                         size_t inputs_count, const lw_option* options, size_t count,
                                         lw_cancellation* cancellation, lw_run** out, lw_error* error) {
  const struct interruptible outer = begin_interruptible(NULL, NULL, cancellation);
  return end_interruptible(
      outer, lw_program_run(program, inputs, inputs_count, options, count, cancellation, out, error));
}
static lw_code interruptible_program_trace(const lw_program* program, const lw_cells* inputs,
                                           size_t inputs_count, const lw_option* options, size_t count,
                                           lw_cancellation* cancellation, char** lines, lw_error* error) {
  const struct interruptible outer = begin_interruptible(NULL, NULL, cancellation);
  return end_interruptible(
      outer, lw_program_trace(program, inputs, inputs_count, options, count, cancellation, lines, error));
}
static lw_code interruptible_graph_distances(lw_graph* graph, double* matrix, lw_cancellation* cancellation,
                                             lw_error* error) {
  const struct interruptible outer = begin_interruptible(NULL, NULL, cancellation);
  return end_interruptible(outer, lw_graph_distances(graph, matrix, cancellation, error));
}
static lw_code interruptible_graph_path(lw_graph* graph, int64_t from, int64_t to, int64_t* path,
                                        int64_t* count, lw_cancellation* cancellation, lw_error* error) {
  const struct interruptible outer = begin_interruptible(NULL, NULL, cancellation);
  return end_interruptible(outer, lw_graph_path(graph, from, to, path, count, cancellation, error));
}
