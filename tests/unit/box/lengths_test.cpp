// SPDX-License-Identifier: Apache-2.0
// The rate of copies that are longer than those of a run.
#include "box/matrix.hpp"
#include "report/recorder.hpp"
#include "support/catch.hpp"

namespace lengths_test {

using namespace tsunagi;
using namespace tsunagi::box;

namespace {

/// Two queued copies of each length, of which the second is timed; each takes `start` and then `rate` bytes a second.
Observed copied(double start, double rate, std::vector<Bytes> sizes) {
  report::Recorder r;
  for (const Bytes size : sizes)
    r.row()
        .text("method", "gpu0 > gpu1")
        .text("how", "at once")
        .bytes("size", size)
        .bytes("bytes", size)
        .time("time", Time::from_fs(static_cast<std::int64_t>((start + size.count() / rate) * 1e15)));
  Observed out;
  out.status = runner::Status::ok;
  out.rows = r.rows();
  return out;
}

const std::vector<std::vector<std::pair<std::string, std::string>>> row{
    {{"method", "gpu0 > gpu1"}, {"how", "at once"}}};

}  // namespace

TEST_CASE("box: two lengths give the rate of a third, with what each copy takes before its bytes flow") {
  Plan plan;
  plan.runs.push_back({{}, {{"kind", "copies"}, {"copies", {1}}, {"sizes", {"1 MiB", "2 MiB"}}, {"queued", 2}}, {}});
  Cell cell;
  cell.reading = Reading{0, row, "time"};
  cell.reading->lengths = Lengths{1_MiB, 2_MiB, 12_MiB};
  const double start = 5e-6;
  const double rate = 100e9;
  const double bytes = 12 * 1024 * 1024;
  const Value v = value_of(plan, cell, copied(start, rate, {1_MiB, 2_MiB}));
  REQUIRE(v.value);
  CHECK(*v.value == Approx(bytes / (start + bytes / rate)).epsilon(1e-6));
  // Rows of one length alone, or a longer copy that is over sooner, say nothing of a third.
  CHECK_FALSE(value_of(plan, cell, copied(start, rate, {1_MiB})).value);
  CHECK_FALSE(value_of(plan, cell, copied(start, -10 * rate, {1_MiB, 2_MiB})).value);
}

TEST_CASE("box: a run and its shorter scenario give what lasts longer than both") {
  Plan plan;
  plan.runs.push_back({{}, {{"kind", "perftest"}, {"sizes", {"64 KiB"}}, {"iterations", 16}}, {}});
  plan.runs.back().shorter = plan.runs.back().scenario;
  Cell cell;
  cell.reading = Reading{0, {{}}, "time"};
  cell.reading->lengths = Lengths{1_MiB, 2_MiB, 100_MiB};
  const double start = 5e-6;
  const double rate = 10e9;
  Observed o = copied(start, rate, {2_MiB});
  o.shorter = copied(start, rate, {1_MiB}).rows;
  const Value v = value_of(plan, cell, o);
  REQUIRE(v.value);
  const double bytes = 100 * 1024 * 1024;
  CHECK(*v.value == Approx(bytes / (start + bytes / rate)).epsilon(1e-6));
  // Each is what its own rows say.
  o.shorter = copied(2 * start, rate, {1_MiB}).rows;
  CHECK(*value_of(plan, cell, o).value > *v.value);
}

}  // namespace lengths_test
