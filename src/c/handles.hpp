// Handles: numbers that look like pointers to C's type checks, and are looked up wherever one is
// given. A place in the table is used again with another generation, so a handle that was freed
// never means what came after it.
#pragma once

#include "call.hpp"
#include "objects.hpp"

#include <memory>
#include <mutex>

namespace ridge::c {

enum class Kind { queue = 1, field, kernel, program, sweeps };

template <class Object>
struct HandleOf;
template <>
struct HandleOf<QueueObject> {
  using Type = ridge_queue;
  static constexpr Kind kind = Kind::queue;
};
template <>
struct HandleOf<FieldObject> {
  using Type = ridge_field;
  static constexpr Kind kind = Kind::field;
};
template <>
struct HandleOf<KernelObject> {
  using Type = ridge_kernel;
  static constexpr Kind kind = Kind::kernel;
};
template <>
struct HandleOf<ProgramObject> {
  using Type = ridge_program;
  static constexpr Kind kind = Kind::program;
};
template <>
struct HandleOf<SweepsObject> {
  using Type = ridge_sweeps;
  static constexpr Kind kind = Kind::sweeps;
};

namespace detail {
/// All under lab::moments().
[[nodiscard]] void* add(Kind kind, std::shared_ptr<void> object);
/// Throws Refused.
[[nodiscard]] const std::shared_ptr<void>& find(Kind kind, const void* handle);
/// Throws Refused.
[[nodiscard]] std::shared_ptr<void> take(Kind kind, const void* handle);
} // namespace detail

/// A handle of an object.
template <class Object>
[[nodiscard]] typename HandleOf<Object>::Type add(std::shared_ptr<Object> object) {
  const std::lock_guard lock(lab::moments());
  return static_cast<typename HandleOf<Object>::Type>(
      detail::add(HandleOf<Object>::kind, std::move(object)));
}

/// Throws Refused for a handle that is null, was freed or is of another kind.
template <class Object>
[[nodiscard]] std::shared_ptr<Object> find(typename HandleOf<Object>::Type handle) {
  const std::lock_guard lock(lab::moments());
  return std::static_pointer_cast<Object>(detail::find(HandleOf<Object>::kind, handle));
}

/// Frees a handle. Throws Refused as find does.
template <class Object>
[[nodiscard]] std::shared_ptr<Object> take(typename HandleOf<Object>::Type handle) {
  const std::lock_guard lock(lab::moments());
  return std::static_pointer_cast<Object>(detail::take(HandleOf<Object>::kind, handle));
}

/// The turn of this thread on a queue. Throws Refused for one that was freed; `whose` is what lies
/// on it.
class OnQueue {
public:
  OnQueue(QueueObject& queue, const char* whose);

private:
  std::unique_lock<std::mutex> lock_;
};

/// The turn on a queue of what is freed, which waits for launches that need its memory.
class TurnToFree {
public:
  explicit TurnToFree(QueueObject& queue);

private:
  std::unique_lock<std::mutex> lock_;
};

/// Fields of a call. Throws Refused, and UsageError for one on another device than the queue's.
[[nodiscard]] std::vector<std::shared_ptr<FieldObject>>
fields_of(const QueueObject& queue, const ridge_field* fields, std::size_t count);

} // namespace ridge::c
