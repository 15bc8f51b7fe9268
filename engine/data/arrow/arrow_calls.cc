#include <cerrno>
#include <string>
#include <utility>

#include "base/error.h"
#include "data/arrow/arrow.h"

namespace lanewise::arrow {

namespace {

struct Calls {
  std::function<void(ArrowSchema*)> schema;
  std::function<void(ArrowArray*)> next;
  std::string error = {};
};

Calls& calls_of(ArrowArrayStream* stream) { return *static_cast<Calls*>(stream->private_data); }

template <class Out>
int call(const std::function<void(Out*)>& f, Out* out, std::string& message) {
  *out = {};
  int code = EINVAL;
  try {
    f(out);
    return 0;
  } catch (const MemoryError& error) {
    code = ENOMEM;
    message = error.what();
  } catch (const std::bad_alloc&) {
    code = ENOMEM;
    message = "no memory is left";
  } catch (const CancelledError& error) {
    code = ECANCELED;
    message = error.what();
  } catch (const std::exception& error) {
    message = error.what();
  }
  return code;
}

}  // namespace

void export_calls(std::function<void(ArrowSchema*)> schema, std::function<void(ArrowArray*)> next,
                  ArrowArrayStream* out) {
  *out = {};
  out->private_data = new Calls{std::move(schema), std::move(next)};
  out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* to) {
    return call(calls_of(stream).schema, to, calls_of(stream).error);
  };
  out->get_next = [](ArrowArrayStream* stream, ArrowArray* to) {
    return call(calls_of(stream).next, to, calls_of(stream).error);
  };
  out->get_last_error = [](ArrowArrayStream* stream) -> const char* {
    const std::string& error = calls_of(stream).error;
    return error.empty() ? nullptr : error.c_str();
  };
  out->release = [](ArrowArrayStream* stream) {
    delete &calls_of(stream);
    stream->release = nullptr;
  };
}

}  // namespace lanewise::arrow
