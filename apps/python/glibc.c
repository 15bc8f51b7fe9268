/* Functions that glibc 2.28 lacks. liblanewise.so and the wheel's program define them, so the wheel runs there. */
/* NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): names of the C library. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

enum { kVersion = 1 }; /* of struct stat on x86-64 */
int __xstat(int version, const char* path, struct stat* out);
int __fxstat(int version, int file, struct stat* out);
int __lxstat(int version, const char* path, struct stat* out);
HIDDEN int stat(const char* path, struct stat* out) { return __xstat(kVersion, path, out); }
HIDDEN int fstat(int file, struct stat* out) { return __fxstat(kVersion, file, out); }
HIDDEN int lstat(const char* path, struct stat* out) { return __lxstat(kVersion, path, out); }
HIDDEN int stat64(const char* path, struct stat64* out) { return stat(path, (struct stat*)out); }
HIDDEN int fstat64(int file, struct stat64* out) { return fstat(file, (struct stat*)out); }
HIDDEN int lstat64(const char* path, struct stat64* out) { return lstat(path, (struct stat*)out); }

HIDDEN char __libc_single_threaded = 0; /* the C++ library then counts references with atomics */

HIDDEN uint32_t arc4random(void) {
  uint32_t number = 0;
  while (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
  }
  return number;
}

/* Waits by the real-time clock: if that is set meanwhile, it returns early or late. */
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* until) {
  struct timespec now, real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  const int64_t second = 1000000000;
  int64_t seconds = until->tv_sec - now.tv_sec + real.tv_sec;
  int64_t nanos = until->tv_nsec - now.tv_nsec + real.tv_nsec; /* -1 to 2 seconds */
  if (nanos < 0) {
    nanos += second;
    --seconds;
  }
  real.tv_sec = seconds + nanos / second;
  real.tv_nsec = nanos % second;
  return pthread_cond_timedwait(condition, mutex, &real);
}
/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */
