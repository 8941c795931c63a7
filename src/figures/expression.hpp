// SPDX-License-Identifier: Apache-2.0
// What a published figure says of the rows of its runs, as one expression:
//
//   min(pio.latency)/us                         smallest value of a column, in microseconds
//   at(pio.latency, pio.size, 8*KiB)/us         the row whose size is 8 KiB
//   at(halo.latency, halo.place, 'gpu')/us      ... whose place is that text
//   first_above(dma.size, dma.bandwidth, 2*GB_s)/KiB   smallest size that is faster than 2 GB/s
//   max(mpi.latency/tca.latency)                row by row over columns of equal length
//   step_mean(pio, 'ring the doorbell')/ns      mean duration of a library's step over the whole run
//   at(copies(mpi), mpi.size, 8*KiB)            how often a message of that row was copied on its way
//
// `run.column` is in base units: seconds, bytes, bytes a second, or a bare count; alone it needs a
// run of one row. Aggregates are min, max, first, last, at, first_above; the rest is muParser.
// Accounts: step_mean, step_total (seconds) and step_calls of a run and a step's name; copies and copied_bytes of a
// run, a message each, all of them or those by 'core' or 'dma'. Inside an aggregate they are each row's own. Of a row's
// window: wire_use(run, 'mean' or 'max'), quantile(run, 'p90') in seconds, fairness(run). Constants: ns us ms s, B KiB
// MiB GiB, KB MB GB, KB_s MB_s GB_s.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "report/recorder.hpp"

namespace tsunagi::figures {

/// The rows of each run, by the name that the expression uses.
using Tables = std::map<std::string, report::Rows>;

/// Names of one's own that stand for numbers, beside ns, KiB, ...
using Constants = std::vector<std::pair<std::string, double>>;

/// The expression itself is wrong: syntax, an unknown run, column or function.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The expression is right but these rows give no value: no such row, nothing above a threshold.
class NoValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The value over `tables`. Throws ExpressionError or NoValue.
double evaluate(const std::string& expression, const Tables& tables, const Constants& more = {});

/// Checks all that can be known before the runs. Throws ExpressionError.
void check_expression(const std::string& expression, const std::vector<std::string>& run_names,
                      const Constants& more = {});

}  // namespace tsunagi::figures
