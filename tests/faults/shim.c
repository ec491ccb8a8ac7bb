/* Faults of the system, on demand, between a program and its C library; built by faults.py and
 * loaded before the program's own libraries. By variables of the environment:
 *   FAULT_ALLOC=N        the N-th allocation of main fails; FAULT_ALLOC_REST=1: all behind it, too
 *   FAULT_READ=N         a read gives N bytes at most, and every second one is interrupted first
 *   FAULT_DISK=N         files take N bytes together, then the disk is full
 *   FAULT_CLOCK=SECONDS  the clock on the wall jumps by so much, forth and back, at every look
 *   FAULT_THREADS=N      N threads can be started, then no more
 *   FAULT_COUNT=FILE     where the number of allocations is written at the end */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);

static atomic_long allocations, written, looks, reads, threads;
static long fail_at, fail_rest, read_most, disk_size = -1, clock_step, thread_most = -1;

static long number(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text == NULL ? otherwise : atol(text);
}

static int (*main_of_program)(int, char**, char**);

/* What libraries allocate before main cannot be answered for. */
static int main_with_faults(int count, char** words, char** environment) {
  fail_rest = number("FAULT_ALLOC_REST", 0);
  atomic_store(&allocations, 0);
  fail_at = number("FAULT_ALLOC", 0);
  const int status = main_of_program(count, words, environment);
  fail_at = 0;
  return status;
}

int __libc_start_main(int (*program)(int, char**, char**), int count, char** words,
                      void (*init)(void), void (*fini)(void), void (*loader)(void), void* stack) {
  typedef int (*Start)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void),
                       void (*)(void), void*);
  const Start real = (Start)dlsym(RTLD_NEXT, "__libc_start_main");
  main_of_program = program;
  return real(main_with_faults, count, words, init, fini, loader, stack);
}

__attribute__((constructor)) static void start(void) {
  read_most = number("FAULT_READ", 0);
  disk_size = number("FAULT_DISK", -1);
  clock_step = number("FAULT_CLOCK", 0);
  thread_most = number("FAULT_THREADS", -1);
}

__attribute__((destructor)) static void end(void) {
  const char* path = getenv("FAULT_COUNT");
  const int file = path == NULL ? -1 : open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (file >= 0) dprintf(file, "%ld\n", atomic_load(&allocations));
}

static int refuses(void) {
  const long count = atomic_fetch_add(&allocations, 1) + 1;
  if (fail_at == 0 || count < fail_at || (count > fail_at && !fail_rest)) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return refuses() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return refuses() ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return refuses() ? NULL : __libc_realloc(old, size); }

ssize_t read(int file, void* to, size_t size) {
  static ssize_t (*real)(int, void*, size_t);
  if (real == NULL) real = (ssize_t(*)(int, void*, size_t))dlsym(RTLD_NEXT, "read");
  if (read_most > 0) {
    if (atomic_fetch_add(&reads, 1) % 2 == 0) {
      errno = EINTR;
      return -1;
    }
    if (size > (size_t)read_most) size = (size_t)read_most;
  }
  return real(file, to, size);
}

/* How much of it the disk still takes; standard output and errors, pipes and sockets are no disk. */
static size_t room(int file, size_t size) {
  struct stat about;
  if (disk_size < 0 || file <= STDERR_FILENO || fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
    return size;
  const long before = atomic_fetch_add(&written, (long)size);
  if (before >= disk_size) return 0;
  return before + (long)size <= disk_size ? size : (size_t)(disk_size - before);
}

static ssize_t full(void) {
  errno = ENOSPC;
  return -1;
}

ssize_t write(int file, const void* from, size_t size) {
  static ssize_t (*real)(int, const void*, size_t);
  if (real == NULL) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  const size_t some = room(file, size);
  return size > 0 && some == 0 ? full() : real(file, from, some);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  size_t size = 0;
  for (int i = 0; i < count; ++i) size += parts[i].iov_len;
  if (size > 0 && room(file, size) < size) return full();
  static ssize_t (*real)(int, const struct iovec*, int);
  if (real == NULL) real = (ssize_t(*)(int, const struct iovec*, int))dlsym(RTLD_NEXT, "writev");
  return real(file, parts, count);
}

ssize_t pwrite64(int file, const void* from, size_t size, off_t at) {
  static ssize_t (*real)(int, const void*, size_t, off_t);
  if (real == NULL) real = (ssize_t(*)(int, const void*, size_t, off_t))dlsym(RTLD_NEXT, "pwrite64");
  const size_t some = room(file, size);
  return size > 0 && some == 0 ? full() : real(file, from, some, at);
}

ssize_t pwrite(int file, const void* from, size_t size, off_t at) {
  return pwrite64(file, from, size, at);
}

int pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*work)(void*), void* with) {
  typedef int (*Create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static Create real;
  if (real == NULL) real = (Create)dlsym(RTLD_NEXT, "pthread_create");
  if (thread_most >= 0 && atomic_fetch_add(&threads, 1) >= thread_most) return EAGAIN;
  return real(made, how, work, with);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  static int (*real)(clockid_t, struct timespec*);
  if (real == NULL) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int status = real(clock, now);
  if (status == 0 && clock == CLOCK_REALTIME && clock_step != 0)
    now->tv_sec += atomic_fetch_add(&looks, 1) % 2 == 0 ? clock_step : -clock_step;
  return status;
}
