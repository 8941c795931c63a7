// SPDX-License-Identifier: Apache-2.0
// The one place that knows which Catch2 there is: v3 or Debian's v2.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_EXTERNAL_INTERFACES  // listeners
#include <catch2/catch.hpp>
#endif

namespace tsunagi::test {

/// Hears of each assertion that has been evaluated; CATCH_REGISTER_LISTENER makes one known.
#if __has_include(<catch2/catch_all.hpp>)
class AssertionListener : public Catch::EventListenerBase {
 public:
  using Catch::EventListenerBase::EventListenerBase;
  void assertionEnded(const Catch::AssertionStats& s) final { ended(s.assertionResult.isOk()); }
#else
class AssertionListener : public Catch::TestEventListenerBase {
 public:
  using Catch::TestEventListenerBase::TestEventListenerBase;
  bool assertionEnded(const Catch::AssertionStats& s) final {
    ended(s.assertionResult.isOk());
    return false;
  }
#endif
  virtual void ended(bool ok) = 0;
};

}  // namespace tsunagi::test
