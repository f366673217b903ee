// Fields of lattices without the type of their sites, and what expressions of them that came from
// another language are compiled with.
#pragma once

#include <ridge/lattice/reduce.hpp>
#include <ridge/lattice/site_call.hpp>
#include <ridge/launch/program.hpp>
#include <ridge/launch/type_text.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace ridge::lattice {

/// The extents of a site as an array: those of vectors and matrices, the outermost first.
template <class S>
struct SiteExtents {
  static void append(std::vector<int>& /*to*/) {}
};
template <class E, int N>
struct SiteExtents<Vector<E, N>> {
  static void append(std::vector<int>& to) {
    to.push_back(N);
    SiteExtents<E>::append(to);
  }
};
template <class E, int N>
struct SiteExtents<Matrix<E, N>> {
  static void append(std::vector<int>& to) {
    to.push_back(N);
    to.push_back(N);
    SiteExtents<E>::append(to);
  }
};

/// A field of a lattice.
class AnyField {
public:
  AnyField() = default;
  AnyField(const AnyField&) = delete;
  AnyField& operator=(const AnyField&) = delete;
  virtual ~AnyField() = default;

  [[nodiscard]] virtual std::string type() const = 0; ///< of a site, as C++ writes it
  [[nodiscard]] virtual std::vector<int> site() const = 0;
  [[nodiscard]] virtual SiteShape shape() const = 0;
  [[nodiscard]] virtual const Lattice& on() const = 0;
  /// Between the field and host memory in plain order; waits.
  virtual void set(Queue& queue, const void* plain) = 0;
  virtual void get(Queue& queue, void* plain) const = 0;
};

template <class S>
class FieldOf final : public AnyField {
public:
  FieldOf(const Device& device, const Lattice& on, const std::string& name)
      : field(device, on, name) {}
  [[nodiscard]] std::string type() const override { return launch::type_text<S>(); }
  [[nodiscard]] std::vector<int> site() const override {
    std::vector<int> extents;
    SiteExtents<S>::append(extents);
    return extents;
  }
  [[nodiscard]] SiteShape shape() const override { return field.shape(); }
  [[nodiscard]] const Lattice& on() const override { return field.lattice(); }
  void set(Queue& queue, const void* plain) override {
    std::vector<S> sites(static_cast<std::size_t>(field.lattice().sites()));
    std::memcpy(static_cast<void*>(sites.data()), plain, sites.size() * sizeof(S));
    field.set(queue, sites);
  }
  void get(Queue& queue, void* plain) const override {
    const std::vector<S> sites = field.get(queue);
    std::memcpy(plain, static_cast<const void*>(sites.data()), sites.size() * sizeof(S));
  }

  Field<S> field;
};

/// A field of sites of a kind, such as "spinor", of numbers of so many bytes. Throws UsageError
/// that lists the kinds. All fields of these extents have one width, whatever numbers they are made
/// of.
[[nodiscard]] std::unique_ptr<AnyField> make_field(const std::string& kind, int real_bytes,
                                                   const Device& device, const Extents& extents);

/// The field behind an operand of an expression, whose type the expression was written for.
template <class S>
[[nodiscard]] const Field<S>& field_of(const AnyField& field) {
  return static_cast<const FieldOf<S>&>(field).field;
}

/// The result of an expression.
struct ExpressionResult {
  std::vector<double> numbers;     ///< of a reduction
  bool complex = false;            ///< pairs of them are complex numbers
  std::vector<int> site;           ///< extents of the tensor that they are
  std::unique_ptr<AnyField> field; ///< of an assignment
  Record record;
};
/// The function that a description of an expression offers, by its own type.
using ExpressionRun = ExpressionResult(Queue& queue, const AnyField* const* fields,
                                       const double* numbers);

/// Reduces fields or expressions of them to a Result: a number or a tensor in double.
template <class Result, class R, class... X>
[[nodiscard]] ExpressionResult reduced(Queue& queue, const R& reduction, bool reproducible,
                                       const X&... x) {
  const DeviceResult<Result> result(queue.device());
  ExpressionResult made;
  const auto run = [&](const auto& call) {
    const Program program(queue, call, R::name);
    program.run();
    made.record = program.record();
  };
  if constexpr ((detail::is_field<X> && ...)) {
    run(reduce_call(reduction, x..., result, reproducible));
  } else if (reproducible) {
    run(reduce_call(reduction, lattice::reproducible(x)..., result));
  } else {
    run(reduce_call(reduction, x..., result));
  }
  const Result value = result.get(queue)[0];
  made.numbers.resize(sizeof(Result) / sizeof(double));
  std::memcpy(made.numbers.data(), &value, sizeof(Result));
  made.complex = is_complex<Result>;
  SiteExtents<Result>::append(made.site);
  return made;
}

/// A new field that holds the expression.
template <class X>
[[nodiscard]] ExpressionResult assigned(Queue& queue, const Lattice& on, const X& x) {
  using S = typename detail::NodeOf<X>::Tensor;
  auto made = std::make_unique<FieldOf<S>>(queue.device(), on, "result");
  const Program program(queue, assign_call(made->field, x), "assign");
  program.run();
  queue.wait();
  ExpressionResult result;
  result.record = program.record();
  result.field = std::move(made);
  return result;
}

} // namespace ridge::lattice
