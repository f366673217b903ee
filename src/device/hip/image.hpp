// Images of kernels on HIP.
#pragma once

#include <ridge/device/gpu/native.hpp>
#include <ridge/device/image.hpp>

#include <dlfcn.h>

#include <vector>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

/// hipModuleLaunchCooperativeKernel, which runtimes before ROCm 5.5 do not have.
using LaunchTogether = hipError_t(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, unsigned, hipStream_t, void**);
inline LaunchTogether* launch_together() {
  static auto* const known =
      reinterpret_cast<LaunchTogether*>(dlsym(RTLD_DEFAULT, "hipModuleLaunchCooperativeKernel"));
  return known;
}

class HipImage : public KernelImage {
public:
  HipImage(int device, const void* image) : device_(device) {
    use();
    check(hipModuleLoadData(&module_, image), "loading a compiled kernel");
    check(hipModuleGetFunction(&kernel_, module_, "ridge_entry"), "finding a compiled kernel");
  }
  ~HipImage() override { (void)hipModuleUnload(module_); }

  [[nodiscard]] bool prepare(const LaunchShape& shape) override {
    return !shape.together || launch_together() != nullptr;
  }
  [[nodiscard]] int resident_blocks(const LaunchShape& shape) override {
    use();
    int per_unit = 0;
    int units = 0;
    check(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
              &per_unit, kernel_, static_cast<int>(shape.block.count()),
              static_cast<std::size_t>(shape.shared_bytes)),
          "asking how many blocks fit");
    check(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device_),
          "asking for the GPU's multiprocessors");
    return per_unit * units;
  }
  void launch(void* stream, const LaunchShape& shape, void* body,
              bool /*prepared_early*/) override {
    use();
    const dim3 grid = native(shape.grid);
    const dim3 block = native(shape.block);
    const auto shared = static_cast<unsigned>(shape.shared_bytes);
    auto* const queue = static_cast<Stream>(stream);
    void* arguments[] = {body};
    check(shape.together ? launch_together()(kernel_, grid.x, grid.y, grid.z, block.x, block.y,
                                             block.z, shared, queue, arguments)
                         : hipModuleLaunchKernel(kernel_, grid.x, grid.y, grid.z, block.x, block.y,
                                                 block.z, shared, queue, arguments, nullptr),
          "launching a compiled kernel");
  }

protected:
  std::vector<unsigned char> load_facts() override {
    use();
    hipDeviceptr_t facts = nullptr;
    std::size_t size = 0;
    check(hipModuleGetGlobal(&facts, &size, module_, "ridge_facts"), "reading a kernel's facts");
    std::vector<unsigned char> bytes(size);
    check(hipMemcpy(bytes.data(), facts, size, hipMemcpyDeviceToHost), "reading a kernel's facts");
    return bytes;
  }
  KernelResources load_resources() override {
    use();
    int registers = 0;
    int local = 0;
    check(hipFuncGetAttribute(&registers, HIP_FUNC_ATTRIBUTE_NUM_REGS, kernel_),
          "asking what a kernel takes");
    check(hipFuncGetAttribute(&local, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel_),
          "asking what a kernel takes");
    return {registers, local};
  }

private:
  void use() const { check(hipSetDevice(device_), "selecting the GPU"); }

  int device_;
  hipModule_t module_ = nullptr;
  hipFunction_t kernel_ = nullptr;
};

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
