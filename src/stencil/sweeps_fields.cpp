// Fields of sweeps on a device: with their shells, divided over ranks, one slot for each time that
// is kept.
#include <ridge/comm/communicator.hpp>
#include <ridge/comm/exchange.hpp>
#include <ridge/device/generate.hpp>
#include <ridge/device/offer.hpp>
#include <ridge/device/recording.hpp>
#include <ridge/launch/operands.hpp>
#include <ridge/stencil/stored_shell.hpp>
#include <ridge/stencil/sweeps.hpp>
#include <ridge/stencil/sweeps_of.hpp>

#include "../core/refuse.hpp"
#include "pass_default.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::stencil {

namespace detail {

namespace {

template <class T>
void fill(Queue& queue, const Shell<T>& shell) {
  offered<FillShell<T>>(queue.device().kind(), typeid(Shell<T>))(queue, shell);
}

template <class T>
void copy(Queue& queue, const View<const T>& from, const View<T>& to) {
  offered<CopyBox<T>>(queue.device().kind(), typeid(BoxCopy<T>))(queue, BoxCopy<T>{from, to});
}

std::string shape(Index3 n) {
  return fmt::format("{}x{}x{}", n.x, n.y, n.z);
}

/// Throws UsageError for a field at an address that is no multiple of its numbers' size.
template <class T>
void check_fields(const std::vector<View<T>>& fields) {
  std::vector<launch::Operand> operands;
  for (const View<T>& field : fields) {
    operands.push_back(launch::operand(field));
    operands.back().written = false; // all are copied
  }
  launch::check_operands(operands, [](std::size_t i) { return fmt::format("field {}", i); });
}

template <class T>
Index3 extents_of(const std::vector<View<const T>>& fields, int inputs) {
  refuse_if(fields.size() != static_cast<std::size_t>(inputs),
            "{} fields for a kernel of {} inputs; give one an input", fields.size(), inputs);
  for (const View<const T>& field : fields) {
    if (field.extents != fields[0].extents) {
      throw UsageError(fmt::format("fields of {} and {}; they must be the same",
                                   shape(fields[0].extents), shape(field.extents)));
    }
  }
  check_fields(fields);
  return fields[0].extents;
}

/// The values of the faces that have fields, on the device; `memory` owns them.
template <class T>
FaceValues<T> take_values(Queue& queue, const Boundaries& boundaries, std::vector<Memory>& memory) {
  FaceValues<T> all;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t side = 0; side < 2; ++side) {
      const Condition& c = boundaries.faces[axis][side];
      if (c.values.empty()) continue;
      const double h = axis == 0   ? boundaries.spacing.x
                       : axis == 1 ? boundaries.spacing.y
                                   : boundaries.spacing.z;
      const double scale = c.kind == Boundary::neumann ? 2 * h : 1;
      std::vector<T> narrow;
      for (const double value : c.values)
        narrow.push_back(static_cast<T>(scale * value));
      const auto count = static_cast<Index>(narrow.size());
      memory.emplace_back(queue.device(), Bytes{count * static_cast<Index>(sizeof(T))},
                          "the values of a boundary");
      T* const data = static_cast<T*>(memory.back().data());
      set_now(queue.device(), data, narrow.data(), memory.back().size());
      all[axis][side] = Span<T>(data, count);
    }
  }
  return all;
}

/// Passes of several sweeps know the values of dirichlet faces alone, as the points there.
void require_single(const Boundaries& boundaries, const SweepsSchedule& schedule) {
  if (!schedule.pass || !has_inflow_values(boundaries)) return;
  throw UsageError(fmt::format("sweeps={}: a neumann face whose points have values of their own "
                               "takes single sweeps: sweeps=1",
                               sweeps_of(*schedule.pass)));
}

} // namespace

class Halos {
public:
  /// `first` is where the part that a rank holds begins in its fields with their shells.
  template <class T>
  Halos(Queue& queue, const RankPart& part, const std::vector<Shell<T>>& shells, Index3 first)
      : part_(part) {
    for (const Shell<T>& shell : shells) {
      const comm::FieldMemory memory = comm::FieldMemory::of(shell.field);
      const Index3 held = part.held().begin;
      const Index3 origin{held.x - first.x, held.y - first.y, held.z - first.z};
      exchanges_.emplace_back(
          part.communicator(), queue, part.grid(),
          std::vector<comm::PaddedField>{{memory, origin, part.grid().reach()}});
    }
    bytes_ = part.communicator().sum(static_cast<double>(exchanges_.front().sent().value));
  }
  [[nodiscard]] comm::Exchange& of(int slot) { return exchanges_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] bool can_be_recorded() const { return exchanges_.front().can_be_recorded(); }
  [[nodiscard]] Record over_ranks(Record record, const Record& all) const {
    record.size = all.size;
    record.work = all.work;
    record.ranks = part_.communicator().ranks();
    record.details.push_back({"rank_grid", 0, comm::to_text(part_.grid().ranks())});
    record.details.push_back({"carrier", 0, comm::to_text(exchanges_.front().carrier())});
    record.details.push_back({"exchange_bytes", bytes_, {}});
    return record;
  }

private:
  RankPart part_;
  std::vector<comm::Exchange> exchanges_; ///< of the slots and the coefficients
  double bytes_ = 0;
};

template <class T>
SweepsFields<T>::SweepsFields(Queue& queue, const Traits& traits, int levels,
                              const SweepsSchedule& schedule,
                              const std::vector<View<const T>>& fields, const SweepsPlace& place)
    : queue_(&queue), extents_(extents_of(fields, traits.inputs())), inputs_(traits.inputs()),
      levels_(levels), slots_(schedule.pass ? 2 * levels : levels + 1),
      changes_(stencil::shell_changes(place.boundaries, traits.radius)) {
  require_fit(place.boundaries, traits.radius, place.extents);
  require_single(place.boundaries, schedule);
  layout_ = shell_layout(queue.device(), traits, place.boundaries, place.extents, !schedule.pass);
  divide(place, traits);
  const auto values = take_values<NumberOf<T>>(queue, place.boundaries, face_memory_);
  const int coefficients = inputs_ - levels_;
  // Rows of a view of the field itself, copied whole, end beyond those of the field with its shell.
  const Bytes bytes{(layout_.elements() + layout_.strides.row) * static_cast<Index>(sizeof(T))};
  for (int i = 0; i < slots_ + coefficients; ++i) {
    memory_.emplace_back(queue.device(), bytes,
                         fmt::format("{} fields with their boundaries", slots_ + coefficients));
    fill_bytes(queue, memory_.back().data(), 0, bytes);
    shells_.push_back(shell_of(place.boundaries, traits.radius, place.extents, layout_,
                               static_cast<T*>(memory_.back().data()), values, i >= slots_));
  }
  if (place.part && place.part->grid().count() > 1)
    halos_ = std::make_unique<Halos>(queue, *place.part, shells_, layout_.lead);
  if (halos_ && schedule.pass) {
    std::vector<comm::FieldMemory> fields_of_levels;
    for (int i = 0; i < slots_; ++i)
      fields_of_levels.push_back(comm::FieldMemory::of(shells_[at(i)].field));
    beside_ = comm::NeighbourFields::reach(place.part->communicator(), queue, place.part->grid(),
                                           fields_of_levels, owned_.begin.z);
  }
  load(fields);
}

template <class T>
SweepsFields<T>::~SweepsFields() = default;

/// The parts of its fields that a rank owns, and those that it computes.
template <class T>
void SweepsFields<T>::divide(const SweepsPlace& place, const Traits& traits) {
  const Offset r = traits.radius;
  const Index3 lead = layout_.lead;
  Index3 low{};
  Index3 high{};
  all_ = layout_.extents;
  if (place.part) {
    low = place.part->low();
    high = place.part->high();
    all_ = shell_layout(queue().device(), traits, place.part->boundaries_of_all(),
                        place.part->grid().points())
               .extents;
  }
  const Index3 n = place.extents;
  owned_ = {{lead.x + low.x, lead.y + low.y, lead.z + low.z},
            {lead.x + n.x - high.x, lead.y + n.y - high.y, lead.z + n.z - high.z}};
  if (owned_.extents() != extents_) {
    throw UsageError(fmt::format("fields of {} for a rank that owns {}", shape(extents_),
                                 shape(owned_.extents())));
  }
  const Index3 size = layout_.extents;
  inside_ = {{r.x, r.y, r.z}, {size.x - r.x, size.y - r.y, size.z - r.z}};
  // Deeper halos are computed in part: what others need is complete when all is.
  const bool deep = place.part && place.part->grid().count() > 1 && place.part->sweeps() > 1;
  computed_ = deep ? comm::Division{{}, {inside_}} : comm::divide(inside_, low, high);
}

template <class T>
Queue& SweepsFields<T>::halo_queue(int slot) const {
  return halos_ ? halos_->of(slot).queue() : queue();
}

template <class T>
void SweepsFields<T>::exchange_beside(int slot, const std::function<void()>& inner,
                                      const std::function<void()>& outer) {
  if (!halos_) return inner();
  comm::Exchange& exchange = halos_->of(slot);
  exchange.fork();
  exchange.send_beside(inner, [&] {
    outer();
    exchange.send();
  });
  exchange.finish();
}

template <class T>
void SweepsFields<T>::exchange_halo(int slot) {
  if (!halos_) return;
  halos_->of(slot).run();
}

template <class T>
PassNeighbours SweepsFields<T>::neighbours_of_pass() const {
  PassNeighbours found;
  if (!beside_) return found;
  for (const int side : {0, 1}) {
    if (!beside_->is_there(side)) continue;
    PassNeighbours::Side& one = side == 0 ? found.low : found.high;
    one.theirs = side == 0 ? owned_.begin.z : layout_.extents.z - owned_.end.z;
    one.needed = beside_->needed(side);
    for (int i = 0; i < levels_; ++i)
      one.further[i] = beside_->further(slot(levels_ + i), side);
  }
  return found;
}

template <class T>
void SweepsFields<T>::end_pass() {
  if (beside_) return beside_->meet();
  for (int i = 0; i < levels_; ++i)
    exchange_halo(slot(levels_ + i));
}

template <class T>
bool SweepsFields<T>::can_be_recorded() const {
  return !halos_ || halos_->can_be_recorded();
}

template <class T>
Record SweepsFields<T>::over_ranks(Record record, const Record& all) const {
  return halos_ ? halos_->over_ranks(std::move(record), all) : record;
}

template <class T>
int SweepsFields<T>::slot_of(int input) const {
  refuse_if(input < 0 || input >= inputs_, "there is no input {}; the kernel has {}", input,
            inputs_);
  return input < levels_ ? (newest_ + input) % slots_ : slots_ + input - levels_;
}

template <class T>
View<T> SweepsFields<T>::inner(int slot) const {
  const View<T>& field = shells_[at(slot)].field;
  return {field.data + field.at(owned_.begin.x, owned_.begin.y, owned_.begin.z), extents_,
          field.row, field.plane};
}

template <class T>
template <class U>
View<U> SweepsFields<T>::part_of(const View<U>& owned, const comm::Box& box) const {
  const auto after = [](Index a, Index b) { return std::max<Index>(a - b, 0); };
  const Index3 skip{after(box.begin.x, owned_.begin.x), after(box.begin.y, owned_.begin.y),
                    after(box.begin.z, owned_.begin.z)};
  const Index3 cut{after(owned_.end.x, box.end.x), after(owned_.end.y, box.end.y),
                   after(owned_.end.z, box.end.z)};
  const Index3 n = owned.extents;
  return {owned.data + owned.at(skip.x, skip.y, skip.z),
          {n.x - skip.x - cut.x, n.y - skip.y - cut.y, n.z - skip.z - cut.z},
          owned.row,
          owned.plane};
}

template <class T>
void SweepsFields<T>::load(const std::vector<View<const T>>& fields) {
  if (extents_of(fields, inputs_) != extents_) {
    throw UsageError(
        fmt::format("fields of {} for sweeps of {}", shape(fields[0].extents), shape(extents_)));
  }
  steps_ = 0;
  newest_ = 0;
  // Points that no sweep computes are the same at all times: those of the newest field.
  const Index3 first = inside_.begin;
  const Index3 end = inside_.end;
  const bool all_computed = first.x <= owned_.begin.x && first.y <= owned_.begin.y &&
                            first.z <= owned_.begin.z && end.x >= owned_.end.x &&
                            end.y >= owned_.end.y && end.z >= owned_.end.z;
  for (int slot = 0; slot < (all_computed ? 1 : slots_); ++slot)
    copy(*queue_, fields[0], inner(slot));
  for (int i = 1; i < levels_; ++i)
    copy(*queue_, part_of(fields[at(i)], inside_), part_of(inner(slot_of(i)), inside_));
  for (int i = levels_; i < inputs_; ++i)
    copy(*queue_, fields[at(i)], inner(slot_of(i)));
  for (int slot = 0; slot < static_cast<int>(shells_.size()); ++slot) {
    exchange_halo(slot); // of all slots: what is made at the first time cannot be recorded
    fill(*queue_, shells_[at(slot)]);
  }
}

template <class T>
void SweepsFields<T>::read(int input, const View<T>& to) {
  if (to.extents != extents_) {
    throw UsageError(
        fmt::format("a view of {} for sweeps of {}", shape(to.extents), shape(extents_)));
  }
  check_fields(std::vector{to});
  copy(*queue_, view(input), to);
}

template <class T>
View<const T> SweepsFields<T>::view(int input) const {
  return inner(slot_of(input));
}

template <class T>
void SweepsFields<T>::fill_shell(int slot) {
  fill(*queue_, shells_[at(slot)]);
}

template class SweepsFields<float>;
template class SweepsFields<double>;
template class SweepsFields<Fp16>;
template class SweepsFields<Bf16>;

} // namespace detail

} // namespace ridge::stencil
