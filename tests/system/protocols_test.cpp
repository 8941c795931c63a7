// SPDX-License-Identifier: Apache-2.0
// What `list --protocols` says of messages, against what is counted when such messages are sent.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace protocols_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Copier;
using comm::Rank;

namespace {

constexpr Bytes longest = 512_KiB;  // that is sent; longer messages go as this one

/// One message and what its library says of it.
struct Sample {
  Buffer what;
  comm::Protocol protocol;
  Bytes by_core = {};
  Bytes by_dma = {};
};

void add(std::vector<Sample>& out, const comm::Protocols& protocols, Buffer b) {
  for (const comm::ProtocolRange& range : comm::protocol_table(protocols, 0, 1, b)) {
    if (range.least > longest) break;
    for (const Bytes size : {range.least, std::min(range.most.value_or(longest), longest)}) {
      b.size = size;
      if (size > Bytes::zero()) out.push_back({b, range.protocol});
    }
  }
}

/// Of each way, between all places, the shortest message and the longest of each row.
std::vector<Sample> samples_of(const comm::Library& library) {
  const auto& protocols = library.required<comm::Protocols>();
  std::vector<std::string> ways;
  if (library.has_messages()) ways.emplace_back();
  if (library.direct())
    for (const std::string& method : library.methods())
      if (method != "pio") ways.push_back(method);  // polls device memory word by word: slow, and as it says
  std::vector<Sample> out;
  for (const std::string& way : ways)
    for (const std::string& from : protocols.places(0))
      for (const std::string& to : protocols.places(1)) {
        Buffer b{Bytes::zero(), 8_B, from, way, to};
        try {
          if (way.empty())
            library.check_message(0, 1, b);
          else
            library.check(0, 1, b);
        } catch (const config::ConfigError&) {
          continue;
        }
        add(out, protocols, b);
      }
  return out;
}

/// Sends them one after the other, each when its receive has long been posted.
void send_all(ProgramBench& b, std::vector<Sample>& all) {
  const Buffer nothing{};
  constexpr int data = 0, ready = 1, over = 2;
  b.program(0, [&](Rank& r) {
    for (Sample& s : all) {
      const bool direct = !s.what.method.empty();
      if (!direct || b.library().has_messages()) r.world().recv(1, ready, nothing);
      r.compute(300_us);
      const comm::Accounts before = b.library().accounts();
      if (direct)
        r.send(1, s.what);
      else
        r.world().send(1, data, s.what);
      if (direct && !b.library().has_messages())
        r.compute(1_ms);
      else
        r.world().recv(1, over, nothing);
      const comm::Accounts& after = b.library().accounts();
      s.by_core = after.copies(Copier::core).bytes - before.copies(Copier::core).bytes;
      s.by_dma = after.copies(Copier::dma).bytes - before.copies(Copier::dma).bytes;
    }
  });
  b.program(1, [&](Rank& r) {
    for (const Sample& s : all) {
      const bool direct = !s.what.method.empty();
      Buffer into = s.what;
      if (direct) {
        if (b.library().has_messages()) r.world().send(0, ready, nothing);
        r.recv(0, into);
      } else {
        into.place = s.what.target;
        const comm::Request posted = r.world().irecv(0, data, into);
        r.world().send(0, ready, nothing);
        r.world().wait_all({posted});
      }
      if (b.library().has_messages()) r.world().send(0, over, nothing);
    }
  });
  b.run();
}

/// In a process of its own: how many messages went as the table says, "12"; else what went otherwise.
std::string sent(const std::string& run, const Overrides& overrides = {}) {
  return in_child([&] {
    ProgramBench b(run, overrides);
    std::vector<Sample> all = samples_of(b.library());
    send_all(b, all);
    for (const Sample& s : all)
      if (s.by_core != s.what.size * s.protocol.by_core || s.by_dma != s.what.size * s.protocol.by_dma)
        return fmt::format("{} B \"{}\" from \"{}\" to \"{}\", {}: {} B by cores, {} B by DMA", s.what.size.count(),
                           s.what.method, s.what.place, s.what.target, s.protocol.name, s.by_core.count(),
                           s.by_dma.count());
    return std::to_string(all.size());
  });
}

/// At least so many, all as the table says.
void all_as_told(std::size_t least, const std::string& run, const Overrides& overrides = {}) {
  CAPTURE(run);
  for (const config::Override& o : overrides) UNSCOPED_INFO(o.pointer << "=" << o.value);
  const std::string count = sent(run, overrides);
  REQUIRE(count.find_first_not_of("0123456789") == std::string::npos);
  CHECK(std::stoul(count) >= least);
}

}  // namespace

TEST_CASE("protocols: MPI between host memories copies what its table says") {
  all_as_told(5, "mpi_latency");
  all_as_told(5, "mpi_latency", {{"/library/rendezvous", "\"rget\""}});
  all_as_told(5, "mpi_latency", {{"/library/rendezvous", "\"r3\""}});
  all_as_told(5, "mpi_latency", {{"/library/eager_limit", "\"1 KiB\""}});  // some go in pieces, others by RPUT
}

TEST_CASE("protocols: MPI with GPUs copies what its table says, by each of its limits") {
  all_as_told(20, "mpi_gpu_ping_pong");
  all_as_told(20, "mpi_gpu_ping_pong", {{"/library/gpu/pinned_eager", "false"}});
  all_as_told(20, "mpi_gpu_ping_pong", {{"/library/rendezvous", "\"rget\""}});
  all_as_told(20, "mpi_gpu_ping_pong", {{"/library/rendezvous", "\"r3\""}});
  all_as_told(20, "mpi_gdr_ping_pong");
  all_as_told(20, "mpi_gdr_ping_pong", {{"/library/rendezvous", "\"rget\""}});
  all_as_told(20, "mpi_gdr_ping_pong", {{"/library/rendezvous", "\"r3\""}});
  all_as_told(20, "mpi_gdrcopy_ping_pong");
  all_as_told(20, "mpi_gdrcopy_ping_pong", {{"/library/gpu/direct_limit", "\"64 KiB\""}});
}

TEST_CASE("protocols: other libraries copy what their tables say") {
  all_as_told(10, "tca_pio_ping_pong");
  all_as_told(5, "ib_write_lat");
  all_as_told(3, "hitachi_mpi_ping_pong");
  all_as_told(3, "hitachi_mpi_ping_pong", {{"/library/rdma", "false"}});
  all_as_told(1, "fmpl_ping_pong");
  all_as_told(3, "blacs_mpi_ping_pong");
  all_as_told(1, "blacs_fmpl_ping_pong");
  all_as_told(1, "crossbar_matrix");
}

}  // namespace protocols_test
