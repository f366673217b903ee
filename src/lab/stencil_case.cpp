#include <ridge/core/error.hpp>
#include <ridge/device/field.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/lab/rank_case.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/stencil/menu.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ridge::lab {

namespace {

template <class T>
class StencilOnViews : public Case {
public:
  using Kernel = std::shared_ptr<const stencil::CheckedKernel<T>>;

  StencilOnViews(std::string name, Queue& queue, Kernel kernel, std::vector<View<const T>> in,
                 const View<T>& out)
      : name_(std::move(name)), queue_(queue), kernel_(std::move(kernel)), in_(std::move(in)),
        out_(out) {}

  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Subject subject() const override {
    const Index3 n = out_.extents;
    return {&kernel_->call_type(), name_, sizeof(T) == 4 ? "fp32" : "fp64", Extents{n.x, n.y, n.z}};
  }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return stencil::menu(kernel_->traits(), out_.extents, place, stencil::Strides::of(out_));
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    const auto schedule = held<stencil::Schedule>(s);
    return kernel_->bind(queue_, in_, out_, &schedule, name_);
  }
  void poison() override { fill_bytes(queue_, out_.data, poison_byte, bytes()); }
  [[nodiscard]] Check check() override {
    return check_stencil<T>(queue_, *kernel_, in_, out_, poison_byte, bounded_unit<T>);
  }
  [[nodiscard]] Limit limit() const override {
    const Work work = stencil::work_of(kernel_->traits(), out_.extents);
    return {"copy", "B/s", static_cast<double>(work.read.value + work.written.value), std::nullopt,
            roof_memory(out_.data, in_[0].data, bytes())};
  }

private:
  static constexpr unsigned char poison_byte = 0xff;
  [[nodiscard]] Bytes bytes() const { return {out_.span() * static_cast<Index>(sizeof(T))}; }

  std::string name_;
  Queue& queue_;
  Kernel kernel_;
  std::vector<View<const T>> in_;
  View<T> out_;
};

/// Fields of random numbers for a stencil, on a queue of their own.
template <class T>
struct RandomFields {
  RandomFields(const std::string& name, const stencil::Traits& traits, const BenchRequest& request)
      : queue(request.device), extents(request.size.xyz()),
        strides(
            stencil::spread(request.device, traits, extents, stencil::Strides::packed(extents))) {
    const Extents held{strides.plane * extents.z};
    for (int i = 0; i < traits.inputs(); ++i) {
      fields.emplace_back(request.device, held, "input " + std::to_string(i) + " of " + name);
      fill_random(queue, fields.back().elements(), static_cast<std::uint64_t>(i) + 1);
    }
    out = Field<T>(request.device, held, "the output of " + name);
  }
  [[nodiscard]] std::vector<View<const T>> inputs() const {
    std::vector<View<const T>> all;
    for (const Field<T>& field : fields)
      all.emplace_back(field.data(), extents, strides.row, strides.plane);
    return all;
  }
  [[nodiscard]] View<T> output() const { return {out.data(), extents, strides.row, strides.plane}; }

  Queue queue;
  Index3 extents;
  stencil::Strides strides;
  std::vector<Field<T>> fields;
  Field<T> out;
};

template <class T>
class StencilCase final : private RandomFields<T>, public StencilOnViews<T> {
public:
  StencilCase(const std::string& name, const typename StencilOnViews<T>::Kernel& kernel,
              const BenchRequest& request)
      : RandomFields<T>(name, kernel->traits(), request), StencilOnViews<T>(
                                                              name, RandomFields<T>::queue, kernel,
                                                              RandomFields<T>::inputs(),
                                                              RandomFields<T>::output()) {}
};

} // namespace

template <class T>
std::unique_ptr<Case> stencil_on_views(std::string name, Queue& queue,
                                       std::shared_ptr<const stencil::CheckedKernel<T>> kernel,
                                       std::vector<View<const T>> in, const View<T>& out) {
  return std::make_unique<StencilOnViews<T>>(std::move(name), queue, std::move(kernel),
                                             std::move(in), out);
}
template std::unique_ptr<Case>
stencil_on_views(std::string, Queue&, std::shared_ptr<const stencil::CheckedKernel<float>>,
                 std::vector<View<const float>>, const View<float>&);
template std::unique_ptr<Case>
stencil_on_views(std::string, Queue&, std::shared_ptr<const stencil::CheckedKernel<double>>,
                 std::vector<View<const double>>, const View<double>&);

template <class T>
std::unique_ptr<Case>
stencil_on_arrays(Queue& queue, std::shared_ptr<const stencil::CheckedKernel<T>> kernel,
                  const Arguments& arguments) {
  const auto inputs = static_cast<std::size_t>(kernel->traits().inputs());
  check_count(arguments, inputs + 1);
  const stencil::Offset r = kernel->traits().radius;
  check_folded(arguments, axes_of(r.y, r.z));
  check_least(arguments, {2 * Index{r.x} + 1, 2 * Index{r.y} + 1, 2 * Index{r.z} + 1}, "stencil");
  std::vector<View<const T>> in;
  for (std::size_t i = 0; i < inputs; ++i)
    in.push_back(view_of<const T>(arguments.arrays[i]));
  return stencil_on_views<T>(arguments.kernel, queue, std::move(kernel), std::move(in),
                             view_of<T>(arguments.arrays[inputs]));
}
template std::unique_ptr<Case>
stencil_on_arrays(Queue&, std::shared_ptr<const stencil::CheckedKernel<float>>, const Arguments&);
template std::unique_ptr<Case>
stencil_on_arrays(Queue&, std::shared_ptr<const stencil::CheckedKernel<double>>, const Arguments&);

std::unique_ptr<Case> stencil_on_arrays(Queue& queue, const StencilKernel& kernel,
                                        const Arguments& arguments) {
  return arguments.arrays.back().element_bytes == 4
             ? stencil_on_arrays<float>(queue, kernel.fp32, arguments)
             : stencil_on_arrays<double>(queue, kernel.fp64, arguments);
}

std::unique_ptr<Case> stencil_case(const std::string& name, const StencilKernel& kernel,
                                   const BenchRequest& request) {
  if (request.precision == "fp64")
    return std::make_unique<StencilCase<double>>(name, kernel.fp64, request);
  if (request.precision == "fp32")
    return std::make_unique<StencilCase<float>>(name, kernel.fp32, request);
  refuse_precision(request.precision, name, "fp32 and fp64");
}

BenchKernel bench_stencil(const std::string& name, const std::string& meaning,
                          const Extents& default_size,
                          std::function<StencilKernel(const Extents& size)> make) {
  BenchKernel made{name, "stencil", meaning, default_size,
                   [name, make](const BenchRequest& request, RoofSource&) {
                     return stencil_case(name, make(request.size), request);
                   }};
  OnArrays& on = made.on_arrays;
  on.inputs = static_cast<std::size_t>(make(default_size).fp64->traits().inputs());
  on.on_grid = true;
  on.names.clear();
  for (std::size_t i = 1; i <= on.inputs; ++i)
    on.names.push_back(on.inputs == 1 ? "the input" : "input " + std::to_string(i));
  on.names.emplace_back("the output");
  on.make = [make](Queue& queue, RoofSource&, const Arguments& arguments) {
    const Array& out = arguments.arrays.back();
    return stencil_on_arrays(queue, make(Extents(out.extents.data(), std::min(out.rank, 3))),
                             arguments);
  };
  made.make_menu = [name, make](const BenchRequest& r, const Place& place) {
    const StencilKernel kernel = make(r.size);
    if (r.precision != "fp32" && r.precision != "fp64")
      refuse_precision(r.precision, name, "fp32 and fp64");
    return stencil::menu(r.precision == "fp32" ? kernel.fp32->traits() : kernel.fp64->traits(),
                         r.size.xyz(), place);
  };
  made.make_rank_case = [name, make](const BenchRequest& request, comm::Communicator& ranks,
                                     const std::string& grid) {
    return rank_stencil_case(name, make(request.size), request, ranks, grid);
  };
  return made;
}

void refuse_precision(std::string_view precision, std::string_view name, std::string_view known) {
  throw UsageError(fmt::format("unknown precision '{}'; {} has {}", precision, name, known));
}

Extents default_stencil_size(int rank) {
  return rank == 3   ? Extents{512, 512, 512}
         : rank == 2 ? Extents{16384, 8192}
                     : Extents{Index{1} << 27};
}

} // namespace ridge::lab
