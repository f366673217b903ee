/* Ridge for C, and for every language that calls C. C99; no header of C++ is needed.
 *
 *   ridge_queue queue;
 *   ridge_kernel laplacian;
 *   ridge_field fields[2];
 *   ridge_program program;
 *   int64_t extents[3] = {nx, ny, nz};
 *   ridge_queue_open("cpu", &queue);
 *   ridge_kernel_find("laplacian", "hx=0.1 hy=0.1 hz=0.1", &laplacian);
 *   ridge_field_wrap(queue, u, RIDGE_DOUBLE, 3, extents, NULL, &fields[0]);
 *   ridge_field_wrap(queue, v, RIDGE_DOUBLE, 3, extents, NULL, &fields[1]);
 *   ridge_program_bind(queue, laplacian, fields, 2, NULL, &program);
 *   for (int step = 0; step < steps; ++step) ridge_program_run(program);
 *   ridge_queue_wait(queue);
 *
 * Every function that returns an int returns RIDGE_OK or one of the other codes, and then
 * ridge_last_error() says in one sentence what is wrong and what would be right. No exception and
 * no signal leaves the library. A handle is checked wherever it is given: one that is null, was
 * freed, or is of another kind is RIDGE_BAD_HANDLE. All functions may be called from any thread;
 * launches on one queue go one after the other. */
#ifndef RIDGE_H
#define RIDGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this interface. A library serves programs that were compiled with its own version or an
 * older one; opening a queue checks it. */
#define RIDGE_C_VERSION 1

enum {
  RIDGE_OK = 0,
  RIDGE_FAILURE = 1,     /* the request was right and the world was not: a compiler, a disk */
  RIDGE_USAGE = 2,       /* what was asked for does not exist or does not fit */
  RIDGE_BAD_HANDLE = 3,  /* null, freed, of another kind; or a program whose queue was freed */
  RIDGE_BAD_POINTER = 4, /* null where a result or an argument is needed */
  RIDGE_BAD_VERSION = 5, /* the header is newer than the library */
  RIDGE_NO_MEMORY = 6,   /* of the host; that of a device is RIDGE_FAILURE, with the need */
  RIDGE_CHECK_FAILED = 7 /* results differ from the reference */
};

/* The exit code that the command `ridge` has for a code: 0, 1 or 2. */
int ridge_exit_code(int code);
/* The message of the latest call of this thread that failed; "" where none did. Valid until the
 * next call of this thread that fails. */
const char *ridge_last_error(void);
/* Version of the library: "0.1.0". */
const char *ridge_version(void);
/* RIDGE_C_VERSION of the library. */
int ridge_c_version(void);

/* Functions with `text, size, length` write at most `size` bytes, the closing zero included, to
 * `text`, and the number of bytes without it to `*length`, where that is not null. With a null
 * `text` only the length is written. A text that is too long is cut, which is RIDGE_USAGE. */

/* The devices of this machine, a name a line: "cuda:0", "cpu", "simt:32". */
int ridge_devices(char *text, size_t size, size_t *length);

/* --- Queues: in-order streams of work on a device. */

typedef struct ridge_queue_handle *ridge_queue;

int ridge_queue_open_version(int version, const char *device, ridge_queue *queue);
int ridge_queue_on_stream_version(int version, const char *device, void *stream,
                                  ridge_queue *queue);

/* `device`: "cpu", "cuda:0", "hip:0", "simt:32", "simt:64", or "auto", the best one. */
static inline int ridge_queue_open(const char *device, ridge_queue *queue) {
  return ridge_queue_open_version(RIDGE_C_VERSION, device, queue);
}
/* On a cudaStream_t or hipStream_t of the caller's (null: the default one), which outlives it. */
static inline int ridge_queue_on_stream(const char *device, void *stream, ridge_queue *queue) {
  return ridge_queue_on_stream_version(RIDGE_C_VERSION, device, stream, queue);
}
/* Returns when all that was given to the queue is done. */
int ridge_queue_wait(ridge_queue queue);
/* The name of its device. */
int ridge_queue_device(ridge_queue queue, char *text, size_t size, size_t *length);
/* Waits first. Its programs and fields can then only be freed. Null is no error. */
int ridge_queue_free(ridge_queue queue);

/* --- Fields: arrays of one to six dimensions, the first contiguous in memory, as in Fortran. In C
 * double u[nz][ny][nx] has the extents {nx, ny, nz}. Dimensions beyond the third are folded into
 * it where the kernel does not read along the third. */

typedef struct ridge_field_handle *ridge_field;

enum { RIDGE_FLOAT = 4, RIDGE_DOUBLE = 8 };

/* Memory of the caller's, which outlives the programs that it is bound to: of the host for cpu and
 * simt, of the device for cuda and hip. `strides` are in elements, the first 1; null: no gaps. */
int ridge_field_wrap(ridge_queue queue, void *data, int type, int dimensions,
                     const int64_t *extents, const int64_t *strides, ridge_field *field);
/* Memory of Ridge's on the device of the queue, filled with zeros. */
int ridge_field_new(ridge_queue queue, int type, int dimensions, const int64_t *extents,
                    ridge_field *field);
/* Copies `bytes`, which must be those of the field, from and to memory of the host; waits. */
int ridge_field_set(ridge_field field, const void *host, size_t bytes);
int ridge_field_get(ridge_field field, void *host, size_t bytes);
/* Where the field is, on its device. */
int ridge_field_data(ridge_field field, void **data);
/* Programs that it is bound to keep what they need. Null is no error. */
int ridge_field_free(ridge_field field);

/* --- Kernels. `settings`: numbers of the kernel, "rate=0.1 dt=0.5", or null. A kernel in a file
 * or a text sets the members of those names; built-in stencils have hx, hy and hz, the distances
 * between points, 1 by default. */

typedef struct ridge_kernel_handle *ridge_kernel;

/* A built-in kernel by its name, or one in a file: "heat.hpp:Heat", which is compiled. */
int ridge_kernel_find(const char *name, const char *settings, ridge_kernel *kernel);
/* The functor `name` of the C++ header `text`, which is compiled. With "-adjoint" behind the name of
 * a kernel in a file or a text it is its adjoint, with the fields that ridge_kernel_describe says. */
int ridge_kernel_text(const char *text, const char *name, const char *settings,
                      ridge_kernel *kernel);
/* A JSON object: "name", "pattern", "meaning", "arrays" and how many of them are "inputs". */
int ridge_kernel_describe(ridge_kernel kernel, char *text, size_t size, size_t *length);
/* A JSON array of such objects: the built-in kernels that take arrays. */
int ridge_kernels(char *text, size_t size, size_t *length);
/* Programs that it is bound to keep what they need. Null is no error. */
int ridge_kernel_free(ridge_kernel kernel);

/* --- Programs: a kernel, its fields and a schedule, bound once and run as often as asked. */

typedef struct ridge_program_handle *ridge_program;

/* `fields` are the kernel's, inputs first: of a stencil its inputs and its output; of a chain those
 * that are no temporaries; of pairs sources and sums, each of (bodies, components), or targets,
 * sources and sums; of a reduction what it reads; of a map x, y where it reads that, and z.
 * `schedule`: text as `ridge schedules` lists it; null or "auto": what tuning found, or the
 * default. */
int ridge_program_bind(ridge_queue queue, ridge_kernel kernel, const ridge_field *fields,
                       size_t count, const char *schedule, ridge_program *program);
/* Gives one launch to the queue. */
int ridge_program_run(ridge_program program);
/* The schedule as text. */
int ridge_program_schedule(ridge_program program, char *text, size_t size, size_t *length);
/* The record as a JSON object; with times once the program was measured. */
int ridge_program_record(ridge_program program, char *text, size_t size, size_t *length);
/* Times `repeat` launches, after a warm-up; outputs are then as a launch leaves them. */
int ridge_program_measure(ridge_program program, int repeat);
/* Runs once and compares with the reference; RIDGE_CHECK_FAILED says where they differ. The
 * outputs are then as a launch leaves them. */
int ridge_program_check(ridge_program program);
/* What the latest launch of a reduction gave; waits. Writes at most `size` numbers, and how many
 * there are to `*count`, where that is not null. None of other kernels. */
int ridge_program_results(ridge_program program, double *results, size_t size, size_t *count);
/* Null is no error. */
int ridge_program_free(ridge_program program);

/* --- Sweeps: many steps of a stencil over time, with boundaries. */

typedef struct ridge_sweeps_handle *ridge_sweeps;

/* A stencil that gives the next value of its first field: built in ("heat", "wave", ...; `settings`
 * of ridge_kernel_find then have `value`, the physical number, 1 by default, `dt`, 0.9 of the
 * largest stable step by default, and hx, hy, hz; of "diffusion" the largest coefficient counts), or
 * one of your own. A step beyond the largest stable one, where that is known, is refused. `fields`,
 * one an input, without gaps, are copied. `boundary`: "x=periodic,y-=dirichlet:0,y+=neumann:1"; null: the
 * outermost points keep their values. `schedule`: null or "auto" for the default. */
int ridge_sweeps_bind(ridge_queue queue, ridge_kernel kernel, const ridge_field *fields,
                      size_t count, const char *boundary, const char *schedule,
                      ridge_sweeps *sweeps);
/* Gives so many sweeps to the queue. */
int ridge_sweeps_run(ridge_sweeps sweeps, int64_t steps);
/* Sweeps since the start. */
int ridge_sweeps_steps(ridge_sweeps sweeps, int64_t *steps);
/* Copies the time levels as they are now to the fields that they came from, in queue order. */
int ridge_sweeps_read(ridge_sweeps sweeps);
/* The record of one sweep, or of one pass of several, as a JSON object; not timed. */
int ridge_sweeps_record(ridge_sweeps sweeps, char *text, size_t size, size_t *length);
/* Null is no error. */
int ridge_sweeps_free(ridge_sweeps sweeps);

/* --- Wisdom: schedules that tuning found, which "auto" takes. */

/* The schedules with names and the default (`which` "all"), or every one ("space"), a line each. */
int ridge_schedules(ridge_queue queue, ridge_kernel kernel, const ridge_field *fields, size_t count,
                    const char *which, char *text, size_t size, size_t *length);
/* Searches the fastest schedule for `seconds` and keeps it; programs that are bound from now on by
 * "auto" have it. The outputs are then as a launch leaves them. Writes what was found as JSON. */
int ridge_tune(ridge_queue queue, ridge_kernel kernel, const ridge_field *fields, size_t count,
               double seconds, char *text, size_t size, size_t *length);
/* Where wisdom is kept. */
int ridge_wisdom_file(char *text, size_t size, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
