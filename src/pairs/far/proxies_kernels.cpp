// Compiled once per device kind: proxies of the nodes of an octree.
#include <ridge/device/offer.hpp>
#include <ridge/pairs/far/items.hpp>

namespace ridge::pairs::far::inline RIDGE_TARGET_NAME {

namespace {

template <class T>
void find_proxies(Queue& queue, FarStep step, const FarData<T>& data, Index begin, Index end) {
  const bool of_leaves = step == FarStep::leaves;
  spatial::for_each_item(queue, end - begin, FindRange<T>{data, begin, of_leaves});
  spatial::for_each_item(queue, (end - begin) * data.proxies_of_node(),
                         ShareOut<T>{data, begin, of_leaves});
}

const Offer floats(kind_of<Here>, typeid(FarData<float>), &find_proxies<float>);
const Offer doubles(kind_of<Here>, typeid(FarData<double>), &find_proxies<double>);

} // namespace

} // namespace ridge::pairs::far::inline RIDGE_TARGET_NAME
