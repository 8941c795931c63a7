// SPDX-License-Identifier: Apache-2.0
#include "trace/names.hpp"

namespace tsunagi::trace {

const char* stage_name(net::Stage stage) {
  switch (stage) {
    case net::Stage::pipeline:
      return "pipeline";
    case net::Stage::memory:
      return "memory";
    case net::Stage::tag:
      return "tag";
    case net::Stage::buffer:
      return "buffer";
    case net::Stage::poll:
      return "poll";
    case net::Stage::step:
      return "step";
    case net::Stage::core:
      return "core";
  }
  return "";
}

const char* overhead_name(net::Overhead kind) {
  switch (kind) {
    case net::Overhead::ack:
      return "ack";
    case net::Overhead::credit_update:
      return "credit update";
    case net::Overhead::nak:
      return "nak";
    case net::Overhead::skip:
      return "skip";
  }
  return "";
}

const char* blocked_by_name(net::BlockedBy by) {
  switch (by) {
    case net::BlockedBy::nothing:
      return "nothing";
    case net::BlockedBy::credit:
      return "credit";
    case net::BlockedBy::replay_space:
      return "replay space";
    case net::BlockedBy::stop:
      return "stop";
  }
  return "";
}

}  // namespace tsunagi::trace
