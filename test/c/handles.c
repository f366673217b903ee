/* The C interface from C: what is right works, and what is wrong is a code and a sentence. */
#define _POSIX_C_SOURCE 200809L
#include "expect.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NX = 24, NY = 10, NZ = 8, POINTS = NX * NY * NZ };
static const int64_t extents[3] = {NX, NY, NZ};

struct setting {
  ridge_queue queue;
  ridge_kernel kernel;
  ridge_field fields[2];
  ridge_program program;
  double *u, *v;
};

static double value(int x, int y, int z) { return 0.5 * x * x + 0.25 * y * y + 0.125 * z * z; }

/* Where the Laplacian of the array is not 1.75, or an edge was written. */
static int wrong_points(const double *v) {
  int wrong = 0;
  for (int z = 0; z < NZ; ++z)
    for (int y = 0; y < NY; ++y)
      for (int x = 0; x < NX; ++x) {
        const int inside = x > 0 && x < NX - 1 && y > 0 && y < NY - 1 && z > 0 && z < NZ - 1;
        wrong += v[(z * NY + y) * NX + x] != (inside ? 1.75 : -7);
      }
  return wrong;
}

static void reset(double *v) {
  for (int i = 0; i < POINTS; ++i) v[i] = -7;
}

static struct setting make(const char *device) {
  struct setting s;
  s.u = malloc(POINTS * sizeof(double));
  s.v = malloc(POINTS * sizeof(double));
  for (int z = 0; z < NZ; ++z)
    for (int y = 0; y < NY; ++y)
      for (int x = 0; x < NX; ++x) s.u[(z * NY + y) * NX + x] = value(x, y, z);
  reset(s.v);
  OK(ridge_queue_open(device, &s.queue));
  OK(ridge_kernel_find("laplacian", NULL, &s.kernel));
  OK(ridge_field_wrap(s.queue, s.u, RIDGE_DOUBLE, 3, extents, NULL, &s.fields[0]));
  OK(ridge_field_wrap(s.queue, s.v, RIDGE_DOUBLE, 3, extents, NULL, &s.fields[1]));
  OK(ridge_program_bind(s.queue, s.kernel, s.fields, 2, NULL, &s.program));
  return s;
}

static void drop(struct setting *s) {
  OK(ridge_program_free(s->program));
  OK(ridge_field_free(s->fields[0]));
  OK(ridge_field_free(s->fields[1]));
  OK(ridge_kernel_free(s->kernel));
  OK(ridge_queue_free(s->queue));
  free(s->u);
  free(s->v);
}

static void launches(const char *device) {
  struct setting s = make(device);
  OK(ridge_program_run(s.program));
  OK(ridge_queue_wait(s.queue));
  TRUE(wrong_points(s.v) == 0);
  reset(s.v);
  OK(ridge_program_check(s.program)); /* which poisons, and puts back what lay there */
  TRUE(wrong_points(s.v) == 0);
  OK(ridge_program_measure(s.program, 3));
  TRUE(wrong_points(s.v) == 0);
  char record[4096], name[16], schedule[512];
  OK(ridge_program_record(s.program, record, sizeof record, NULL));
  TRUE(strstr(record, "\"kernel\":\"laplacian\"") != NULL);
  TRUE(strstr(record, "\"size\":[24,10,8]") != NULL);
  TRUE(strstr(record, "\"repeats\":3") != NULL);
  OK(ridge_program_schedule(s.program, schedule, sizeof schedule, NULL));
  OK(ridge_queue_device(s.queue, name, sizeof name, NULL));
  TRUE(strcmp(name, device) == 0);
  size_t numbers = 7;
  OK(ridge_program_results(s.program, NULL, 0, &numbers));
  TRUE(numbers == 0);

  /* A program keeps what it needs of fields and kernels that were freed. */
  ridge_program again;
  OK(ridge_program_bind(s.queue, s.kernel, s.fields, 2, schedule, &again));
  OK(ridge_field_free(s.fields[0]));
  OK(ridge_kernel_free(s.kernel));
  reset(s.v);
  OK(ridge_program_run(again));
  OK(ridge_program_free(again));
  TRUE(wrong_points(s.v) == 0);
  s.fields[0] = NULL;
  s.kernel = NULL;
  drop(&s);
}

/* Rows and planes of larger arrays; and the texts of a call. */
static void strides(void) {
  enum { ROW = NX + 5, PLANE = (NX + 5) * (NY + 2) };
  const int64_t apart[3] = {1, ROW, PLANE};
  double *const u = malloc(PLANE * NZ * sizeof(double));
  double *const packed = malloc(POINTS * sizeof(double));
  ridge_queue queue;
  ridge_field field;
  OK(ridge_queue_open("cpu", &queue));
  for (int i = 0; i < PLANE * NZ; ++i) u[i] = i;
  OK(ridge_field_wrap(queue, u, RIDGE_DOUBLE, 3, extents, apart, &field));
  OK(ridge_field_get(field, packed, POINTS * sizeof(double)));
  int wrong = 0;
  for (int z = 0; z < NZ; ++z)
    for (int y = 0; y < NY; ++y)
      for (int x = 0; x < NX; ++x) wrong += packed[(z * NY + y) * NX + x] != z * PLANE + y * ROW + x;
  TRUE(wrong == 0);
  for (int i = 0; i < POINTS; ++i) packed[i] = -i;
  OK(ridge_field_set(field, packed, POINTS * sizeof(double)));
  TRUE(u[ROW] == -NX && u[PLANE] == -NX * NY && u[NX] == NX);
  OK(ridge_field_free(field));
  OK(ridge_queue_free(queue));
  free(u);
  free(packed);
}

static void bad_handles(void) {
  struct setting s = make("cpu");
  REFUSED(ridge_program_run(NULL), RIDGE_BAD_HANDLE, "the program is null");
  REFUSED(ridge_program_run((ridge_program)s.queue), RIDGE_BAD_HANDLE, "a queue was given");
  REFUSED(ridge_program_run((ridge_program)(void *)&s), RIDGE_BAD_HANDLE, "no handle of ridge");
  REFUSED(ridge_queue_wait((ridge_queue)(uintptr_t)1), RIDGE_BAD_HANDLE, "no handle of ridge");
  const ridge_field one[2] = {s.fields[0], NULL};
  ridge_program program = NULL;
  REFUSED(ridge_program_bind(s.queue, s.kernel, one, 2, NULL, &program), RIDGE_BAD_HANDLE, "null");

  /* Freed, and then a new one in its place. */
  const ridge_program freed = s.program;
  OK(ridge_program_free(freed));
  REFUSED(ridge_program_run(freed), RIDGE_BAD_HANDLE, "the program was freed before");
  REFUSED(ridge_program_free(freed), RIDGE_BAD_HANDLE, "freed before");
  OK(ridge_program_bind(s.queue, s.kernel, s.fields, 2, NULL, &s.program));
  TRUE(s.program != freed);
  REFUSED(ridge_program_run(freed), RIDGE_BAD_HANDLE, "the program was freed before");
  OK(ridge_program_run(s.program));

  /* A program and its fields after their queue. */
  OK(ridge_queue_free(s.queue));
  REFUSED(ridge_program_run(s.program), RIDGE_BAD_HANDLE, "the queue of the program was freed");
  REFUSED(ridge_program_check(s.program), RIDGE_BAD_HANDLE, "the queue of the program was freed");
  REFUSED(ridge_field_get(s.fields[0], s.v, POINTS * sizeof(double)), RIDGE_BAD_HANDLE,
          "the queue of the field was freed");
  REFUSED(ridge_queue_wait(s.queue), RIDGE_BAD_HANDLE, "freed before");
  s.queue = NULL;
  drop(&s);
  OK(ridge_program_free(NULL));
  OK(ridge_field_free(NULL));
  OK(ridge_kernel_free(NULL));
}

static void bad_arguments(void) {
  struct setting s = make("cpu");
  ridge_queue queue;
  ridge_field field;
  ridge_kernel kernel;
  ridge_program program;
  void *data;
  int64_t sizes[6] = {NX, NY, NZ, 1, 1, 1};
  REFUSED(ridge_queue_open_version(RIDGE_C_VERSION + 1, "cpu", &queue), RIDGE_BAD_VERSION,
          "compile again");
  REFUSED(ridge_queue_open_version(0, "cpu", &queue), RIDGE_BAD_VERSION, "versions 1 to");
  REFUSED(ridge_queue_open("gpu", &queue), RIDGE_USAGE, "cpu, cuda:N, hip:N");
  REFUSED(ridge_queue_open("cuda:63", &queue), RIDGE_USAGE, "there is no device");
  REFUSED(ridge_queue_open(NULL, &queue), RIDGE_BAD_POINTER, "device is null");
  REFUSED(ridge_queue_open("cpu", NULL), RIDGE_BAD_POINTER, "queue is null");
  REFUSED(ridge_queue_on_stream("cpu", &s, &queue), RIDGE_USAGE, "cpu has no streams");

  REFUSED(ridge_field_wrap(s.queue, NULL, RIDGE_DOUBLE, 3, sizes, NULL, &field), RIDGE_BAD_POINTER,
          "data is null");
  REFUSED(ridge_field_wrap(s.queue, s.u, RIDGE_DOUBLE, 3, NULL, NULL, &field), RIDGE_BAD_POINTER,
          "extents is null");
  REFUSED(ridge_field_wrap(s.queue, s.u, RIDGE_DOUBLE, 3, sizes, NULL, NULL), RIDGE_BAD_POINTER,
          "field is null");
  REFUSED(ridge_field_wrap(s.queue, s.u, 5, 3, sizes, NULL, &field), RIDGE_USAGE, "type=5");
  REFUSED(ridge_field_wrap(s.queue, s.u, RIDGE_DOUBLE, 7, sizes, NULL, &field), RIDGE_USAGE,
          "dimensions=7; 1 to 6");
  REFUSED(ridge_field_wrap(s.queue, s.u, RIDGE_DOUBLE, 0, sizes, NULL, &field), RIDGE_USAGE,
          "dimensions=0");
  const int64_t none[2] = {NX, 0}, huge[2] = {(int64_t)1 << 40, (int64_t)1 << 40};
  REFUSED(ridge_field_wrap(s.queue, s.u, RIDGE_DOUBLE, 2, none, NULL, &field), RIDGE_USAGE,
          "extents[1]=0");
  REFUSED(ridge_field_wrap(s.queue, s.u, RIDGE_DOUBLE, 2, huge, NULL, &field), RIDGE_USAGE,
          "more than any memory");
  const int64_t crossed[2] = {1, NX - 1}, spread[2] = {2, 2 * NX};
  REFUSED(ridge_field_wrap(s.queue, s.u, RIDGE_DOUBLE, 2, sizes, crossed, &field), RIDGE_USAGE,
          "strides[1]=23; at least 24");
  REFUSED(ridge_field_wrap(s.queue, s.u, RIDGE_DOUBLE, 2, sizes, spread, &field), RIDGE_USAGE,
          "strides[0]=2; 1 is right");
  REFUSED(ridge_field_get(s.fields[0], s.v, 8), RIDGE_USAGE, "bytes=8; the field has 15360");
  REFUSED(ridge_field_set(s.fields[0], NULL, POINTS * sizeof(double)), RIDGE_BAD_POINTER, "host");
  REFUSED(ridge_field_data(s.fields[0], NULL), RIDGE_BAD_POINTER, "data");
  OK(ridge_field_data(s.fields[0], &data));
  TRUE(data == s.u);
  const int64_t vast[2] = {(int64_t)1 << 25, (int64_t)1 << 25};
  REFUSED(ridge_field_new(s.queue, RIDGE_DOUBLE, 2, vast, &field), RIDGE_FAILURE, "a field");

  REFUSED(ridge_kernel_find("laplacean", NULL, &kernel), RIDGE_USAGE, "laplacian");
  REFUSED(ridge_kernel_find(NULL, NULL, &kernel), RIDGE_BAD_POINTER, "name is null");
  REFUSED(ridge_kernel_find("laplacian", "rate=0.5", &kernel), RIDGE_USAGE, "hx, hy and hz");
  REFUSED(ridge_kernel_find("laplacian", "hx", &kernel), RIDGE_USAGE, "expected NAME=NUMBER");
  REFUSED(ridge_kernel_find("laplacian", "hx=fast", &kernel), RIDGE_USAGE, "expected NAME=NUMBER");
  REFUSED(ridge_kernel_find("/nowhere.hpp:Heat", NULL, &kernel), RIDGE_USAGE, "/nowhere.hpp");
  REFUSED(ridge_kernel_find("/nowhere.hpp", NULL, &kernel), RIDGE_USAGE, "FILE.hpp:Name");

  REFUSED(ridge_program_bind(s.queue, s.kernel, s.fields, 1, NULL, &program), RIDGE_USAGE,
          "laplacian takes 2 arrays");
  REFUSED(ridge_program_bind(s.queue, s.kernel, s.fields, 0, NULL, &program), RIDGE_USAGE,
          "laplacian takes 2 arrays");
  REFUSED(ridge_program_bind(s.queue, s.kernel, NULL, 2, NULL, &program), RIDGE_BAD_POINTER,
          "fields is null");
  REFUSED(ridge_program_bind(s.queue, s.kernel, s.fields, 2, NULL, NULL), RIDGE_BAD_POINTER,
          "program is null");
  REFUSED(ridge_program_bind(s.queue, s.kernel, s.fields, 2, "quick", &program), RIDGE_USAGE,
          "quick");
  REFUSED(ridge_program_bind(s.queue, s.kernel, s.fields, 2, "all", &program), RIDGE_USAGE,
          "one schedule");
  const ridge_field same[2] = {s.fields[0], s.fields[0]};
  REFUSED(ridge_program_bind(s.queue, s.kernel, same, 2, NULL, &program), RIDGE_USAGE, "overlap");
  ridge_field other[2] = {s.fields[0], NULL};
  const int64_t turned[3] = {NZ, NY, NX};
  OK(ridge_field_wrap(s.queue, s.v, RIDGE_DOUBLE, 3, turned, NULL, &other[1]));
  REFUSED(ridge_program_bind(s.queue, s.kernel, other, 2, NULL, &program), RIDGE_USAGE,
          "the shape (24, 10, 8) and the output (8, 10, 24)");
  OK(ridge_field_free(other[1]));
  OK(ridge_field_wrap(s.queue, s.v, RIDGE_FLOAT, 3, extents, NULL, &other[1]));
  REFUSED(ridge_program_bind(s.queue, s.kernel, other, 2, NULL, &program), RIDGE_USAGE,
          "different precisions");
  OK(ridge_field_free(other[1]));

  REFUSED(ridge_program_measure(s.program, 0), RIDGE_USAGE, "repeat=0");
  REFUSED(ridge_tune(s.queue, s.kernel, s.fields, 2, -1, NULL, 0, NULL), RIDGE_USAGE, "seconds=-1");
  REFUSED(ridge_program_record(s.program, NULL, 0, NULL), RIDGE_BAD_POINTER, "text and length");
  char few[4] = "???";
  size_t length = 0;
  REFUSED(ridge_program_record(s.program, few, sizeof few, &length), RIDGE_USAGE, "too small");
  TRUE(strcmp(few, "{\"p") == 0 && length > 100);

  TRUE(ridge_exit_code(RIDGE_OK) == 0 && ridge_exit_code(RIDGE_FAILURE) == 1);
  TRUE(ridge_exit_code(RIDGE_CHECK_FAILED) == 1 && ridge_exit_code(RIDGE_NO_MEMORY) == 1);
  TRUE(ridge_exit_code(RIDGE_USAGE) == 2 && ridge_exit_code(RIDGE_BAD_HANDLE) == 2);
  TRUE(ridge_c_version() == RIDGE_C_VERSION);
  char devices[256];
  OK(ridge_devices(devices, sizeof devices, NULL));
  TRUE(strstr(devices, "cpu\n") != NULL);
  drop(&s);
}

/* What tuning finds is what "auto" then means. */
static void tuning(void) {
  struct setting s = make("cpu");
  static char all[65536], found[65536];
  char file[4096], schedule[512];
  OK(ridge_wisdom_file(file, sizeof file, NULL));
  TRUE(strstr(file, "ridge-c-test-wisdom") != NULL);
  OK(ridge_schedules(s.queue, s.kernel, s.fields, 2, "all", all, sizeof all, NULL));
  TRUE(strstr(all, "rows=") != NULL);
  reset(s.v);
  OK(ridge_tune(s.queue, s.kernel, s.fields, 2, 0.3, found, sizeof found, NULL));
  TRUE(wrong_points(s.v) == 0);
  TRUE(strstr(found, "\"schedule\"") != NULL);
  OK(ridge_program_free(s.program));
  OK(ridge_program_bind(s.queue, s.kernel, s.fields, 2, "auto", &s.program));
  OK(ridge_program_schedule(s.program, schedule, sizeof schedule, NULL));
  TRUE(strstr(found, schedule) != NULL);
  drop(&s);
}

struct shared {
  struct setting *setting;
  int wrong;
};

/* Launches a program that another thread launches, too, and one of its own; its errors are its. */
static void *many_launches(void *given) {
  struct shared *const s = given;
  struct setting own = make("cpu");
  TRUE(strcmp(ridge_last_error(), "") == 0);
  for (int i = 0; i < 50; ++i) {
    s->wrong += ridge_program_run(s->setting->program) != RIDGE_OK;
    s->wrong += ridge_program_run(own.program) != RIDGE_OK;
    s->wrong += ridge_program_run((ridge_program)own.kernel) != RIDGE_BAD_HANDLE;
    ridge_field field;
    s->wrong += ridge_field_wrap(own.queue, own.u, RIDGE_DOUBLE, 3, extents, NULL, &field);
    s->wrong += ridge_field_free(field);
  }
  s->wrong += wrong_points(own.v);
  TRUE(strstr(ridge_last_error(), "a kernel was given") != NULL);
  drop(&own);
  return NULL;
}

static void two_threads(void) {
  struct setting s = make("cpu");
  struct shared both[2] = {{&s, 0}, {&s, 0}};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, many_launches, &both[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  TRUE(both[0].wrong == 0 && both[1].wrong == 0);
  TRUE(wrong_points(s.v) == 0);
  drop(&s);
}

/* A child has the handles of its parent, and makes its own. */
static void forked_child(void) {
  struct setting s = make("cpu");
  OK(ridge_program_run(s.program)); /* with the threads that the child will lack */
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    failures = 0;
    reset(s.v);
    OK(ridge_program_run(s.program));
    TRUE(wrong_points(s.v) == 0);
    struct setting own = make("cpu");
    OK(ridge_program_run(own.program));
    TRUE(wrong_points(own.v) == 0);
    drop(&own);
    fflush(stdout);
    _exit(failures != 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  drop(&s);
}

int main(int count, char **arguments) {
  char wisdom[64];
  snprintf(wisdom, sizeof wisdom, "/tmp/ridge-c-test-wisdom-%ld", (long)getpid());
  setenv("RIDGE_WISDOM", wisdom, 1);
  const int alone = count > 1 && strcmp(arguments[1], "alone") == 0; /* where no process forks */
  launches("cpu");
  if (!alone) launches("simt:32");
  strides();
  bad_handles();
  bad_arguments();
  two_threads();
  if (!alone) forked_child();
  if (!alone) tuning();
  remove(wisdom);
  strcat(wisdom, ".lock");
  remove(wisdom);
  printf("%d failures\n", failures);
  return failures != 0;
}
