// Cases of the stencil pattern over ranks.
#pragma once

#include <ridge/lab/rank_case.hpp>
#include <ridge/lab/stencil_case.hpp>
#include <ridge/stencil/over_ranks.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridge::lab {

/// The grid that `text` names, or the one with least exchange where it is empty. Throws UsageError
/// as comm::parse_ranks and comm::Grid do.
[[nodiscard]] comm::Grid rank_grid(const comm::Communicator& ranks, const std::string& text,
                                   const stencil::Traits& traits, Index3 points);

/// Random fields over ranks for a stencil of one precision: the numbers of the case on one rank.
/// What depends on the kernel is RankStencilCase's.
template <class T>
class RankFieldsCase : public RankCase {
public:
  [[nodiscard]] Queue& queue() final { return queue_; }
  void bind() final { program_ = make_program(schedule()); }
  void run() final { program_->run(); }
  void run_exchange() final { program_->run_exchange(); }
  void run_compute() final { program_->run_compute(); }
  [[nodiscard]] Record record() final;
  [[nodiscard]] Extents share() const final;
  [[nodiscard]] Check check() final;

protected:
  RankFieldsCase(std::string name, stencil::Traits traits, const BenchRequest& request,
                 comm::Communicator& ranks, const std::string& grid);

  [[nodiscard]] virtual std::unique_ptr<stencil::AnyRankProgram>
  make_program(const std::optional<stencil::Schedule>& schedule) = 0;
  /// Compares what this rank computed of its fields with the reference.
  [[nodiscard]] virtual Check check_results() = 0;

  static constexpr unsigned char poison = 0xff;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] comm::Communicator& ranks() const { return ranks_; }
  [[nodiscard]] const comm::Grid& grid() const { return grid_; }
  [[nodiscard]] const comm::RankField<T>& input(std::size_t i) const { return in_[i]; }
  [[nodiscard]] const comm::RankField<T>& output() const { return out_; }

private:
  [[nodiscard]] std::optional<stencil::Schedule> schedule() const;
  static Bytes bytes(const comm::RankField<T>& field) {
    return {field.view().span() * static_cast<Index>(sizeof(T))};
  }
  /// The number of input i at a point of the whole field.
  [[nodiscard]] T number(std::size_t i, Index x, Index y, Index z) const;
  /// Sets an input's points of a box; poisons the others.
  void fill(std::size_t i, const comm::Box& box);
  /// Whether the halo that input i's footprint reads holds the numbers of the ranks that own it.
  [[nodiscard]] Check check_halo(std::size_t i);

  std::string name_;
  comm::Communicator& ranks_;
  Queue queue_;
  Extents size_;
  stencil::Traits traits_;
  comm::Grid grid_;
  std::vector<comm::RankField<T>> in_;
  comm::RankField<T> out_;
  std::string schedule_;
  std::unique_ptr<stencil::AnyRankProgram> program_;
};

extern template class RankFieldsCase<float>;
extern template class RankFieldsCase<double>;

template <class K, class T>
class RankStencilCase final : public RankFieldsCase<T> {
public:
  RankStencilCase(std::string name, const K& kernel, const BenchRequest& request,
                  comm::Communicator& ranks, const std::string& grid)
      : RankFieldsCase<T>(std::move(name), stencil::traits_of<K, T>(), request, ranks, grid),
        kernel_(kernel) {}

private:
  std::unique_ptr<stencil::AnyRankProgram>
  make_program(const std::optional<stencil::Schedule>& schedule) override {
    stencil::RankCall<K, T> call{kernel_, {}, &this->output()};
    for (std::size_t i = 0; i < call.in.size(); ++i)
      call.in[i] = &this->input(i);
    return std::make_unique<stencil::RankProgram<K, T>>(this->ranks(), this->queue(), this->grid(),
                                                        call, schedule, this->name());
  }
  Check check_results() override {
    stencil::Call<K, T> here{kernel_, {}, this->output().view()};
    for (std::size_t i = 0; i < here.in.size(); ++i)
      here.in[i] = View<const T>(this->input(i).view());
    return check_stencil(this->queue(), here, this->poison, stencil_tolerance<T>);
  }

  K kernel_;
};

/// The case of a kernel in the precision that is asked for: fp64 or fp32.
template <class K>
[[nodiscard]] std::unique_ptr<RankCase>
rank_stencil_case(const std::string& name, const K& kernel, const BenchRequest& request,
                  comm::Communicator& ranks, const std::string& grid) {
  if (request.precision == "fp64")
    return std::make_unique<RankStencilCase<K, double>>(name, kernel, request, ranks, grid);
  if (request.precision == "fp32")
    return std::make_unique<RankStencilCase<K, float>>(name, kernel, request, ranks, grid);
  refuse_precision(request.precision, name, "fp32 and fp64");
}

} // namespace ridge::lab
