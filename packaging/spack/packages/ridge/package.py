"""Spack recipe: `spack repo add packaging/spack`, then `spack install ridge +mpi +cuda ^openmpi`.

Checked as Python here; not built by Spack yet."""

from spack.package import *


class Ridge(CMakePackage, CudaPackage):
    """Performance-portable kernels on CPUs and GPUs, accounted against the roof."""

    maintainers = []
    version("main", branch="main")

    variant("mpi", default=True, description="Several ranks, over any MPI")
    variant("nccl", default=False, when="+mpi +cuda", description="NCCL for messages of GPUs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost+context")
    depends_on("hwloc")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("cli11")
    depends_on("hdf5~mpi")
    depends_on("libpng")
    depends_on("zlib-api")
    depends_on("sleef")
    depends_on("mpi", when="+mpi")
    depends_on("nccl", when="+nccl", type=("link", "run"))
    conflicts("%gcc@:11", msg="C++20 needs GCC 12")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("RIDGE_CUDA", "cuda"),
            self.define("RIDGE_HIP", "OFF"),
            self.define_from_variant("RIDGE_MPI", "mpi"),
            self.define("RIDGE_TESTS", self.run_tests),
            self.define("RIDGE_CPU_LEVELS", "x86-64-v3;x86-64-v4"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("RIDGE_CUDA_ARCH", self.spec.variants["cuda_arch"].value))
        return args
