// Matrices in the fifth dimension, compiled once per device kind.
#include "../src/fifth_kernels.cpp"
