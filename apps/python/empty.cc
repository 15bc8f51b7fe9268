// A shared library needs at least one source file.
