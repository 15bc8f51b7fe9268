/* The start of the wheel's program: glibc before 2.34 expects a program to call its own constructors. */
/* NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): names of the C library. */
typedef void (*constructor)(int, char**, char**);
typedef int (*main_function)(int, char**, char**);

extern constructor __init_array_start[] __attribute__((visibility("hidden")));
extern constructor __init_array_end[] __attribute__((visibility("hidden")));

static void call_constructors(int argc, char** argv, char** environment) {
  for (constructor* each = __init_array_start; each != __init_array_end; ++each)
    (*each)(argc, argv, environment);
}

int start_of_glibc(main_function, int, char**, constructor, void (*)(void), void (*)(void), void*);
__asm__(".symver start_of_glibc, __libc_start_main@GLIBC_2.2.5");

/* What the compiler's crt1.o calls. */
__attribute__((visibility("hidden"))) int __libc_start_main(main_function run, int argc, char** argv,
                                                            constructor first, void (*last)(void),
                                                            void (*loader)(void), void* stack) {
  (void)first;
  return start_of_glibc(run, argc, argv, call_constructors, last, loader, stack);
}
/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */
