// Operations that every kind of device offers to queues, events and memory. One implementation a
// kind, under src/device/<kind>; nothing above the device room calls it.
#pragma once

#include <ridge/device/device.hpp>
#include <ridge/device/exported.hpp>
#include <ridge/device/image.hpp>
#include <ridge/device/tile_map.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ridge {

enum class CopyDirection { to_device, to_host, on_device };

class Backend {
public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual DeviceId id() const = 0;
  [[nodiscard]] virtual const DeviceFacts& facts() const = 0;
  [[nodiscard]] virtual Bytes free_memory() const = 0;

  /// Memory aligned to at least 256 bytes; null when it does not fit.
  [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* memory, std::size_t bytes) noexcept = 0;

  /// Host memory that copies to and from the device fast; null when it does not fit.
  [[nodiscard]] virtual void* allocate_staging(std::size_t bytes) = 0;
  virtual void deallocate_staging(void* memory, std::size_t bytes) noexcept = 0;

  /// Streams are opaque; hosts that execute at once return null.
  [[nodiscard]] virtual void* create_stream() = 0;
  virtual void destroy_stream(void* stream) noexcept = 0;
  virtual void wait(void* stream) = 0;

  /// In stream order; host memory must stay valid until the stream was waited for.
  virtual void copy(void* stream, void* to, const void* from, std::size_t bytes,
                    CopyDirection direction) = 0;
  /// `rows` rows of `bytes`, their starts `to_pitch` and `from_pitch` bytes apart.
  virtual void copy_rows(void* stream, void* to, std::size_t to_pitch, const void* from,
                         std::size_t from_pitch, std::size_t bytes, std::size_t rows,
                         CopyDirection direction) = 0;
  /// Sets every byte.
  virtual void fill(void* stream, void* memory, unsigned char byte, std::size_t bytes) = 0;
  /// Memory that no stream uses yet: these are done when they return, and no part of what a
  /// stream records.
  virtual void set_now(void* to, const void* from, std::size_t bytes) = 0;
  virtual void fill_now(void* memory, unsigned char byte, std::size_t bytes) = 0;

  /// Between these two, a stream records what it is given instead of running it. `end_capture`
  /// returns what launch_graph takes. Only for streams that are not null.
  /// Memory, streams, events and images are made in between as ever.
  virtual void begin_capture(void* stream) = 0;
  [[nodiscard]] virtual void* end_capture(void* stream) = 0;
  virtual void launch_graph(void* graph, void* stream) = 0;
  virtual void destroy_graph(void* graph) noexcept = 0;
  /// See ridge/device/recording.hpp, also of what others began.
  [[nodiscard]] virtual std::uint64_t recording(void* stream);
  virtual void keep_with_recording(void* stream, std::shared_ptr<const void> what);
  /// Between these two the calling thread may do what no recording allows: load kernels.
  virtual void begin_binding() {}
  virtual void end_binding() noexcept {}

  [[nodiscard]] virtual void* create_event() = 0;
  virtual void destroy_event(void* event) noexcept = 0;
  virtual void record_event(void* event, void* stream) = 0;
  /// Waits for both.
  [[nodiscard]] virtual Seconds elapsed(void* from, void* to) = 0;

  /// Memory for other processes, see ridge/device/exported.hpp; kinds that share none have nothing.
  [[nodiscard]] virtual std::optional<ExportedMemory> export_memory(const void* data);
  [[nodiscard]] virtual void* import_memory(const ExportedMemory& memory);
  virtual void release_imported(void* memory) noexcept;

  /// Loads a kernel that was compiled alone; null where this kind of device takes no images.
  [[nodiscard]] virtual std::shared_ptr<KernelImage> load_image(const void* image);

  /// See ridge/device/tile_map.hpp, which checks the field. Throws Failure where this kind of
  /// device copies no tiles.
  [[nodiscard]] virtual TileMap tile_map(const TiledField& field);
};

} // namespace ridge
