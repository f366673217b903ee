/* Kernels from files and texts, through the C interface. Usage: c_kernels KERNELS.hpp DEVICE... */
#include "expect.h"

#include <math.h>
#include <stdlib.h>

static const char smooth_text[] =
    "#include <ridge/stencil/kernel.hpp>\n"
    "struct Smooth {\n"
    "  static constexpr auto footprint = ridge::stencil::star<1, 1>();\n"
    "  double rate = 0.25;\n"
    "  template <class N>\n"
    "  RIDGE_FN auto operator()(const N& u) const {\n"
    "    return u(0, 0, 0) + rate * (u(1, 0, 0) + u(-1, 0, 0) - 2 * u(0, 0, 0));\n"
    "  }\n"
    "};\n";

enum { N = 67, ROWS = 3, LEVELS = 5, ELEMENTS = 2, POINTS = N * ROWS * LEVELS * ELEMENTS };

static double u[POINTS], v[POINTS], w[POINTS];
static char name[4096];

/* Two arrays under a kernel, launched once and compared with the reference. */
static void run(ridge_queue queue, ridge_kernel kernel, int dimensions, const int64_t *extents,
                const int64_t *out_extents, double *out) {
  ridge_field fields[2];
  ridge_program program;
  OK(ridge_field_wrap(queue, u, RIDGE_DOUBLE, dimensions, extents, NULL, &fields[0]));
  OK(ridge_field_wrap(queue, out, RIDGE_DOUBLE, dimensions, out_extents, NULL, &fields[1]));
  OK(ridge_program_bind(queue, kernel, fields, 2, NULL, &program));
  OK(ridge_program_run(program));
  OK(ridge_queue_wait(queue));
  OK(ridge_program_check(program));
  OK(ridge_program_free(program));
  OK(ridge_field_free(fields[0]));
  OK(ridge_field_free(fields[1]));
}

/* All kernels, or without `all` one stencil and the chain: each takes seconds to compile. */
static void of_file(const char *file, const char *device, int all) {
  ridge_queue queue;
  ridge_kernel kernel;
  const int64_t extents[4] = {N, ROWS, LEVELS, ELEMENTS};
  OK(ridge_queue_open(device, &queue));

  /* A stencil, twice with other numbers; four dimensions, as it reads along the first alone. */
  snprintf(name, sizeof name, "%s:c_test::Smooth", file);
  OK(ridge_kernel_find(name, "rate=0.125", &kernel));
  run(queue, kernel, 4, extents, extents, v);
  for (int i = 1; i < N - 1; ++i)
    TRUE(fabs(v[i] - (u[i] + 0.125 * (u[i + 1] + u[i - 1] - 2 * u[i]))) < 1e-15);
  OK(ridge_kernel_free(kernel));
  OK(ridge_kernel_find(name, "rate=0.25", &kernel));
  run(queue, kernel, 4, extents, extents, w);
  TRUE(fabs(w[1] - (u[1] + 0.25 * (u[2] + u[0] - 2 * u[1]))) < 1e-15);
  OK(ridge_kernel_free(kernel));

  /* That of the text has the same name and other numbers: both live side by side. */
  if (all) {
    ridge_kernel other;
    OK(ridge_kernel_find(name, "rate=0.25", &kernel));
    OK(ridge_kernel_text(smooth_text, "Smooth", "rate=0.5", &other));
    run(queue, other, 4, extents, extents, v);
    TRUE(fabs(v[1] - (u[1] + 0.5 * (u[2] + u[0] - 2 * u[1]))) < 1e-15);
    memset(v, 0, sizeof v);
    run(queue, kernel, 4, extents, extents, v);
    TRUE(v[1] == w[1]);
    OK(ridge_kernel_free(kernel));
    OK(ridge_kernel_free(other));
  }

  /* The adjoint of a difference against the flow is one with it, where there are readers. */
  if (all) {
    static const char upwind[] =
        "#include <ridge/stencil/kernel.hpp>\n"
        "struct Upwind {\n"
        "  static constexpr auto footprint = ridge::stencil::star<1, 1>();\n"
        "  double rate = 0.25;\n"
        "  template <class N>\n"
        "  RIDGE_FN auto operator()(const N& u) const {\n"
        "    return u(0, 0, 0) - rate * (u(0, 0, 0) - u(-1, 0, 0));\n"
        "  }\n"
        "};\n";
    ridge_kernel adjoint;
    ridge_sweeps none;
    ridge_field field;
    OK(ridge_kernel_text(upwind, "Upwind-adjoint", "rate=0.125", &adjoint));
    run(queue, adjoint, 4, extents, extents, v);
    for (int i = 1; i < N - 1; ++i)
      TRUE(fabs(v[i] - (u[i] - 0.125 * (u[i] - u[i + 1]))) < 1e-15);
    OK(ridge_field_wrap(queue, u, RIDGE_DOUBLE, 4, extents, NULL, &field));
    REFUSED(ridge_sweeps_bind(queue, adjoint, &field, 1, NULL, NULL, &none), RIDGE_USAGE,
            "Upwind-adjoint is an adjoint, of one step");
    OK(ridge_field_free(field));
    OK(ridge_kernel_free(adjoint));
  }

  /* Its sweeps: at rest where all is alike, mean kept between periodic ends. */
  if (all) {
    ridge_sweeps sweeps;
    ridge_field field;
    const int64_t line[1] = {N};
    double mean = 0;
    for (int i = 0; i < N; ++i) {
      v[i] = u[i];
      mean += u[i] / N;
    }
    snprintf(name, sizeof name, "%s:c_test::Smooth", file);
    OK(ridge_kernel_find(name, "rate=0.25", &kernel));
    OK(ridge_field_wrap(queue, v, RIDGE_DOUBLE, 1, line, NULL, &field));
    OK(ridge_sweeps_bind(queue, kernel, &field, 1, "x=periodic", NULL, &sweeps));
    OK(ridge_sweeps_run(sweeps, 10000));
    OK(ridge_sweeps_read(sweeps));
    OK(ridge_queue_wait(queue));
    for (int i = 0; i < N; ++i) TRUE(fabs(v[i] - mean) < 1e-9);
    OK(ridge_sweeps_free(sweeps));
    OK(ridge_field_free(field));
    OK(ridge_kernel_free(kernel));
  }

  /* A chain, whose numbers are those of its operations. */
  snprintf(name, sizeof name, "%s:c_test::Heat", file);
  OK(ridge_kernel_find(name, "rate=0.5, dt=0.25", &kernel));
  run(queue, kernel, 4, extents, extents, v);
  TRUE(fabs(v[1] - (u[1] + 0.125 * (u[2] + u[0] - 2 * u[1]))) < 1e-15);
  TRUE(fabs(v[0] - (u[0] + 0.125 * (u[1] - u[0]))) < 1e-15);
  char text[1024];
  OK(ridge_kernel_describe(kernel, text, sizeof text, NULL));
  TRUE(strstr(text, "\"name\":\"Heat\",\"pattern\":\"chain\"") != NULL);
  TRUE(strstr(text, "\"arrays\":[\"u\",\"v\"],\"inputs\":1") != NULL);
  OK(ridge_kernel_free(kernel));

  if (!all) {
    OK(ridge_queue_free(queue));
    return;
  }
  /* Pairs: bodies of two components, and a sum of one. */
  const int64_t bodies[2] = {N, 2}, sums[2] = {N, 1};
  snprintf(name, sizeof name, "%s:c_test::Closeness", file);
  OK(ridge_kernel_find(name, NULL, &kernel));
  run(queue, kernel, 2, bodies, sums, v);
  double sum = 0;
  for (int i = 1; i < N; ++i) {
    const double dx = u[i] - u[0], dy = u[N + i] - u[N];
    sum += 1 / (1 + dx * dx + dy * dy);
  }
  TRUE(fabs(v[0] - sum) < 1e-12 * sum);
  OK(ridge_kernel_free(kernel));
  OK(ridge_queue_free(queue));
}

static void bad_kernels(const char *file) {
  ridge_queue queue;
  ridge_kernel kernel;
  ridge_field fields[2];
  ridge_program program;
  snprintf(name, sizeof name, "%s:c_test::Cold", file);
  REFUSED(ridge_kernel_find(name, NULL, &kernel), RIDGE_USAGE, "Cold");
  snprintf(name, sizeof name, "%s:c_test::Smooth", file);
  REFUSED(ridge_kernel_find(name, "speed=1", &kernel), RIDGE_USAGE,
          "Smooth has no number 'speed' to set");
  REFUSED(ridge_kernel_text(smooth_text, "Smooth; }", NULL, &kernel), RIDGE_USAGE, "");
  REFUSED(ridge_kernel_text("struct Smooth { int x }\n", "Smooth", NULL, &kernel), RIDGE_USAGE,
          "kernel.hpp:1");
  TRUE(strstr(ridge_last_error(), "given_") == NULL);
  REFUSED(ridge_kernel_text("struct Plain {};\n", "Plain", NULL, &kernel), RIDGE_USAGE,
          "Plain is no kernel of a pattern");
  REFUSED(ridge_kernel_find("laplacian-adjoint", NULL, &kernel), RIDGE_USAGE,
          "adjoints by name are those of kernels in files and texts");
  REFUSED(ridge_kernel_text(NULL, "Smooth", NULL, &kernel), RIDGE_BAD_POINTER, "text is null");

  /* Four dimensions under a stencil that reads along three. */
  const int64_t extents[4] = {8, 8, 8, 2};
  OK(ridge_queue_open("cpu", &queue));
  OK(ridge_kernel_find("laplacian", NULL, &kernel));
  OK(ridge_field_wrap(queue, u, RIDGE_DOUBLE, 4, extents, NULL, &fields[0]));
  OK(ridge_field_wrap(queue, v, RIDGE_DOUBLE, 4, extents, NULL, &fields[1]));
  REFUSED(ridge_program_bind(queue, kernel, fields, 2, NULL, &program), RIDGE_USAGE,
          "one to three dimensions, not 4");
  for (int i = 0; i < 2; ++i) OK(ridge_field_free(fields[i]));
  OK(ridge_kernel_free(kernel));
  OK(ridge_queue_free(queue));
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  for (int i = 0; i < POINTS; ++i) u[i] = sin(0.7 * i);
  for (int i = 2; i < count; ++i) of_file(arguments[1], arguments[i], i == 2);
  bad_kernels(arguments[1]);
  printf("%d failures\n", failures);
  return failures != 0;
}
