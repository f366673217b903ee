// Compiled once per device kind: trees of several ranks brought together.
#include <ridge/device/offer.hpp>
#include <ridge/pairs/essential_items.hpp>

namespace ridge::pairs::essential::inline RIDGE_TARGET_NAME {

namespace {

template <class P>
void find_essentials(Queue& queue, EssentialStep step, const Essentials<P>& e, Index begin,
                     Index end) {
  switch (step) {
  case EssentialStep::runs:
    spatial::for_each_item(queue, e.runs.size / box_values, BoxRuns<P>{e});
    break;
  case EssentialStep::begin:
    spatial::for_each_item(queue, e.walk.tree.nodes + 1, BeginUses<P>{e});
    break;
  case EssentialStep::look:
    spatial::for_each_item(queue, e.walk.tree.nodes, LookAtNode<P>{e});
    break;
  case EssentialStep::mark:
    spatial::for_each_item(queue, end - begin, MarkNode<P>{e, begin});
    break;
  case EssentialStep::pack:
    spatial::for_each_item(queue, e.walk.tree.nodes, PackNode<P>{e});
    break;
  case EssentialStep::rebase:
    spatial::for_each_item(queue, end - begin, RebaseLinks<P>{e});
    break;
  case EssentialStep::tops:
    spatial::for_each_item(queue, e.tops.size / 2, SetTop<P>{e});
    break;
  }
}

const Offer fp32(kind_of<Here>, typeid(Essentials<Fp32>), &find_essentials<Fp32>);
const Offer fp64(kind_of<Here>, typeid(Essentials<Fp64>), &find_essentials<Fp64>);
const Offer mixed(kind_of<Here>, typeid(Essentials<Mixed>), &find_essentials<Mixed>);

} // namespace

} // namespace ridge::pairs::essential::inline RIDGE_TARGET_NAME
