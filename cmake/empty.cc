// A library needs at least one source file, even if all of its code comes from other libraries.
