// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "models/dma/port.hpp"
#include "models/firmware/processor.hpp"

namespace tsunagi::firmware {

/// A port each transfer of which a processor has to start (paper 004, 5.3: what a DMA costs is its start).
class StartedPort final : public dma::Port {
 public:
  /// All outlive this.
  StartedPort(dma::Port& port, Processor& processor, int cycles)
      : port_(port), processor_(processor), cycles_(cycles) {}
  void read(Reader& reader, std::uint64_t token, std::uint64_t address, Bytes n, const net::Wait& ready) override {
    ++reads_;
    port_.read(reader, token, address, n, start(ready));
  }
  void read_behind(Reader& reader, std::uint64_t token, std::uint64_t address, Bytes n,
                   const net::Wait& ready) override {
    ++reads_;
    port_.read_behind(reader, token, address, n, start(ready));
  }
  void write(int writer, Write w, const net::Wait& why) override { port_.write(writer, std::move(w), start(why)); }
  void came(net::Delivery d) override { port_.came(std::move(d)); }
  bool busy() const override { return port_.busy(); }
  /// That were asked for.
  std::int64_t reads() const { return reads_; }

 private:
  net::Wait start(const net::Wait& ready) { return processor_.run(ready, cycles_, "DMA started"); }

  dma::Port& port_;
  Processor& processor_;
  int cycles_;
  std::int64_t reads_ = 0;
};

}  // namespace tsunagi::firmware
