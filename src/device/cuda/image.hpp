// Images of kernels on CUDA.
#pragma once

#include <ridge/device/gpu/granted.hpp>
#include <ridge/device/gpu/native.hpp>
#include <ridge/device/image.hpp>

#include <vector>

namespace ridge::gpu::inline RIDGE_TARGET_NAME {

class CudaImage : public KernelImage {
public:
  CudaImage(int device, const void* image) : device_(device) {
    use();
    check(cudaLibraryLoadData(&library_, image, nullptr, nullptr, 0, nullptr, nullptr, 0),
          "loading a compiled kernel");
    check(cudaLibraryGetKernel(&kernel_, library_, "ridge_entry"), "finding a compiled kernel");
    int major = 0; // images are compiled for the device that they are loaded on
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
          "asking for the GPU's compute capability");
    waits_by_itself_ = major >= 9;
  }
  ~CudaImage() override { (void)cudaLibraryUnload(library_); }

  [[nodiscard]] bool prepare(const LaunchShape& shape) override {
    use();
    if (shape.shared_bytes <= plain_shared_bytes) return true;
    granted_.raise(device_, shape.shared_bytes, [&] {
      check(cudaFuncSetAttribute(function(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 shape.shared_bytes),
            "granting a kernel shared memory");
    });
    return true;
  }
  [[nodiscard]] int resident_blocks(const LaunchShape& shape) override {
    (void)prepare(shape);
    int per_unit = 0;
    int units = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &per_unit, function(), static_cast<int>(shape.block.count()),
              static_cast<std::size_t>(shape.shared_bytes)),
          "asking how many blocks fit");
    check(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device_),
          "asking for the GPU's multiprocessors");
    return per_unit * units;
  }
  void launch(void* stream, const LaunchShape& shape, void* body, bool prepared_early) override {
    use();
    cudaLaunchAttribute attribute{};
    if (shape.together) {
      attribute.id = cudaLaunchAttributeCooperative;
      attribute.val.cooperative = 1;
    } else {
      attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = native(shape.grid);
    config.blockDim = native(shape.block);
    config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
    config.stream = static_cast<Stream>(stream);
    config.attrs = &attribute;
    config.numAttrs = shape.together || (prepared_early && waits_by_itself_) ? 1 : 0;
    void* arguments[] = {body};
    check(cudaLaunchKernelExC(&config, function(), arguments), "launching a compiled kernel");
  }

protected:
  std::vector<unsigned char> load_facts() override {
    use();
    void* facts = nullptr;
    std::size_t size = 0;
    check(cudaLibraryGetGlobal(&facts, &size, library_, "ridge_facts"), "reading a kernel's facts");
    std::vector<unsigned char> bytes(size);
    check(cudaMemcpy(bytes.data(), facts, size, cudaMemcpyDeviceToHost),
          "reading a kernel's facts");
    return bytes;
  }
  KernelResources load_resources() override {
    use();
    cudaFuncAttributes a{};
    check(cudaFuncGetAttributes(&a, function()), "asking what a kernel takes");
    return {a.numRegs, static_cast<int>(a.localSizeBytes)};
  }

private:
  void use() const { check(cudaSetDevice(device_), "selecting the GPU"); }
  [[nodiscard]] const void* function() const { return reinterpret_cast<const void*>(kernel_); }

  int device_;
  Granted granted_;
  bool waits_by_itself_ = false; ///< where the body says prepared_early
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

} // namespace ridge::gpu::inline RIDGE_TARGET_NAME
