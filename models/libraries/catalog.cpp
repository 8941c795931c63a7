// SPDX-License-Identifier: Apache-2.0
// The libraries. To add one: write models/libraries/foo/foo.cpp, which ends with its entry, then two lines here.
#include "models/libraries/catalog.hpp"

#include <stdexcept>

namespace tsunagi::libraries {

Library tca_library();
Library cuda_library();
Library fpga_dma_library();
Library opencl_cuda_library();
Library gdrcopy_library();
Library exerciser_library();
Library verbs_library();
Library mpi_library();
Library combuf_library();
Library fmpl_library();
Library hitachi_mpi_library();
Library blacs_library();
Library combined_library();
Library datagram_library();

const std::vector<Library>& catalog() {
  static const std::vector<Library> all = {
      tca_library(),         cuda_library(),  fpga_dma_library(), opencl_cuda_library(), gdrcopy_library(),
      exerciser_library(),   verbs_library(), mpi_library(),      combuf_library(),      fmpl_library(),
      hitachi_mpi_library(), blacs_library(), combined_library(), datagram_library(),
  };
  return all;
}

const Library& entry(const config::AnyConfig& c) {
  for (const Library& l : catalog())
    if (l.kind.name == c.kind()) return l;
  throw std::logic_error("library kind without a builder: " + c.kind());
}

std::unique_ptr<comm::Communicator> build(const config::AnyConfig& c, Machine& m) { return entry(c).build(c, m); }

}  // namespace tsunagi::libraries
