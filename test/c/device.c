/* Arrays that lie on a device, through the C interface: memory of Ridge's, of the caller's, and rows
 * apart in it. Usage: c_device KERNELS.hpp DEVICE..., which may be GPUs; with - nothing is compiled. */
#include "expect.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

enum { NX = 40, NY = 12, NZ = 9, POINTS = NX * NY * NZ, BODIES = 300 };
static const int64_t extents[3] = {NX, NY, NZ};
static double u[POINTS], v[POINTS], right[POINTS];

/* What allocates and copies on a device, as the caller's own program does it. */
struct memory {
  void *(*take)(size_t bytes);
  void (*leave)(void *data);
  void (*copy)(void *to, const void *from, size_t bytes);
};

static int (*native_malloc)(void **, size_t);
static int (*native_free)(void *);
static int (*native_memcpy)(void *, const void *, size_t, int);

static void *take_native(size_t bytes) {
  void *data = NULL;
  TRUE(native_malloc(&data, bytes) == 0);
  return data;
}
static void leave_native(void *data) { TRUE(native_free(data) == 0); }
static void copy_native(void *to, const void *from, size_t bytes) {
  enum { either_way = 4 };
  TRUE(native_memcpy(to, from, bytes, either_way) == 0);
}
static void *take_host(size_t bytes) { return malloc(bytes); }
static void leave_host(void *data) { free(data); }
static void copy_host(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }

static int is_gpu(const char *device) {
  return strncmp(device, "cuda", 4) == 0 || strncmp(device, "hip", 3) == 0;
}
static void *function(void *library, const char *device, const char *what) {
  char text[64];
  snprintf(text, sizeof text, "%s%s", device[0] == 'c' ? "cuda" : "hip", what);
  return dlsym(library, text);
}
static struct memory memory_of(const char *device) {
  static const char *const names[] = {"libcudart.so", "libcudart.so.13", "libcudart.so.12",
                                      "libamdhip64.so"};
  if (!is_gpu(device)) return (struct memory){take_host, leave_host, copy_host};
  void *library = NULL;
  const int first = device[0] == 'c' ? 0 : 3, last = device[0] == 'c' ? 2 : 3;
  for (int i = first; library == NULL && i <= last; ++i) library = dlopen(names[i], RTLD_NOW);
  if (library == NULL) {
    printf("the runtime of %s is not found\n", device);
    exit(1);
  }
  *(void **)&native_malloc = function(library, device, "Malloc");
  *(void **)&native_free = function(library, device, "Free");
  *(void **)&native_memcpy = function(library, device, "Memcpy");
  return (struct memory){take_native, leave_native, copy_native};
}

static void set_right(void) {
  for (int z = 0; z < NZ; ++z)
    for (int y = 0; y < NY; ++y)
      for (int x = 0; x < NX; ++x) {
        const int i = (z * NY + y) * NX + x;
        const int inside = x > 0 && x < NX - 1 && y > 0 && y < NY - 1 && z > 0 && z < NZ - 1;
        u[i] = 0.5 * x * x + 0.25 * y * y + 0.125 * z * z;
        right[i] = inside ? 1.75 : -7;
      }
}

/* The Laplacian of fields, of which the second is then -7 at its edges. */
static void launch(ridge_queue queue, ridge_field *fields) {
  ridge_kernel kernel;
  ridge_program program;
  char record[4096];
  for (int i = 0; i < POINTS; ++i) v[i] = -7;
  OK(ridge_field_set(fields[0], u, sizeof u));
  OK(ridge_field_set(fields[1], v, sizeof v));
  OK(ridge_kernel_find("laplacian", NULL, &kernel));
  OK(ridge_program_bind(queue, kernel, fields, 2, NULL, &program));
  OK(ridge_program_run(program));
  OK(ridge_field_get(fields[1], v, sizeof v)); /* waits */
  TRUE(memcmp(v, right, sizeof v) == 0);
  OK(ridge_program_check(program));
  OK(ridge_program_measure(program, 3));
  OK(ridge_program_record(program, record, sizeof record, NULL));
  TRUE(strstr(record, "\"repeats\":3") != NULL);
  memset(v, 0, sizeof v);
  OK(ridge_field_get(fields[1], v, sizeof v));
  TRUE(memcmp(v, right, sizeof v) == 0); /* a check leaves edges as they were */
  OK(ridge_program_free(program));
  OK(ridge_kernel_free(kernel));
}

static void drop(ridge_field *fields) {
  for (int i = 0; i < 2; ++i) OK(ridge_field_free(fields[i]));
}

/* Memory of Ridge's, and the same by its address. */
static void own_memory(ridge_queue queue) {
  ridge_field fields[2], again[2];
  for (int i = 0; i < 2; ++i) {
    void *data = NULL;
    OK(ridge_field_new(queue, RIDGE_DOUBLE, 3, extents, &fields[i]));
    OK(ridge_field_data(fields[i], &data));
    OK(ridge_field_wrap(queue, data, RIDGE_DOUBLE, 3, extents, NULL, &again[i]));
  }
  launch(queue, fields);
  launch(queue, again);
  drop(again);
  drop(fields);
}

/* Memory of the caller's, in whole, and with rows and planes apart. */
static void memory_of_callers(ridge_queue queue, const struct memory *memory) {
  enum { ROW = NX + 8, PLANE = ROW * (NY + 1), ALL = PLANE * NZ };
  const int64_t apart[3] = {1, ROW, PLANE};
  const double gap = 3.25;
  double *const host = malloc(ALL * sizeof(double));
  double *const data[2] = {memory->take(ALL * sizeof(double)), memory->take(ALL * sizeof(double))};
  for (int strided = 0; strided < 2; ++strided) {
    ridge_field fields[2];
    for (int i = 0; i < ALL; ++i) host[i] = gap;
    for (int i = 0; i < 2; ++i) {
      memory->copy(data[i], host, ALL * sizeof(double));
      OK(ridge_field_wrap(queue, data[i], RIDGE_DOUBLE, 3, extents, strided ? apart : NULL,
                          &fields[i]));
    }
    launch(queue, fields);
    memory->copy(host, data[1], ALL * sizeof(double));
    int touched = 0;
    for (int i = 0; i < ALL; ++i) {
      const int inside = strided ? i % ROW < NX && i % PLANE < ROW * NY : i < POINTS;
      touched += !inside && host[i] != gap;
    }
    TRUE(touched == 0);
    drop(fields);
  }
  for (int i = 0; i < 2; ++i) memory->leave(data[i]);
  free(host);
}

/* A kernel of fields of (items, values) whose first has numbers; compared with the reference. */
static void check(ridge_queue queue, const char *name, int64_t items, int64_t values, int count,
                  double *results) {
  const int64_t sizes[2] = {items, values};
  ridge_kernel kernel;
  ridge_field fields[2];
  ridge_program program;
  OK(ridge_kernel_find(name, NULL, &kernel));
  for (int i = 0; i < count; ++i) OK(ridge_field_new(queue, RIDGE_DOUBLE, 2, sizes, &fields[i]));
  OK(ridge_field_set(fields[0], u, (size_t)(items * values) * sizeof(double)));
  OK(ridge_program_bind(queue, kernel, fields, (size_t)count, NULL, &program));
  OK(ridge_program_check(program));
  if (results != NULL) OK(ridge_program_results(program, results, 1, NULL));
  OK(ridge_program_free(program));
  for (int i = 0; i < count; ++i) OK(ridge_field_free(fields[i]));
  OK(ridge_kernel_free(kernel));
}

/* Tridiagonal systems in one pass and in a launch an operation: the bits are those of each other. */
static void systems(ridge_queue queue, int64_t columns, int64_t levels) {
  static double solution[2][POINTS];
  const int64_t sizes[2] = {columns, levels};
  const size_t bytes = (size_t)(columns * levels) * sizeof(double);
  ridge_kernel kernel;
  ridge_field fields[5];
  ridge_program program;
  OK(ridge_kernel_find("tridiagonal", NULL, &kernel));
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < columns * levels; ++k) v[k] = sin(0.7 * k + i);
    OK(ridge_field_new(queue, RIDGE_DOUBLE, 2, sizes, &fields[i]));
    OK(ridge_field_set(fields[i], v, bytes));
  }
  for (int fused = 0; fused < 2; ++fused) {
    OK(ridge_program_bind(queue, kernel, fields, 5, fused ? "fused" : "fission", &program));
    OK(ridge_program_check(program));
    OK(ridge_field_get(fields[4], solution[fused], bytes));
    OK(ridge_program_free(program));
  }
  TRUE(memcmp(solution[0], solution[1], bytes) == 0);
  for (int i = 0; i < 5; ++i) OK(ridge_field_free(fields[i]));
  OK(ridge_kernel_free(kernel));
}

static void patterns(ridge_queue queue, const char *file) {
  char name[4096];
  double sum = 0, of_host = 0;
  check(queue, "gravity", BODIES, 4, 2, NULL);
  check(queue, "running-sum", NX, NY * NZ, 2, NULL);
  systems(queue, 70, 33);
  systems(queue, 3, 1);
  check(queue, "lattice-sum-reproducible", 8, 128, 1, &sum);
  for (int i = 0; i < 8 * 128; ++i) of_host += u[i];
  TRUE(fabs(sum - of_host) <= 1e-12 * of_host);
  if (strcmp(file, "-") == 0) return;
  snprintf(name, sizeof name, "%s:c_test::Heat", file);
  check(queue, name, NX, NY, 2, NULL);
}

/* Heat between cold walls: a sine, which decays by one number a step. */
static void steps(ridge_queue queue) {
  enum { N = 33, STEPS = 100 };
  const double pi = acos(-1.0), h = 1.0 / (N - 1), decay = 1 - 1.6 * pow(sin(pi * h / 2), 2);
  const int64_t line[1] = {N};
  char settings[64];
  ridge_kernel kernel;
  ridge_field field;
  ridge_sweeps sweeps;
  for (int i = 0; i < N; ++i) v[i] = i < N - 1 ? sin(pi * i * h) : 0;
  snprintf(settings, sizeof settings, "hx=%.17g dt=%.17g", h, 0.4 * h * h);
  OK(ridge_kernel_find("heat", settings, &kernel));
  OK(ridge_field_new(queue, RIDGE_DOUBLE, 1, line, &field));
  OK(ridge_field_set(field, v, N * sizeof(double)));
  OK(ridge_sweeps_bind(queue, kernel, &field, 1, "x=dirichlet:0", NULL, &sweeps));
  OK(ridge_sweeps_run(sweeps, STEPS));
  OK(ridge_sweeps_read(sweeps));
  OK(ridge_field_get(field, v, N * sizeof(double)));
  for (int i = 0; i < N; ++i) TRUE(fabs(v[i] - pow(decay, STEPS) * sin(pi * i * h)) < 1e-12);
  OK(ridge_sweeps_free(sweeps));
  OK(ridge_field_free(field));
  OK(ridge_kernel_free(kernel));
}

/* A GPU refuses memory of the host's, or where the machine shares all memory, reads it. */
static void host_memory(ridge_queue queue) {
  static double from[POINTS], to[POINTS];
  double *const host[2] = {from, to};
  ridge_field fields[2];
  for (int i = 0; i < 2; ++i) {
    if (ridge_field_wrap(queue, host[i], RIDGE_DOUBLE, 3, extents, NULL, &fields[i]) == RIDGE_OK)
      continue;
    printf("host memory: %s\n", ridge_last_error());
    REFUSED(ridge_field_wrap(queue, host[i], RIDGE_DOUBLE, 3, extents, NULL, &fields[i]),
            RIDGE_USAGE, "memory of the host");
    return;
  }
  launch(queue, fields);
  drop(fields);
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  set_right();
  for (int i = 2; i < count; ++i) {
    ridge_queue queue;
    if (ridge_queue_open(arguments[i], &queue) != RIDGE_OK) {
      printf("%s\n", ridge_last_error());
      return 1;
    }
    const struct memory memory = memory_of(arguments[i]);
    own_memory(queue);
    memory_of_callers(queue, &memory);
    patterns(queue, arguments[1]);
    steps(queue);
    if (is_gpu(arguments[i])) host_memory(queue);
    OK(ridge_queue_free(queue));
    /* The default stream. */
    OK(ridge_queue_on_stream(arguments[i], NULL, &queue));
    memory_of_callers(queue, &memory);
    OK(ridge_queue_free(queue));
    printf("%s: %d failures so far\n", arguments[i], failures);
  }
  return failures != 0;
}
