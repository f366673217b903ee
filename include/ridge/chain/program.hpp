// Running a chain from host code.
#pragma once

#include <ridge/chain/executor.hpp>
#include <ridge/chain/schedule.hpp>
#include <ridge/device/dispatch.hpp>
#include <ridge/device/graph.hpp>
#include <ridge/record/record.hpp>

#include <memory>

namespace ridge::chain {

/// The user's arrays of a chain, by slot.
template <class C, class T>
class Views {
public:
  /// An array that the chain may write.
  template <int I, bool P>
  Views& set(Slot<I, P>, const View<T>& view) {
    views_[I] = view;
    return *this;
  }
  /// An input.
  template <int I, bool P>
  Views& set(Slot<I, P>, const View<const T>& view) {
    static_assert(C::arrays[I].role == Role::input, "the chain writes this array");
    views_[I] = View<T>(const_cast<T*>(view.data), view.extents, view.row, view.plane);
    return *this;
  }
  [[nodiscard]] const View<T>& of(int array) const {
    return views_[static_cast<std::size_t>(array)];
  }

private:
  std::array<View<T>, arrays_of<C>> views_;
};

namespace detail {
/// An array as checks see it.
struct GivenArray {
  const char* data = nullptr;
  Index3 extents;
  Index span = 0; ///< elements
};
/// Throws UsageError for arrays that are missing, of other extents, or overlap one that is written.
void check_arrays(const Description& description, Index3 extents,
                  const std::vector<GivenArray>& given);
} // namespace detail

/// The record of a run before it is timed.
[[nodiscard]] Record record_of(const Device& device, const Description& description,
                               const Plan& plan, const Schedule& schedule,
                               const KernelFacts& facts);

/// A chain laid over a range on a device: checked, with memory for its temporaries. The arrays must
/// outlive it; it runs as often as asked.
template <class C, class T>
class Program {
public:
  /// `extents` are those of the range. Throws UsageError for wrong declarations, arrays that do not
  /// fit, and schedules that are not possible; Failure when temporaries do not fit the memory.
  Program(Queue& queue, const C& chain, Index3 extents, const Views<C, T>& views,
          const Schedule& schedule)
      : queue_(queue), description_(describe<C, T>()),
        plan_(make_plan(description_, extents, request_of(schedule))),
        schedule_(schedule), call_{chain, {}, &plan_, nullptr} {
    std::vector<detail::GivenArray> given;
    for (int i = 0; i < arrays_of<C>; ++i) {
      const View<T>& v = views.of(i);
      given.push_back(
          {reinterpret_cast<const char*>(v.data), v.extents, v.data == nullptr ? 0 : v.span()});
    }
    detail::check_arrays(description_, extents, given);
    on_kind_of(queue.device(), [&]<class Target>(Target) {
      if (!std::holds_alternative<typename Executor<C, T, Target>::Schedule>(schedule)) {
        throw UsageError("the schedule '" + to_text(schedule) + "' is not one for " +
                         to_text(queue.device().id()));
      }
    });
    allocate();
    place(views);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Gives the operations other parameters for the runs that follow.
  void change(const C& chain) {
    call_.chain = chain;
    graph_.reset();
  }

  /// Gives all operations to the queue.
  void run() {
    const auto* const gpu = std::get_if<GpuSchedule>(&schedule_);
    if (gpu == nullptr || gpu->graph == Graph::off) {
      give();
      return;
    }
    if (!graph_) {
      (void)kernel_facts(); // loads the kernels, which recording must not
      graph_ = std::make_unique<ridge::Graph>(queue_, [this] { give(); });
    }
    graph_->launch();
  }

  /// The same without a graph of its own, for graphs of several programs.
  void give() {
    on_kind_of(queue_.device(), [&]<class Target>(Target) {
      using Run = Executor<C, T, Target>;
      Run::run(queue_, call_, std::get<typename Run::Schedule>(schedule_));
    });
  }

  [[nodiscard]] Record record() const {
    return record_of(queue_.device(), description_, plan_, schedule_, kernel_facts());
  }
  /// Of the compiled kernels; loads them.
  [[nodiscard]] KernelFacts kernel_facts() const {
    return on_kind_of(queue_.device(), [&]<class Target>(Target) {
      return Executor<C, T, Target>::facts(queue_, call_);
    });
  }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Description& description() const { return description_; }

private:
  void allocate() {
    const auto bytes = [](Index elements) {
      return Bytes{elements * static_cast<Index>(sizeof(T))};
    };
    if (plan_.whole_elements > 0) {
      whole_ = Memory(queue_.device(), bytes(plan_.whole_elements),
                      std::string("temporaries of ") + C::name);
    }
    if (const auto* const s = std::get_if<CpuSchedule>(&schedule_)) {
      const Index threads = cpu_threads(*s, plan_.extents);
      if (plan_.tile_elements > 0) {
        tiles_ = Memory(queue_.device(), bytes(plan_.tile_elements * threads),
                        std::string("tiles of ") + C::name);
      }
      call_.tile_memory = static_cast<T*>(tiles_.data());
    }
  }

  void place(const Views<C, T>& views) {
    const auto* const cpu = std::get_if<CpuSchedule>(&schedule_);
    const bool stream = cpu != nullptr && cpu->store == Store::nontemporal;
    for (int i = 0; i < arrays_of<C>; ++i) {
      const ArrayPlan& a = plan_.arrays[static_cast<std::size_t>(i)];
      Window<T>& w = call_.windows.of[i];
      const Index3 n = plan_.extents;
      const Offset extra = C::arrays[static_cast<std::size_t>(i)].extra;
      w.points = {n.x + extra.x, n.y + extra.y, n.z + extra.z};
      if (a.home == Home::external) {
        const View<T>& v = views.of(i);
        w.data = v.data;
        w.row = v.row;
        w.plane = v.plane;
        w.size = v.span();
      } else {
        w.row = a.held.x;
        w.plane = a.held.x * a.held.y;
        w.size = a.elements();
      }
      // Results that the chain itself reads again had better stay near.
      w.stream = stream &&
                 (a.home == Home::whole ||
                  (a.home == Home::external && !description_.read_in(0, operations_of<C> - 1, i)));
      if (a.home == Home::whole) {
        w.data = static_cast<T*>(whole_.data()) + a.offset;
      }
      if (a.home == Home::tile) {
        w.local = true;
        w.offset = a.offset + a.before.x;
        w.part_x = a.part_x;
        w.part_y = a.part_y;
        w.part_z = a.part_z;
        if (a.part_y) w.mask_y = a.held.y - 1;
        if (a.part_z) w.mask_z = a.held.z - 1;
      }
    }
  }

  Queue& queue_;
  Description description_;
  Plan plan_;
  Schedule schedule_;
  Memory whole_, tiles_;
  Call<C, T> call_;
  std::unique_ptr<ridge::Graph> graph_;
};

} // namespace ridge::chain
