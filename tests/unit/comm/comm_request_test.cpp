// SPDX-License-Identifier: Apache-2.0
#include "comm/request.hpp"
#include "comm/world/start_line.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace comm_request_test {

using namespace tsunagi;
using namespace tsunagi::comm;

namespace {

/// Time is a number; whoever suspends it does what the test said.
class FakeFiber final : public Fiber {
 public:
  std::string_view name() const override { return "fake"; }
  Time now() const override { return now_; }
  void wait_until(Time when) override { now_ = std::max(now_, when); }
  std::function<void()> while_suspended;
  bool woken = false;

 protected:
  void suspend() override { while_suspended(); }
  void suspend_until(Time) override { while_suspended(); }
  void wake() override { woken = true; }

 private:
  Time now_;
};

}  // namespace

TEST_CASE("a request tells its milestones, max while unknown") {
  RequestPool pool;
  Request r = pool.make(5_ns);
  CHECK(r.at(Milestone::posted) == 5_ns);
  CHECK(r.at(Milestone::delivered) == Time::max());
  r.reach(Milestone::delivered, 9_ns);
  CHECK(r.at(Milestone::delivered) == 9_ns);
}

TEST_CASE("waiting for a milestone that lies ahead takes until then") {
  RequestPool pool;
  Request r = pool.make(0_ns);
  FakeFiber f;
  f.while_suspended = [&] { r.reach(Milestone::completed, 30_ns); };
  r.wait(f, Milestone::completed);
  CHECK(f.woken);
  CHECK(f.now() == 30_ns);
}

TEST_CASE("requests may outlive their pool") {
  Request last;
  {
    RequestPool pool;
    last = pool.make(1_ns);
    pool.make(2_ns);
  }
  last.reach(Milestone::completed, 3_ns);
  CHECK(Request(last).at(Milestone::completed) == 3_ns);
}

TEST_CASE("a record is recycled when all holders have let go") {
  RequestPool pool;
  {
    Request library = pool.make(1_ns);
    {
      const Request user = library;
      CHECK(user.valid());
    }
    library.reach(Milestone::delivered, 2_ns);
    CHECK(library.at(Milestone::posted) == 1_ns);
  }
  const Request next = pool.make(3_ns);
  CHECK(next.at(Milestone::delivered) == Time::max());
  CHECK(next.at(Milestone::posted) == 3_ns);
}

TEST_CASE("the last fiber at a start line lets the others go") {
  StartLine line;
  FakeFiber a, b;
  std::string order;
  a.while_suspended = [&] { line.meet(b, 2, [&] { order += "last "; }); };
  line.meet(a, 2, [&] { order += "first "; });
  CHECK(order == "last ");
  CHECK(a.woken);
}

}  // namespace comm_request_test
