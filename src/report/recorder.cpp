// SPDX-License-Identifier: Apache-2.0
#include "report/recorder.hpp"

namespace tsunagi::report {

Row& Recorder::row() {
  Row& out = rows_.rows.emplace_back();
  if (on_row_) on_row_(rows_.rows.size());
  if (begin_ && read_) out.account(since(read_(), *begin_));
  begin_.reset();
  if (measures_) out.beside().wires = meter_->read();
  measures_ = false;
  return out;
}

void Recorder::measure_wires(Time begin, Time end) {
  if (meter_ == nullptr) return;
  meter_->open(begin, end);
  measures_ = true;
}

void Recorder::begin_account() {
  if (read_) begin_ = read_();
}

void Recorder::end_accounts() {
  if (read_) rows_.accounts = read_();
  read_ = {};
}

}  // namespace tsunagi::report
