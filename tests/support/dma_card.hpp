// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "machine/machine.hpp"
#include "models/dma/bus_config.hpp"
#include "units/parse.hpp"

namespace tsunagi::test {

struct DmaCardConfig {
  dma::BusConfig bus;
  Frequency clock{133'333'333};
  Bytes window_base = 256_GiB;
  Bytes window_size = 1_MiB;
};
inline void describe(DmaCardConfig&, config::Describer&) {}

/// A card that reads and writes host memory when a test tells it to, by whatever bus it has, and notes what came.
class DmaCard final : public net::Device, private dma::Port::Reader, private dma::Port::Registers {
 public:
  DmaCard(DeviceArgs args, const DmaCardConfig& c)
      : Device(args.sim, args.pool, args.name), config_(c), clock_(config_.clock) {
    add_port(dma::port_spec(config_.bus, clock_, 1));
    host_ = dma::make_port(*this, pool(), config_.bus, clock_, *this, 1, args.max_train);
  }
  void wired() override {
    dma::check_bus(*this, config_.bus, config_.window_base, config_.window_size, "its registers are");
  }
  void receive(int, net::Delivery&& d) override { host_->came(std::move(d)); }
  std::string leftover() const override { return host_->busy() ? "transfers are under way" : ""; }

  void read(std::uint64_t token, std::uint64_t address, Bytes n) { host_->read(*this, token, address, n, ready()); }
  void read_behind(std::uint64_t token, std::uint64_t address, Bytes n) {
    host_->read_behind(*this, token, address, n, ready());
  }
  void write(std::uint64_t address, Bytes n, const std::vector<std::uint8_t>& says = {}) {
    dma::Port::Write w;
    w.address = address;
    w.size = n;
    if (!says.empty()) w.contents.add(pool().contents(), 0_B, {says.data(), says.size()});
    host_->write(0, std::move(w), ready());
  }

  struct Came {
    Time when;
    std::vector<std::uint8_t> bytes;  // from the first that says something
    Bytes at;                         // which that is
  };
  /// What came of each read, by its token.
  const std::map<std::uint64_t, Came>& came() const { return came_; }
  struct Stored {
    Time when;
    std::uint64_t address;
    std::uint64_t value;
  };
  const std::vector<Stored>& stores() const { return stored_; }

 private:
  net::Wait ready() const { return {now(), {now(), 0}, net::Stage::pipeline, "told to"}; }
  void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) override {
    Came c{last.when, {}, {}};
    if (bytes) {
      c.at = bytes.offset();
      c.bytes.assign(bytes.bytes().data, bytes.bytes().data + bytes.bytes().size);
    }
    came_[token] = c;
  }
  void stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) override {
    stored_.push_back({by.when, p.address + unsigned_of(p.stride * i), p.last_word_of(i)});
  }

  DmaCardConfig config_;
  Clock clock_;
  std::unique_ptr<dma::Port> host_;
  std::map<std::uint64_t, Came> came_;
  std::vector<Stored> stored_;
};

}  // namespace tsunagi::test
