/* Poisson's equation by hypre's PFMG, alone and as a preconditioner of conjugate gradients;
   bench/solve_peers.py builds and runs it beside ridge.

     mpicc -O3 -I/usr/include/hypre bench/hypre_pfmg.c -o pfmg -lHYPRE -lm && mpirun -n 2 ./pfmg 256
   3

   A box of N^3 points that are solved for, dirichlet faces, a random right-hand side, to a residual
   of 1e-10. Ranks share z. Prints an array of JSON with the best of so many solves of each. */
#include <HYPRE_struct_ls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double random_number(long i) { /* splitmix64 */
  unsigned long x = (unsigned long)i + 0x9e3779b97f4a7c15ul;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ul;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebul;
  return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0 - 0.5;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int n = argc > 1 ? atoi(argv[1]) : 64;
  const int repeats = argc > 2 ? atoi(argv[2]) : 3;
  HYPRE_Int lower[3] = {0, 0, (HYPRE_Int)((long)n * rank / ranks)};
  HYPRE_Int upper[3] = {n - 1, n - 1, (HYPRE_Int)((long)n * (rank + 1) / ranks) - 1};
  const long mine = (long)n * n * (upper[2] - lower[2] + 1);

  HYPRE_StructGrid grid;
  HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid);
  HYPRE_StructGridSetExtents(grid, lower, upper);
  HYPRE_StructGridAssemble(grid);
  HYPRE_StructStencil stencil;
  HYPRE_StructStencilCreate(3, 4, &stencil); /* symmetric: half of the seven */
  HYPRE_Int offsets[4][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  for (int e = 0; e < 4; ++e)
    HYPRE_StructStencilSetElement(stencil, e, offsets[e]);
  HYPRE_StructMatrix matrix;
  HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, &matrix);
  HYPRE_StructMatrixSetSymmetric(matrix, 1);
  HYPRE_StructMatrixInitialize(matrix);
  HYPRE_Int entries[4] = {0, 1, 2, 3};
  double* values = malloc(4 * mine * sizeof(double));
  long i = 0;
  for (int z = lower[2]; z <= upper[2]; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x, ++i) {
        values[4 * i] = 6;
        values[4 * i + 1] = x > 0 ? -1 : 0;
        values[4 * i + 2] = y > 0 ? -1 : 0;
        values[4 * i + 3] = z > 0 ? -1 : 0;
      }
  HYPRE_StructMatrixSetBoxValues(matrix, lower, upper, 4, entries, values);
  HYPRE_StructMatrixAssemble(matrix);
  HYPRE_StructVector b, x;
  HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, &b);
  HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, &x);
  HYPRE_StructVectorInitialize(b);
  HYPRE_StructVectorInitialize(x);
  for (i = 0; i < mine; ++i)
    values[i] = random_number((long)n * n * lower[2] + i);
  HYPRE_StructVectorSetBoxValues(b, lower, upper, values);
  HYPRE_StructVectorAssemble(b);
  HYPRE_StructVectorAssemble(x);
  free(values);

  if (rank == 0) printf("[");
  for (int conjugate = 0; conjugate < 2; ++conjugate) {
    for (int relax = 1; relax < 3; ++relax) { /* weighted Jacobi; red and black in turn */
      HYPRE_StructSolver multigrid, solver = NULL;
      HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &multigrid);
      HYPRE_StructPFMGSetRelaxType(multigrid, relax);
      HYPRE_StructPFMGSetLogging(multigrid, 1);
      HYPRE_StructPFMGSetRAPType(multigrid, 1); /* seven points on all levels */
      HYPRE_StructPFMGSetTol(multigrid, conjugate ? 0 : 1e-10);
      HYPRE_StructPFMGSetMaxIter(multigrid, conjugate ? 1 : 100);
      if (conjugate) HYPRE_StructPFMGSetZeroGuess(multigrid);
      double setup = MPI_Wtime();
      if (conjugate) {
        HYPRE_StructPCGCreate(MPI_COMM_WORLD, &solver);
        HYPRE_StructPCGSetTol(solver, 1e-10);
        HYPRE_StructPCGSetTwoNorm(solver, 1);
        HYPRE_StructPCGSetMaxIter(solver, 100);
        HYPRE_StructPCGSetPrecond(solver, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, multigrid);
        HYPRE_StructPCGSetup(solver, matrix, b, x);
      } else {
        HYPRE_StructPFMGSetup(multigrid, matrix, b, x);
      }
      setup = MPI_Wtime() - setup;
      double best = 1e300, processor = 1e300, residual = 0;
      HYPRE_Int iterations = 0;
      for (int repeat = 0; repeat < repeats; ++repeat) {
        HYPRE_StructVectorSetConstantValues(x, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        double seconds = MPI_Wtime();
        double used = (double)clock();
        if (conjugate) {
          HYPRE_StructPCGSolve(solver, matrix, b, x);
          HYPRE_StructPCGGetNumIterations(solver, &iterations);
          HYPRE_StructPCGGetFinalRelativeResidualNorm(solver, &residual);
        } else {
          HYPRE_StructPFMGSolve(multigrid, matrix, b, x);
          HYPRE_StructPFMGGetNumIterations(multigrid, &iterations);
          HYPRE_StructPFMGGetFinalRelativeResidualNorm(multigrid, &residual);
        }
        used = ((double)clock() - used) / CLOCKS_PER_SEC;
        MPI_Barrier(MPI_COMM_WORLD);
        seconds = MPI_Wtime() - seconds;
        if (seconds < best) best = seconds;
        if (used < processor) processor = used;
      }
      if (rank == 0)
        printf("%s{\"solver\": \"hypre %s%s\", \"seconds\": %.6g, \"processor_seconds\": %.6g, "
               "\"setup_seconds\": %.6g, "
               "\"iterations\": %d, "
               "\"residual\": %.3g}",
               conjugate + relax > 1 ? ",\n " : "", conjugate ? "pcg, pfmg " : "pfmg ",
               relax == 1 ? "jacobi" : "red-black", best, processor, setup, (int)iterations,
               residual);
      if (conjugate) HYPRE_StructPCGDestroy(solver);
      HYPRE_StructPFMGDestroy(multigrid);
    }
  }
  if (rank == 0) printf("]\n");
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
