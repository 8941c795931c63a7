// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/message.hpp"
#include "report/recorder.hpp"
#include "report/result.hpp"

namespace tsunagi::runner {

/// How a run ended.
enum class Status {
  ok,            ///< rows and cost are valid
  config_error,  ///< the config is wrong; found while elaborating (exit 2)
  failed,        ///< the simulation threw, crashed or ran out of time (exit 1)
  interrupted,   ///< Ctrl-C, or another such signal, before it ended (exit 130)
};

/// What came back from one run.
struct Outcome {
  Status status = Status::interrupted;
  std::vector<std::string> messages;  ///< why it is not ok, a line each; empty when it is
  /// The same for a config error, as they were thrown. What has no file in its place was found in
  /// resolved values: its pointer says where.
  std::vector<config::Message> config_errors;
  report::Rows rows;        ///< what was measured, whatever the status
  bool incomplete = false;  ///< of a run that did not come to its end: there would be more
  report::Rows counters;    ///< what each direction of each wire counted; empty where that was not asked for
  /// Not empty: this was an attempt that is to be repeated with these findings. Never handed out by run_many.
  std::string findings;
  std::string report;  ///< what an observer made of the run; empty: there was none
  report::Cost cost;   ///< wall, CPU and memory are valid whatever the status
};

}  // namespace tsunagi::runner
