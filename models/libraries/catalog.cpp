// SPDX-License-Identifier: Apache-2.0
// The libraries. To add one: write models/libraries/foo/foo.cpp, which ends with its entry, then two lines here.
#include "models/libraries/catalog.hpp"

#include <stdexcept>

namespace tsunagi::libraries {

LibraryKind tca_library();
LibraryKind cuda_library();
LibraryKind gpu_ring_library();
LibraryKind fpga_dma_library();
LibraryKind opencl_cuda_library();
LibraryKind gdrcopy_library();
LibraryKind exerciser_library();
LibraryKind verbs_library();
LibraryKind mpi_library();
LibraryKind combuf_library();
LibraryKind fmpl_library();
LibraryKind hitachi_mpi_library();
LibraryKind blacs_library();
LibraryKind combined_library();
LibraryKind lanai_library();
LibraryKind mpich_score_library();
LibraryKind pm_library();
LibraryKind pm_ethernet_library();
LibraryKind pm_myrinet_library();
LibraryKind datagram_library();
LibraryKind ethernet_datagram_library();

const std::vector<LibraryKind>& catalog() {
  static const std::vector<LibraryKind> all = {
      tca_library(),
      cuda_library(),
      gpu_ring_library(),
      fpga_dma_library(),
      opencl_cuda_library(),
      gdrcopy_library(),
      exerciser_library(),
      verbs_library(),
      mpi_library(),
      combuf_library(),
      fmpl_library(),
      hitachi_mpi_library(),
      blacs_library(),
      combined_library(),
      mpich_score_library(),
      pm_library(),
      pm_ethernet_library(),
      pm_myrinet_library(),
      lanai_library(),
      datagram_library(),
      ethernet_datagram_library(),
  };
  return all;
}

const LibraryKind& entry(const config::AnyConfig& c) {
  for (const LibraryKind& l : catalog())
    if (l.kind.name == c.kind()) return l;
  throw std::logic_error("library kind without a builder: " + c.kind());
}

std::unique_ptr<comm::Library> build(const config::AnyConfig& c, Machine& m) { return entry(c).build(c, m); }

}  // namespace tsunagi::libraries
