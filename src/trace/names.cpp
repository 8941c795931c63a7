// SPDX-License-Identifier: Apache-2.0
#include "trace/names.hpp"

#include "units/parse.hpp"

namespace tsunagi::trace {
namespace {

std::string sized(const std::string& name, Bytes size) {
  return size == Bytes::zero() ? name : name + " " + to_string(size);
}

}  // namespace

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

std::string packet_name(const net::ChannelInfo& channel, flow::FlowClass flow_class, Bytes payload) {
  return sized(channel.class_name(flow_class), payload);
}

std::string call_name(const comm::Call& c) { return std::string(comm::name_of(c.kind)) + " " + to_string(c.size); }

std::string together_name(const comm::Together& t) { return sized(t.name, t.size); }

}  // namespace tsunagi::trace
