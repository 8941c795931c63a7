// SPDX-License-Identifier: Apache-2.0
#include "sim/processes.hpp"

#include <cctype>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sim/counted.hpp"
#include "sim/main_stack.hpp"
#include "sim/sc_time.hpp"

namespace tsunagi::sim {

namespace {

Time kernel_now() { return from_sc(sc_core::sc_time_stamp()); }

/// A name that SystemC takes as it is.
std::string process_name(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

}  // namespace

/// A fiber over one SC_THREAD, which the agenda resumes: what it waits for is an alarm like any other.
class KernelFiber final : public Fiber, private Alarm {
 public:
  KernelFiber(Agenda& agenda, Processes& processes, std::string name, std::function<void(Fiber&)> body, bool service,
              Stack stack)
      : Alarm(Phase::resume),
        agenda_(agenda),
        processes_(processes),
        name_(std::move(name)),
        body_(std::move(body)),
        service_(service),
        stack_(stack) {
    processes_.began();
    if (!service_) processes_.program_began();
  }

  std::string_view name() const override { return name_; }
  Time now() const override { return agenda_.now(); }
  void wait_until(Time when) override { suspend_until(when); }
  /// Makes what belongs to the module that is being built.
  void elaborate() { event_.emplace(); }
  void body() {
    processes_.synchronise();
    body_(*this);
    end();
    done_ = true;
    if (!service_) processes_.program_ended();
    processes_.paused();
  }
  bool done() const { return done_; }
  bool is_service() const { return service_; }
  Stack stack() const { return stack_; }

 protected:
  void suspend() override {
    processes_.paused();
    sc_core::wait(*event_);
    processes_.pass(now());
  }
  void suspend_until(Time when) override {
    if (when <= now() || processes_.skip_to(when)) return;
    agenda_.arm(*this, when);
    suspend();
  }
  void wake() override { agenda_.arm_by(*this, agenda_.now()); }

 private:
  void ring() override {
    processes_.resumes();
    event_->notify();
  }
  Agenda& agenda_;
  Processes& processes_;
  std::string name_;
  std::function<void(Fiber&)> body_;
  std::optional<sc_core::sc_event> event_;
  bool service_;
  Stack stack_;
  bool done_ = false;
};

Processes::Processes(const sc_core::sc_module_name& name, Agenda& agenda, Kernel kernel)
    : sc_core::sc_module(name), agenda_(agenda), kernel_(kernel) {
  SC_METHOD(dispatch);
  sensitive << due_;
  dont_initialize();
  if (kernel == Kernel::shared) {
    SC_METHOD(reopen);
    sensitive << goes_on_;
    dont_initialize();
  }
  agenda_.on_earlier = [this](Time when) { schedule(when); };
}

Processes::~Processes() = default;

void Processes::add(std::string name, std::function<void(Fiber&)> body, bool service, Stack stack) {
  KernelFiber& fiber = fibers_.emplace_back(agenda_, *this, std::move(name), std::move(body), service, stack);
  if (elaborated_) start(fiber);
}

/// Threads and events made here are this module's children.
void Processes::before_end_of_elaboration() {
  elaborated_ = true;
  for (KernelFiber& fiber : fibers_) start(fiber);
}

void Processes::start(KernelFiber& fiber) {
  fiber.elaborate();
  std::string name = process_name(std::string(fiber.name()));
  if (sc_core::sc_hierarchical_name_exists((std::string(this->name()) + "." + name).c_str()))
    name = sc_core::sc_gen_unique_name(name.c_str());
  sc_core::sc_spawn_options options;
  if (fiber.stack() == Stack::small) options.set_stack_size(64 * 1024);
  sc_core::sc_spawn([this, &fiber] { guard([&fiber] { fiber.body(); }); }, name.c_str(), &options);
}

void Processes::delay_alarms(bool on) {
  delay_ = on && kernel_ == Kernel::shared;
  agenda_.resume_first(on && kernel_ == Kernel::own);
}

void Processes::schedule(Time when) {
  const Time now = kernel_now();
  if (kernel_ == Kernel::own || when <= now)
    due_.notify(sc_core::SC_ZERO_TIME);
  else
    due_.notify(to_sc(when - now));
}

/// Rings what is due and, if the kernel is ours, on through time, until fibers go on.
void Processes::dispatch() {
  on_main_stack();
  if (delay_ && !delayed_) {
    delayed_ = true;
    return next_trigger(sc_core::SC_ZERO_TIME);
  }
  delayed_ = false;
  resumes_ = false;
  ++passes_;
  guard([this] {
    if (kernel_ == Kernel::shared) return agenda_.ring_due(kernel_now());
    for (Time t = agenda_.next(); t < limit_; t = agenda_.next()) {
      if (t > agenda_.now() ? active_ > 0 : resumes_ && !agenda_.next_resumes()) break;
      agenda_.ring_next();
      pass(t);
    }
  });
  const bool more = kernel_ == Kernel::own ? active_ > 0 || agenda_.next() < limit_ : !agenda_.empty();
  if (!error_ && more) schedule(agenda_.next());
  pause_if_ended();
}

void Processes::paused() {
  --active_;
  pause_if_ended();
}

void Processes::pause_if_ended() {
  if (kernel_ == Kernel::own || over_ || !has_programs_ || !ended()) return;
  over_ = true;
  goes_on_.notify(sc_core::SC_ZERO_TIME);  // no delta begins before the pause
  sc_core::sc_pause();
}

/// Until then the gate stays shut: others' processes of the pause's own delta still run.
void Processes::reopen() {
  reopened_ = true;
  admitted_.notify(sc_core::SC_ZERO_TIME);
  synchronise();
  fibers_admitted_.notify();
}

void Processes::admit() {
  const bool ours = sc_core::sc_get_current_process_handle().get_parent_object() == this;
  while (!ours && closed()) {
    const Counted held(held_);
    sc_core::wait(admitted_);
  }
  began();
}

void Processes::admit(Fiber& fiber) {
  while (closed()) {
    const Counted held(held_);
    fiber.wait(fibers_admitted_, "the run's end");
  }
  began();
}

void Processes::synchronise() {
  if (kernel_ == Kernel::shared) agenda_.set_now(kernel_now());
}

template <class F>
void Processes::guard(F&& f) {
  try {
    f();
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (...) {
    if (!error_) error_ = std::current_exception();
    sc_core::sc_pause();  // sc_stop is for who owns the kernel
  }
}

bool Processes::run(Time limit) {
  const Time now = kernel_ == Kernel::own ? agenda_.now() : kernel_now();
  limit_ = limit < Time::max() - now ? now + limit : Time::max();
  if (!agenda_.empty()) schedule(agenda_.next());
  try {
    sc_core::sc_start(to_sc(limit), sc_core::SC_EXIT_ON_STARVATION);
  } catch (const sc_core::sc_report& e) {
    if (e.get_id() != 518) throw;  // stack setup failed
    throw std::runtime_error("the system has no memory mappings for the stacks of " + std::to_string(fibers_.size()) +
                             " programs (see vm.max_map_count)");
  }
  on_main_stack();
  rethrow();
  return kernel_ == Kernel::own ? agenda_.empty() : !sc_core::sc_pending_activity() || ended();
}

std::vector<Stuck> Processes::unfinished() const {
  std::vector<Stuck> out;
  for (const KernelFiber& f : fibers_)
    if (!f.done() && !f.is_service()) out.push_back({std::string(f.name()), f.waits_for()});
  return out;
}

}  // namespace tsunagi::sim
