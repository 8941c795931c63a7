// SPDX-License-Identifier: Apache-2.0
#include "models/process/core_processor.hpp"

#include <stdexcept>

namespace tsunagi::process {

namespace {

std::string who(int rank) { return "rank " + std::to_string(rank); }

/// A core copies one area of its rank's memory to another one as long.
void copy_area(Fiber& f, const HostProcess& me, const comm::Buffer& to, const comm::Buffer& from) {
  const std::uint64_t base = me.user_base();
  if (comm::is_contiguous(to) && comm::is_contiguous(from))
    return me.core().copy(f, me.memory(), base + unsigned_of(to.offset), base + unsigned_of(from.offset), from.size);
  std::vector<host::Core::Copied> all;
  comm::for_each_stretch(to, from, [&](Bytes at, Bytes its, Bytes n) {
    all.push_back({base + unsigned_of(at), base + unsigned_of(its), n});
  });
  me.core().copy(f, me.memory(), all);
}

/// By the core's "line_cache" and the rate at which it computes on memory.
class CoreWalk final : public comm::MemoryWalk {
 public:
  explicit CoreWalk(const host::CoreConfig& c)
      : lines_(c.line_cache.size, c.line_cache.ways, c.line_cache.line),
        line_(c.line_cache.line),
        miss_(c.line_cache.miss),
        rate_(c.compute.memory_rate) {}
  Time stream(std::uint64_t address, Bytes n, bool written) override {
    return rate_.time(line_ * (misses(address, n) * (written ? 2 : 1)));
  }
  Time refer(std::uint64_t address, Bytes n) override { return miss_ * misses(address, n); }

 private:
  std::int64_t misses(std::uint64_t address, Bytes n) { return lines_.touch(address, n, Time::zero()).misses; }

  host::LineCache lines_;
  Bytes line_;
  Time miss_;
  Rate rate_;
};

}  // namespace

std::unique_ptr<comm::MemoryWalk> CoreProcessor::walk(int rank) {
  return std::make_unique<CoreWalk>(of_(rank).core().config());
}

void CoreProcessor::compute(Fiber& f, int rank, const Work& w, const std::string& place) {
  if (comm::is_host(place)) return of_(rank).core().compute(f, w);
  if (devices_ != nullptr) return devices_->compute(f, rank, w, place);
  throw std::runtime_error(who(rank) + " computes on \"" + place + "\", but its library has cores alone");
}

void CoreProcessor::copy(Fiber& f, int rank, const comm::Buffer& to, const comm::Buffer& from) {
  const HostProcess& me = of_(rank);
  const bool out = comm::is_host(to.place);
  const bool in = comm::is_host(from.place);
  if (out && in) return copy_area(f, me, to, from);
  if (devices_ != nullptr && to.place == from.place)  // a kernel reads and writes it
    return devices_->compute(f, rank, Work{0, from.size * 2}, to.place);
  if (devices_ == nullptr || (!out && !in) || !comm::is_contiguous(to) || !comm::is_contiguous(from))
    throw std::runtime_error(who(rank) + ": nobody copies from \"" + from.place + "\" to \"" + to.place + "\"");
  if (out)
    devices_->copy_out(f, rank, from, me.user_base() + unsigned_of(to.offset));
  else
    devices_->copy_in(f, rank, to, me.user_base() + unsigned_of(from.offset));
}

void CoreProcessor::combine(Fiber& f, int rank, Bytes n) {
  // One addition of doubles for eight bytes, of which sixteen are read and eight written.
  of_(rank).core().compute(f, Work{units_of(n, 8_B), n * 3});
}

}  // namespace tsunagi::process
