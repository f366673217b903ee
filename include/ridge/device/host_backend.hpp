// The backend of host memory, for the cpu and the emulated GPU: work runs at once, by a steady
// clock.
#pragma once

#include <ridge/device/backend.hpp>

namespace ridge {

class HostBackend : public Backend {
public:
  HostBackend(DeviceId id, DeviceFacts facts);

  [[nodiscard]] DeviceId id() const override { return id_; }
  [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
  [[nodiscard]] Bytes free_memory() const override;

  [[nodiscard]] void* allocate(std::size_t bytes) override;
  void deallocate(void* memory, std::size_t bytes) noexcept override;

  [[nodiscard]] void* allocate_staging(std::size_t bytes) override { return allocate(bytes); }
  void deallocate_staging(void* memory, std::size_t bytes) noexcept override {
    deallocate(memory, bytes);
  }

  [[nodiscard]] void* create_stream() override { return nullptr; }
  void destroy_stream(void* /*stream*/) noexcept override {}
  void wait(void* /*stream*/) override {}

  void copy(void* stream, void* to, const void* from, std::size_t bytes,
            CopyDirection direction) override;
  void copy_rows(void* stream, void* to, std::size_t to_pitch, const void* from,
                 std::size_t from_pitch, std::size_t bytes, std::size_t rows,
                 CopyDirection direction) override;
  void fill(void* stream, void* memory, unsigned char byte, std::size_t bytes) override;
  void set_now(void* to, const void* from, std::size_t bytes) override;
  void fill_now(void* memory, unsigned char byte, std::size_t bytes) override;

  void begin_capture(void* stream) override;
  [[nodiscard]] void* end_capture(void* stream) override;
  void launch_graph(void* graph, void* stream) override;
  void destroy_graph(void* /*graph*/) noexcept override {}

  [[nodiscard]] void* create_event() override;
  void destroy_event(void* event) noexcept override;
  void record_event(void* event, void* stream) override;
  [[nodiscard]] Seconds elapsed(void* from, void* to) override;

private:
  DeviceId id_;
  DeviceFacts facts_;
};

/// Memory of this machine as a whole, and what of it is free for us now.
[[nodiscard]] Bytes host_memory();
[[nodiscard]] Bytes free_host_memory();

} // namespace ridge
