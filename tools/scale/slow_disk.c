// A shared file system of a given latency, as LD_PRELOAD: every call that such a system answers over
// the network waits first. LF_DISK_MS is the latency in milliseconds.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

static void wait_for_disk(void) {
  static double ms = -1;
  if (ms < 0) ms = getenv("LF_DISK_MS") ? atof(getenv("LF_DISK_MS")) : 0;
  if (ms <= 0) return;
  struct timespec pause = {(time_t)(ms / 1000), (long)((ms - 1000 * (long)(ms / 1000)) * 1e6)};
  nanosleep(&pause, NULL);
}

int fsync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_for_disk();
  return real(file);
}
int fdatasync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_for_disk();
  return real(file);
}
// Locks go to the server as well.
int fcntl64(int file, int command, ...) {
  static int (*real)(int, int, void*);
  if (!real) real = (int (*)(int, int, void*))dlsym(RTLD_NEXT, "fcntl64");
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (command == F_SETLK || command == F_SETLKW) wait_for_disk();
  return real(file, command, argument);
}
