// SPDX-License-Identifier: Apache-2.0
// Internal to src/config: copy on write.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tsunagi::config {

/// A list that its copies share until one of them is changed. Read like a vector; for a single thread.
template <class T>
class SharedList {
 public:
  SharedList() = default;
  explicit SharedList(std::vector<T> list) : list_(std::make_shared<std::vector<T>>(std::move(list))) {}
  const T* begin() const { return list_ ? list_->data() : nullptr; }
  const T* end() const { return begin() + size(); }
  std::size_t size() const { return list_ ? list_->size() : 0; }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t i) const { return (*list_)[i]; }
  const T& back() const { return list_->back(); }
  const std::vector<T>& all() const {
    static const std::vector<T> none;
    return list_ ? *list_ : none;
  }

  /// The list to be changed: from here on this one's own, at its place as long as no copy is taken.
  std::vector<T>& edit() {
    if (!list_)
      list_ = std::make_shared<std::vector<T>>();
    else if (list_.use_count() > 1)
      list_ = std::make_shared<std::vector<T>>(*list_);
    return *list_;
  }

  /// The same for copies that nobody has changed, and for no two others that live at a time; null: nothing was ever in.
  const void* identity() const { return list_.get(); }

 private:
  std::shared_ptr<std::vector<T>> list_;
};

}  // namespace tsunagi::config
