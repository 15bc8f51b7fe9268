// A library needs a source, even if another build has its code.
