#include <ridge/comm/communicator.hpp>
#include <ridge/core/error.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/gradient/bench.hpp>
#include <ridge/gradient/call.hpp>
#include <ridge/gradient/found.hpp>
#include <ridge/launch/description.hpp>
#include <ridge/launch/type_text.hpp>
#include <ridge/stencil/case.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ridge::gradient {

namespace {

/// K of the text "ridge::stencil::Call<K, float>".
std::string kernel_in(const std::string& call) {
  const std::size_t begin = call.find('<');
  const std::size_t end = call.rfind(',');
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw Failure(call + " is no call of a stencil; please report this");
  return call.substr(begin + 1, end - begin - 1);
}

/// A kernel as C++ text, and the file that has it.
struct KernelText {
  std::string type, file;
};

KernelText text_of(const std::string& name, const std::type_info& call) {
  KernelText text{kernel_in(launch::type_text(call)), find_source(call).file};
  if (text.file.empty()) {
    throw UsageError(fmt::format("adjoints are compiled when they are asked for, and nobody said "
                                 "where the source of {} is",
                                 name));
  }
  return text;
}

/// The function that a description offers, compiled or taken from the cache. `file` is named in
/// errors.
AnyFunction described(const std::string& header, const std::string& source,
                      const std::string& function, const std::string& file) {
  const std::string text = fmt::format(
      "#include <ridge/device/offer.hpp>\n#include <{}>\n#include \"{}\"\nnamespace {{\n{}"
      "const ridge::Offer offered(ridge::DeviceKind::cpu, typeid(ridge::gradient::Proof), "
      "&describe);\n}}\n",
      header, source, function);
  for (const Offered& o : launch::load_description(text, file, {})) {
    if (std::string_view(o.name) == typeid(Proof).name()) return o.function;
  }
  throw Failure("the description of an adjoint offers nothing; please report this");
}

/// Descriptions over ranks are compiled where there are several: they take longer.
bool over_ranks() {
  return comm::world().ranks() > 1;
}

std::vector<FoundReads> reads_of(const KernelText& kernel, std::span<const std::byte> functor) {
  using Find = std::vector<FoundReads>(std::span<const std::byte>);
  auto* const find = reinterpret_cast<Find*>(described(
      "ridge/gradient/proof.hpp", kernel.file,
      fmt::format(
          "std::vector<ridge::gradient::FoundReads>\n"
          "describe(std::span<const std::byte> functor) {{\n"
          "  using K = {};\n"
          "  return ridge::gradient::find_all_reads(ridge::gradient::kernel_of<K>(functor));"
          "\n}}\n",
          kernel.type),
      kernel.file));
  return find(functor);
}

/// Another's case, with a proof.
class ProvedCase final : public Case {
public:
  ProvedCase(std::unique_ptr<Case> of, const Proof& proof) : of_(std::move(of)), proof_(proof) {}

  [[nodiscard]] Queue& queue() override { return of_->queue(); }
  [[nodiscard]] Subject subject() const override { return of_->subject(); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return of_->menu_at(place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& schedule) override { return of_->bind(schedule); }
  void poison() override { of_->poison(); }
  [[nodiscard]] Check check() override {
    Check check = of_->check();
    if (!check.ok || proof_.ok()) return check;
    check.ok = false;
    check.message = "the adjoint is not that of the kernel: " + proof_.fault();
    return check;
  }
  [[nodiscard]] Limit limit() const override { return of_->limit(); }
  void complete(Record& record, const AskedSchedule& schedule) override {
    of_->complete(record, schedule);
    record.details.push_back({"adjoint.dot_error", proof_.dot_error, {}});
    record.details.push_back({"adjoint.slope", proof_.slope, {}});
  }
  [[nodiscard]] std::vector<Record> yardsticks() override { return of_->yardsticks(); }
  [[nodiscard]] comm::Step* ranks() override { return of_->ranks(); }
  [[nodiscard]] Extents share() const override { return of_->share(); }

private:
  std::unique_ptr<Case> of_;
  Proof proof_;
};

} // namespace

void know_adjoint_source(const std::type_info& forward, const std::type_info& call,
                         const char* header) {
  const SourceFile source = find_source(forward);
  if (source.file.empty() || !find_source(call).file.empty()) return;
  know_source(call,
              launch::keep_source("adjoint.hpp",
                                  fmt::format("#pragma once\n#include <{}>\n#include \"{}\"\n",
                                              header, source.file)),
              source.flags);
}

void prove_cases(BenchKernel& kernel, const Proof& proof) {
  kernel.make_case = [make = kernel.make_case, proof](const BenchRequest& request,
                                                      RoofSource& roof) -> std::unique_ptr<Case> {
    return std::make_unique<ProvedCase>(make(request, roof), proof);
  };
}

BenchKernel bench_adjoints(const std::string& name, const AnyStencil& any, int rank) {
  const KernelText kernel = text_of(name, *any.call);
  const std::vector<FoundReads> found = reads_of(kernel, any.functor);
  const auto has_derivative = [](const FoundReads& one) { return !one.cotangent.empty(); };
  if (std::none_of(found.begin(), found.end(), has_derivative)) {
    throw UsageError(fmt::format("{} has no derivative: its result is made of numbers, comparisons "
                                 "and whole numbers alone",
                                 name));
  }
  const ReadsText reads = reads_text(found);
  const std::string source = launch::keep_source(
      "adjoint.hpp", fmt::format("#pragma once\n#include <ridge/gradient/together.hpp>\n"
                                 "#include \"{}\"\n{}",
                                 kernel.file, reads.text));
  std::string types;
  for (std::size_t i = 0; i < found.size(); ++i)
    types += fmt::format(", found::{}_{}", reads.name, i);
  using Describe = BenchKernel(const std::string&, const std::string&, std::span<const std::byte>,
                               const std::string&);
  auto* const describe = reinterpret_cast<Describe*>(described(
      "ridge/gradient/describe.hpp", source,
      fmt::format(
          "ridge::BenchKernel describe(const std::string& name, const std::string& meaning,\n"
          "                            std::span<const std::byte> functor,\n"
          "                            const std::string& file) {{\n"
          "  using namespace ridge::gradient;\n"
          "  return describe_adjoints<{}, {}, {}{}>(name, meaning, functor, file);\n}}\n",
          kernel.type, rank, over_ranks(), types),
      source));
  return describe(name + "-adjoint", "the adjoint of " + name, any.functor, source);
}

BenchKernel bench_adjoints(const BenchKernel& forward, const Extents& size) {
  BenchRequest request{Device("cpu"), size, "fp64", "auto", {}};
  (void)forward.make_menu(request, Place{request.device}); // refuses sizes that it does not have
  constexpr Index few[3] = {64, 64, 64};                   // whatever has the kernel will do
  request.size = Extents(few, size.rank());
  RoofSource roof(request.device, false, false);
  const auto the_case = forward.make_case(request, roof);
  const auto* const of = dynamic_cast<const CallCase<stencil::AnyCall<double>>*>(the_case.get());
  if (of == nullptr) throw Failure(forward.name + " is no stencil; please report this");
  const auto& kernel = *of->call().kernel;
  return bench_adjoints(forward.name, AnyStencil{&kernel.call_type(), kernel.functor()},
                        size.rank());
}

BenchKernel bench_adjoint_of_case(const BenchKernel& forward, const std::string& file) {
  const bool pairs = forward.pattern == "pairs";
  if (!pairs && forward.pattern != "chain") {
    throw UsageError(fmt::format("{} is of the pattern {}: adjoints are those of stencils, chains "
                                 "and pairs, built in or FILE.hpp:Name",
                                 forward.name, forward.pattern));
  }
  if (pairs && over_ranks())
    throw UsageError(fmt::format("the adjoint of {} runs on one rank: those of stencils and chains "
                                 "run on several",
                                 forward.name));
  constexpr Index few = 8;
  Index n[6] = {};
  const int rank = forward.default_size.rank();
  for (int d = 0; d < rank; ++d)
    n[d] = std::min(few, forward.default_size[d]);
  const BenchRequest request{Device("cpu"), Extents(n, rank), "fp64", "auto", {}};
  RoofSource roof(request.device, false, false);
  const auto the_case = forward.make_case(request, roof);
  const Case& of = *the_case;
  const std::string type = launch::type_text(typeid(of));
  const std::string begins =
      pairs ? "ridge::CallCase<ridge::pairs::Call<" : "ridge::CallCase<ridge::chain::Request<";
  const std::string ends = pairs ? ", ridge::pairs::Fp64>" : ", double>";
  const std::size_t last = type.rfind(ends);
  if (type.rfind(begins, 0) != 0 || last == std::string::npos)
    throw UsageError(forward.name +
                     " has no adjoint by --adjoint: it is a system, whose gradients are "
                     "those of runs (ridge evolve --gradient)");
  const std::string what = pairs ? "pairs" : "chain";
  const std::string functor = type.substr(begins.size(), last - begins.size());
  const std::string source = launch::keep_source(
      "adjoint.hpp",
      fmt::format("#pragma once\n#include <ridge/gradient/{}.hpp>\n#include \"{}\"\n", what, file));
  using Describe = BenchKernel(const std::string&, const std::string&, const BenchKernel&,
                               const Case&, const std::string&);
  auto* const describe = reinterpret_cast<Describe*>(described(
      fmt::format("ridge/gradient/describe_{}.hpp", what), source,
      fmt::format(
          "ridge::BenchKernel describe(const std::string& name, const std::string& meaning,\n"
          "                            const ridge::BenchKernel& forward,\n"
          "                            const ridge::Case& of, const std::string& file) {{\n"
          "  return ridge::gradient::describe_{}_adjoint<{}{}>(name, meaning, forward, of, file);"
          "\n}}\n",
          what, functor, pairs ? "" : fmt::format(", {}", over_ranks())),
      source));
  return describe(forward.name + "-adjoint", "the adjoint of " + forward.name, forward, of, source);
}

} // namespace ridge::gradient
