/* The Laplacian of a quadratic from C: it is 2 a + 2 b + 2 c everywhere. */
#include <ridge.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int code) {
  if (code == RIDGE_OK) return;
  fprintf(stderr, "%s\n", ridge_last_error());
  exit(ridge_exit_code(code));
}

int main(int count, char **arguments) {
  enum { nx = 64, ny = 48, nz = 32 };
  const int64_t extents[3] = {nx, ny, nz}; /* the last index of u[z][y][x] first */
  static double u[nz][ny][nx], v[nz][ny][nx];
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) u[z][y][x] = 0.25 * (x * x + 2 * y * y + 3 * z * z);

  ridge_queue queue;
  ridge_kernel laplacian;
  ridge_field fields[2];
  ridge_program program;
  check(ridge_queue_open(count > 1 ? arguments[1] : "cpu", &queue));
  check(ridge_kernel_find("laplacian", "hx=0.5 hy=0.5 hz=0.5", &laplacian));
  /* On the host fields lie over arrays; ridge_field_new and ridge_field_set are for any device. */
  for (int i = 0; i < 2; ++i) check(ridge_field_new(queue, RIDGE_DOUBLE, 3, extents, &fields[i]));
  check(ridge_field_set(fields[0], u, sizeof u));
  check(ridge_program_bind(queue, laplacian, fields, 2, NULL, &program));
  check(ridge_program_run(program));
  check(ridge_field_get(fields[1], v, sizeof v)); /* waits */

  double worst = 0;
  for (int z = 1; z < nz - 1; ++z)
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x) worst = fmax(worst, fabs(v[z][y][x] - 12));
  printf("laplacian of %d x %d x %d points: 12 everywhere, to %g\n", nx, ny, nz, worst);

  char record[4096];
  check(ridge_program_check(program));
  check(ridge_program_record(program, record, sizeof record, NULL));
  printf("%.40s...\n", record);
  check(ridge_program_free(program));
  check(ridge_field_free(fields[0]));
  check(ridge_field_free(fields[1]));
  check(ridge_kernel_free(laplacian));
  check(ridge_queue_free(queue));
  return 0;
}
