// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tsunagi {

/// 128-bit integer for products of two 64-bit quantities (a compiler extension of g++ and clang).
__extension__ typedef __int128 Wide;
/// The same without a sign.
__extension__ typedef unsigned __int128 UnsignedWide;

}  // namespace tsunagi
