// SPDX-License-Identifier: Apache-2.0
// The one place that knows which Catch2 there is: v3 or Debian's v2.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_EXTERNAL_INTERFACES  // listeners
#include <catch2/catch.hpp>
#endif
