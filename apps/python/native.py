"""Writes the C source of the extension module _native: native.py HEADER OUTPUT.

The header is engine/api/c/lanewise.h, from which cffi learns functions and types; native.c has what Python alone needs.
"""

import re
import sys
from pathlib import Path

import cffi

ARROW = """
struct ArrowSchema { const char* format; const char* name; const char* metadata; int64_t flags; int64_t n_children;
  struct ArrowSchema** children; struct ArrowSchema* dictionary; void (*release)(struct ArrowSchema*); void* private_data; };
struct ArrowArray { int64_t length; int64_t null_count; int64_t offset; int64_t n_buffers; int64_t n_children;
  const void** buffers; struct ArrowArray** children; struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*); void* private_data; };
struct ArrowArrayStream { int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema*);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray*); const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*); void* private_data; };
struct ArrowDeviceArray { struct ArrowArray array; int64_t device_id; int32_t device_type; void* sync_event; int64_t reserved[3]; };
struct ArrowDeviceArrayStream { int32_t device_type; int (*get_schema)(struct ArrowDeviceArrayStream*, struct ArrowSchema*);
  int (*get_next)(struct ArrowDeviceArrayStream*, struct ArrowDeviceArray*);
  const char* (*get_last_error)(struct ArrowDeviceArrayStream*); void (*release)(struct ArrowDeviceArrayStream*); void* private_data; };
"""
# The first version of DLPack, which every library reads.
DLPACK = """
struct DLTensor { void* data; int32_t device_type; int32_t device_id; int32_t ndim; uint8_t code; uint8_t bits; uint16_t lanes;
  int64_t* shape; int64_t* strides; uint64_t byte_offset; };
struct DLManagedTensor { struct DLTensor tensor; void* manager; void (*deleter)(struct DLManagedTensor*); };
"""


def declarations(header: str) -> str:
    """The part of a C header that cffi can read: no preprocessor, no C++, no attributes."""
    text = re.sub(r'#ifdef __cplusplus\n.*?#endif\n', "", header, flags=re.S)
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    text = re.sub(r"^struct \w+;\n", "", text, flags=re.M)
    return re.sub(r"\bLW_API ", "", text)


def main() -> None:
    header, output = map(Path, sys.argv[1:])
    ffi = cffi.FFI()
    abi = declarations(header.read_text())
    ffi.cdef(ARROW + DLPACK + abi)
    for name in ("stream_destructor", "device_array_destructor", "device_stream_destructor", "tensor_destructor", "array_release",
                 "device_stream_release", "tensor_deleter"):  # fmt: skip
        ffi.cdef(f"void* {name}(void);")
    ffi.cdef('extern "Python" { int device_stream_schema(struct ArrowDeviceArrayStream*, struct ArrowSchema*);'
             "int device_stream_next(struct ArrowDeviceArrayStream*, struct ArrowDeviceArray*);"
             "const char* device_stream_error(struct ArrowDeviceArrayStream*); }")  # fmt: skip
    ffi.cdef('extern "Python"' + re.sub(r"^.*?\(\*lw_function\)", " int call_function", re.search(r"^typedef int \(\*lw_function\)[^;]*;", abi, re.M)[0]))
    for name in ("session_run", "session_stream", "stream_next", "program_run", "program_trace", "graph_distances", "graph_path"):
        ffi.cdef(re.search(rf"^lw_code lw_{name}\([^;]*;", abi, re.M)[0].replace(f"lw_{name}", f"interruptible_{name}"))
    ffi.set_source("lanewise._native", ARROW + DLPACK + '#include "api/c/lanewise.h"\n#include "native.c"\n', py_limited_api=True)
    ffi.emit_c_code(str(output))


if __name__ == "__main__":
    main()
