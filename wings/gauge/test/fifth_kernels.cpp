// Matrices in the fifth dimension, compiled once per device kind.
#include "../../src/gauge/fifth_kernels.cpp"
