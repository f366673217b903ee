// Cases of the lattice pattern: reductions and maps of fields.
#pragma once

#include <ridge/device/generate.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/lab/bench.hpp>
#include <ridge/lab/case.hpp>
#include <ridge/lab/lattice_check.hpp>
#include <ridge/lattice/menu.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ridge::lab {

/// A site type of the lab: `spinor`, ... Throws UsageError that lists them; empty: a propagator.
[[nodiscard]] lattice::SiteShape find_site(const std::string& name, int real_bytes);

/// The lattice that a request asks for. Throws UsageError where its width is none.
[[nodiscard]] lattice::Lattice lattice_for(const BenchRequest& request);

/// The ceiling of launches that read and write so many fields of `size`, given where they are.
[[nodiscard]] Limit lattice_limit(int read, int written, Bytes size, const RoofMemory& memory);

/// Times the vendor's sum of `values` into `result`; `record` has all else. Nothing where the kind
/// has none.
template <class T>
[[nodiscard]] std::optional<Record> vendor_sum(Queue& queue, const Span<const T>& values,
                                               const Span<T>& result, const BenchRequest& request,
                                               RoofSource& roofs, Record record);

/// Fields of one shape, x, y and z as a kernel reads and writes them.
template <class T>
class LatticeCase : public Case {
public:
  [[nodiscard]] Queue& queue() override { return queue_; }
  [[nodiscard]] Limit limit() const override {
    const MemoryRoof::Kind kind = written_ == 0 ? MemoryRoof::Kind::read
                                  : read_ == 1  ? MemoryRoof::Kind::copy
                                                : MemoryRoof::Kind::triad;
    return lattice_limit(read_, written_, bytes_, {kind, bytes_, z_.data(), x_.data(), y_.data()});
  }

protected:
  static constexpr unsigned char poison_byte = 0xff;

  LatticeCase(std::string name, const BenchRequest& request, int read, int written)
      : LatticeCase(std::move(name), request, read, written, lattice_for(request)) {}
  LatticeCase(std::string name, const BenchRequest& request, int read, int written,
              const lattice::Lattice& on)
      : name_(std::move(name)), request_(request), read_(read), written_(written),
        shape_(find_site(request.site, sizeof(T))),
        geometry_(on.geometry(shape_.number_bytes())), bytes_{geometry_.sites() *
                                                              shape_.site_bytes()},
        queue_(request.device) {
    x_ = field("x", 1);
    if (read > 1) y_ = field("y", 2);
    if (written > 0) z_ = field("z", 3);
  }

  [[nodiscard]] Span<T> numbers(const Memory& m) const {
    if (m.data() == nullptr) return {};
    return {static_cast<T*>(m.data()), bytes_.value / static_cast<Index>(sizeof(T))};
  }
  void poison_field() {
    if (written_ > 0) fill_bytes(queue_, z_.data(), poison_byte, bytes_);
  }

  std::string name_;
  BenchRequest request_;
  int read_, written_;
  lattice::SiteShape shape_;
  lattice::Geometry geometry_;
  Bytes bytes_;
  Queue queue_;
  Memory x_, y_, z_;

private:
  Memory field(const char* what, std::uint64_t seed) {
    Memory memory(queue_.device(), bytes_, std::string("field ") + what + " of " + name_);
    fill_random(queue_, numbers(memory), seed);
    return memory;
  }
};

/// A reduction of random fields; of the slices of the last dimension where `slices`.
template <class R, class T>
class ReduceCase final : public LatticeCase<T> {
public:
  ReduceCase(const std::string& name, const R& reduction, const BenchRequest& request,
             RoofSource& roofs, bool slices, bool reproducible)
      : LatticeCase<T>(name, request, R::inputs, R::stores ? 1 : 0), roofs_(roofs) {
    call_.reduction = reduction;
    call_.reproducible = reproducible;
    call_.shape = this->shape_;
    call_.geometry = this->geometry_;
    call_.x = this->numbers(this->x_);
    call_.y = this->numbers(this->y_);
    call_.z = this->numbers(this->z_);
    call_.dimension = slices ? request.size.rank() - 1 : -1;
    result_ = Memory(request.device, Bytes{call_.results() * 8}, "the result");
    call_.result = {static_cast<double*>(result_.data()), call_.results()};
  }

  [[nodiscard]] Subject subject() const override { return subject_of(call_, this->name_); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return menu_of(call_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return {this->queue_, call_, this->template held<lattice::Schedule>(s), this->name_};
  }
  void poison() override {
    this->poison_field();
    fill_bytes(this->queue_, result_.data(), this->poison_byte, result_.size());
  }
  [[nodiscard]] Check check() override {
    if constexpr (R::stores) {
      const Check stored = check_stored(this->queue_, call_, this->poison_byte);
      if (!stored.ok) return stored;
    }
    if (!expected_) expected_ = expected_results(this->queue_, call_);
    return check_reduction(this->queue_, call_, *expected_, results(),
                           sizeof(T) == 8 ? 1e-12 : 1e-6);
  }
  /// Beside all schedules on CUDA: the vendor's sum of as many bytes.
  [[nodiscard]] std::vector<Record> yardsticks() override {
    if (this->request_.schedule != "all") return {};
    const Memory number(this->queue_.device(), Bytes{sizeof(T)}, "the yardstick");
    const Span<T> sum(static_cast<T*>(number.data()), 1);
    Record record = lattice::record_of(this->queue_.device(), this->geometry_, this->shape_,
                                       lattice::work_of(this->geometry_, this->shape_, 1, 0, 1),
                                       lattice::GpuSchedule{}, this->name_);
    const auto timed =
        vendor_sum<T>(this->queue_, call_.x, sum, this->request_, roofs_, std::move(record));
    if (!timed) return {};
    lattice::ReduceCall<lattice::Sum, T> all;
    all.shape = {1, false, static_cast<int>(sizeof(T))};
    all.geometry = this->geometry_;
    all.geometry.nsimd *= this->shape_.components * this->shape_.parts();
    all.x = call_.x;
    T value{};
    copy_to_host(this->queue_, &value, static_cast<const T*>(sum.data), 1);
    this->queue_.wait();
    Record checked = *timed;
    checked.check = check_results(expected_results(this->queue_, all), {static_cast<double>(value)},
                                  sizeof(T) == 8 ? 1e-12 : 1e-4);
    return {checked};
  }

  [[nodiscard]] std::vector<double> results() override {
    std::vector<double> got(static_cast<std::size_t>(call_.results()));
    copy_to_host(this->queue_, got.data(), static_cast<const double*>(result_.data()),
                 call_.results());
    this->queue_.wait();
    return got;
  }
  [[nodiscard]] Span<const double> results_on_device() const override {
    return {static_cast<const double*>(result_.data()), call_.results()};
  }

private:
  RoofSource& roofs_;
  lattice::ReduceCall<R, T> call_;
  Memory result_;
  std::optional<ExpectedResults> expected_;
};

/// A map of random fields.
template <class M, class T>
class MapCase final : public LatticeCase<T> {
public:
  MapCase(const std::string& name, const M& map, const BenchRequest& request)
      : LatticeCase<T>(name, request, M::inputs, 1), call_{map,
                                                           this->shape_,
                                                           this->geometry_,
                                                           this->numbers(this->x_),
                                                           this->numbers(this->y_),
                                                           this->numbers(this->z_)} {}

  [[nodiscard]] Subject subject() const override { return subject_of(call_, this->name_); }
  [[nodiscard]] std::unique_ptr<Menu> menu_at(const Place& place) const override {
    return menu_of(call_, place);
  }
  [[nodiscard]] Program bind(const AskedSchedule& s) override {
    return {this->queue_, call_, this->template held<lattice::Schedule>(s), this->name_};
  }
  void poison() override { this->poison_field(); }
  [[nodiscard]] Check check() override { return check_map(this->queue_, call_, this->poison_byte); }

private:
  lattice::MapCall<M, T> call_;
};

} // namespace ridge::lab
