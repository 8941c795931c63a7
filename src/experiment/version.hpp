// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tsunagi::experiment {

/// The program's version, as the build was told (TSUNAGI_VERSION).
std::string version();

/// The version with a hash of the sources that decide what a run measures, "0.1.0+models.9b2c…": the same for all
/// compilers and kinds of build, another one as soon as such a source changes.
std::string model_version();

/// When that version was released, "2026-11-23".
std::string release_date();

}  // namespace tsunagi::experiment
