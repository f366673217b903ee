#include <ridge/core/halves.hpp>
#include <ridge/core/random.hpp>
#include <ridge/device/field.hpp>
#include <ridge/lab/kernels/chain_system.hpp>
#include <ridge/lab/user_kernel.hpp>
#include <ridge/launch/description.hpp>
#include <ridge/launch/type_text.hpp>

#include <algorithm>

namespace ridge::lab {

RandomNumbers::RandomNumbers(double centre, double amplitude, int array)
    : centre_(centre), amplitude_(amplitude), first_(array * Index{7919}) {}

const std::vector<double>& RandomNumbers::numbers() {
  static const std::vector<double> all = [] {
    std::vector<double> made(static_cast<std::size_t>(period));
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = random_value(1, static_cast<std::int64_t>(i));
    return made;
  }();
  return all;
}

RandomNumbers RandomNumbers::moved(Index elements) const {
  RandomNumbers made = *this;
  made.first_ = ((first_ + elements) % period + period) % period;
  return made;
}

template <class T, class F>
void RandomNumbers::fill_by(Queue& queue, T* memory, Index elements, const F& element) const {
  std::vector<T> values(static_cast<std::size_t>(std::min(period, elements)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = element(at(static_cast<Index>(i)));
  for (Index begin = 0; begin < elements; begin += period)
    copy_to_device(queue, memory + begin, values.data(), std::min(period, elements - begin));
  queue.wait();
}

template <class T>
void RandomNumbers::fill(Queue& queue, T* memory, Index elements) const {
  fill_by(queue, memory, elements,
          [](double number) { return element_of<T>(static_cast<NumberOf<T>>(number)); });
}
template <class T>
void RandomNumbers::fill_halves(Queue& queue, T* memory, Index elements, bool high) const {
  fill_by(queue, memory, elements,
          [high](double number) { return half_of<T>(static_cast<float>(number), high); });
}
template void RandomNumbers::fill(Queue&, float*, Index) const;
template void RandomNumbers::fill(Queue&, double*, Index) const;
template void RandomNumbers::fill(Queue&, Fp16*, Index) const;
template void RandomNumbers::fill(Queue&, Bf16*, Index) const;
template void RandomNumbers::fill_halves(Queue&, Fp16*, Index, bool) const;
template void RandomNumbers::fill_halves(Queue&, Bf16*, Index, bool) const;

std::unique_ptr<Case> stored_system(const std::type_info& call, std::span<const std::byte> functor,
                                    const std::string& name, const BenchRequest& request) {
  const std::string called = launch::type_text(call);
  const std::string type =
      called.substr(called.find('<') + 1, called.rfind(',') - called.find('<') - 1);
  const SourceFile source = find_source(call);
  if (source.file.empty())
    throw UsageError(
        "storage in 16 bits is compiled when it is asked for, and nobody said where the "
        "source of " +
        type + " is");
  const std::string file = launch::keep_source(
      "stored_chain.hpp",
      "#pragma once\n#include <ridge/chain/stored.hpp>\n#include \"" + source.file + "\"\n");
  const std::string number = request.precision == "fp16" ? "ridge::Fp16" : "ridge::Bf16";
  const std::string text =
      "#include <ridge/lab/kernels/chain_stored" +
      std::string(request.world.ranks == nullptr ? "" : "_ranks") + ".hpp>\n#include \"" + file +
      "\"\nnamespace {\n"
      "std::unique_ptr<ridge::lab::Case> make(std::span<const std::byte> functor,\n"
      "    const std::string& name, const ridge::lab::BenchRequest& request) {\n"
      "  return ridge::lab::describe_stored_system<" +
      type + ", " + number + ", " + std::to_string(request.wide) + "U>(functor, name, request, \"" +
      file +
      "\");\n}\nconst ridge::Offer offered(ridge::DeviceKind::cpu, typeid(ridge::lab::Case), "
      "&make);\n}\n";
  using Make =
      std::unique_ptr<Case>(std::span<const std::byte>, const std::string&, const BenchRequest&);
  for (const Offered& o : launch::load_description(text, file, {lab_library()})) {
    if (std::string_view(o.name) == typeid(Case).name())
      return reinterpret_cast<Make*>(o.function)(functor, name, request);
  }
  throw Failure("the description of " + type + " offers nothing; please report this");
}

} // namespace ridge::lab
