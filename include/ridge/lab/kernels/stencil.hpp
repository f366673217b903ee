// All built-in stencil kernels.
#pragma once

#include <ridge/lab/evolving_kernels.hpp>
#include <ridge/lab/stencil_kernels.hpp>
#include <ridge/stencil/laplacian.hpp>
