// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation.hpp"

#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn, before <systemc>
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <systemc>
#include <utility>

#include "sim/main_stack.hpp"

namespace tsunagi::sim {

namespace {

sc_core::sc_time to_sc(Time t) { return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t.fs())); }
Time from_sc(const sc_core::sc_time& t) { return Time::from_fs(static_cast<std::int64_t>(t.value())); }

/// The kernel's time. While the agenda runs ahead of it, only alarms see the agenda's.
Time kernel_now() { return from_sc(sc_core::sc_time_stamp()); }

}  // namespace

/// A fiber over one SC_THREAD.
class KernelFiber final : public comm::Fiber {
 public:
  /// `horizon`: how far the agenda may run ahead; a fiber that is woken ends that.
  KernelFiber(Agenda& agenda, Time& horizon, std::string name, std::function<void(comm::Fiber&)> body, bool service)
      : agenda_(agenda), horizon_(horizon), name_(std::move(name)), body_(std::move(body)), service_(service) {}

  Time now() const override { return kernel_now(); }
  void wait_until(Time when) override {
    const Time t = now();
    if (when <= t) return;
    sc_core::wait(to_sc(when - t));
    resumed();
  }
  void body() {
    agenda_.set_now(now());
    body_(*this);
    done_ = true;
  }
  bool done() const { return done_; }
  bool is_service() const { return service_; }
  const std::string& name() const { return name_; }

 protected:
  void suspend() override {
    sc_core::wait(event_);
    resumed();
  }
  void wake() override {
    horizon_ = std::min(horizon_, agenda_.now());
    event_.notify(to_sc(agenda_.now() - now()));  // no time: a delta later
  }

 private:
  void resumed() {
    agenda_.count_wakeup();
    agenda_.set_now(now());
  }
  Agenda& agenda_;
  Time& horizon_;
  std::string name_;
  std::function<void(comm::Fiber&)> body_;
  sc_core::sc_event event_;
  bool service_;
  bool done_ = false;
};

/// The one SystemC module with processes: the agenda's method and the fibers' threads.
struct Simulation::Impl : sc_core::sc_module {
  SC_HAS_PROCESS(Impl);
  Impl(const sc_core::sc_module_name& name, Agenda& agenda) : sc_core::sc_module(name), agenda_(agenda) {
    SC_METHOD(dispatch);
    sensitive << due_;
    dont_initialize();
    agenda_.on_earlier = [this](Time when) { schedule(when); };
  }

  void schedule(Time when) {
    const Time now = kernel_now();
    if (when <= now)
      due_.notify(sc_core::SC_ZERO_TIME);
    else
      due_.notify(to_sc(when - now));
  }
  /// Rings what is due, and on, without the kernel, up to what the kernel itself has to do next.
  void dispatch() {
    on_main_stack();
    ++passes_;
    horizon_ = sc_core::sc_pending_activity_at_current_time() ? kernel_now() : next_of_kernel();
    guard([this] {
      agenda_.ring_due(kernel_now());
      while (agenda_.next() < horizon_) agenda_.ring_due(agenda_.next());
    });
    if (!error_ && !agenda_.empty()) schedule(agenda_.next());
  }
  /// When the kernel's next process runs, or the run ends.
  Time next_of_kernel() const {
    const sc_core::sc_time left = sc_core::sc_time_to_pending_activity();
    return left > to_sc(limit_ - kernel_now()) ? limit_ : kernel_now() + from_sc(left);
  }
  template <class F>
  void guard(F&& f) {
    try {
      f();
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (...) {
      if (!error_) error_ = std::current_exception();
      sc_core::sc_stop();
    }
  }
  void spawn(KernelFiber& fiber) {
    sc_core::sc_spawn_options options;
    options.set_stack_size(64 * 1024);
    sc_core::sc_spawn([this, &fiber] { guard([&fiber] { fiber.body(); }); }, sc_core::sc_gen_unique_name("fiber"),
                      &options);
  }

  Agenda& agenda_;
  Time horizon_;
  Time limit_ = Time::max();
  std::uint64_t passes_ = 0;
  sc_core::sc_event due_;
  std::deque<KernelFiber> fibers_;
  std::exception_ptr error_;
};

Simulation::Simulation() {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);  // stdout belongs to results
  impl_ = std::make_unique<Impl>("tsunagi", agenda_);
}

Simulation::~Simulation() = default;

void Simulation::spawn(std::string name, std::function<void(comm::Fiber&)> body) {
  impl_->spawn(impl_->fibers_.emplace_back(agenda_, impl_->horizon_, std::move(name), std::move(body), false));
}

void Simulation::spawn_service(std::string name, std::function<void(comm::Fiber&)> body) {
  impl_->spawn(impl_->fibers_.emplace_back(agenda_, impl_->horizon_, std::move(name), std::move(body), true));
}

bool Simulation::run(Time limit) {
  impl_->limit_ = limit < Time::max() - kernel_now() ? kernel_now() + limit : Time::max();
  if (!agenda_.empty()) impl_->schedule(agenda_.next());
  try {
    sc_core::sc_start(to_sc(limit), sc_core::SC_EXIT_ON_STARVATION);
  } catch (const sc_core::sc_report& e) {
    if (e.get_id() != 518) throw;  // stack setup failed
    throw std::runtime_error("the system has no memory mappings for the stacks of " +
                             std::to_string(impl_->fibers_.size()) + " programs (see vm.max_map_count)");
  }
  on_main_stack();
  if (impl_->error_) std::rethrow_exception(impl_->error_);
  return !sc_core::sc_pending_activity();
}

std::uint64_t Simulation::kernel_passes() const { return impl_->passes_; }

std::vector<Stuck> Simulation::unfinished() const {
  std::vector<Stuck> out;
  for (const KernelFiber& f : impl_->fibers_)
    if (!f.done() && !f.is_service()) out.push_back({f.name(), f.waits_for()});
  return out;
}

Module::Module(Simulation& sim, std::string name) : sim_(sim), name_(std::move(name)) {}
Module::~Module() = default;

}  // namespace tsunagi::sim
