/* Ends a process at a change of its files, not at a time: loaded before the C library (LD_PRELOAD),
   counts what changes files, and at the KILLED_AT-th leaves half of what was to be written and
   kills the process as SIGKILL from outside does. Between two changes the files stay as they are,
   so these are all moments there are. With KILLED_AT=0 the process runs to its end, and says on
   stderr how many changes there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long changes;

static long killed_at(void) {
  const char* text = getenv("KILLED_AT");
  return text == NULL ? 0 : atol(text);
}

static int is_last(void) {
  return atomic_fetch_add(&changes, 1) + 1 == killed_at();
}

static void end(void) {
  kill(getpid(), SIGKILL);
}

/* The function of the C library that stands behind ours. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define POSITIONED(name, offset)                                                                   \
  ssize_t name(int file, const void* bytes, size_t count, offset at) {                             \
    if (is_last()) {                                                                               \
      REAL(name)(file, bytes, count / 2, at);                                                      \
      end();                                                                                       \
    }                                                                                              \
    return REAL(name)(file, bytes, count, at);                                                     \
  }
POSITIONED(pwrite, off_t)
POSITIONED(pwrite64, off64_t)

ssize_t write(int file, const void* bytes, size_t count) {
  if (file > STDERR_FILENO && is_last()) {
    REAL(write)(file, bytes, count / 2);
    end();
  }
  return REAL(write)(file, bytes, count);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  if (file > STDERR_FILENO && is_last()) {
    REAL(write)(file, parts[count - 1].iov_base, parts[count - 1].iov_len / 2);
    end();
  }
  return REAL(writev)(file, parts, count);
}

#define WHOLE(name, parameters, arguments)                                                         \
  int name parameters {                                                                            \
    if (is_last()) {                                                                               \
      end();                                                                                       \
    }                                                                                              \
    return REAL(name) arguments;                                                                   \
  }
WHOLE(rename, (const char* from, const char* to), (from, to))
WHOLE(unlink, (const char* name), (name))
WHOLE(fsync, (int file), (file))
WHOLE(ftruncate, (int file, off_t size), (file, size))
WHOLE(ftruncate64, (int file, off64_t size), (file, size))

__attribute__((destructor)) static void report(void) {
  if (killed_at() == 0) {
    fprintf(stderr, "%ld\n", atomic_load(&changes));
  }
}
