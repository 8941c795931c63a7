// SPDX-License-Identifier: Apache-2.0
#include "experiment/version.hpp"

#include <model_version.hpp>  // written by tools/model_version.cmake

namespace tsunagi::experiment {

std::string version() { return TSUNAGI_VERSION; }

std::string release_date() { return TSUNAGI_RELEASED; }

std::string model_version() { return version() + "+models." + TSUNAGI_MODELS; }

}  // namespace tsunagi::experiment
