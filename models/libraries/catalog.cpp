// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/catalog.hpp"

#include <stdexcept>

#include "models/libraries/blacs/blacs.hpp"
#include "models/libraries/combined/combined.hpp"
#include "models/libraries/cuda/cuda.hpp"
#include "models/libraries/datagram/datagram.hpp"
#include "models/libraries/exerciser/exerciser_library.hpp"
#include "models/libraries/fmpl/fmpl.hpp"
#include "models/libraries/fpga_dma/fpga_dma.hpp"
#include "models/libraries/gdrcopy/gdrcopy.hpp"
#include "models/libraries/hitachi_mpi/hitachi_mpi.hpp"
#include "models/libraries/mpi/mpi.hpp"
#include "models/libraries/opencl_cuda/opencl_cuda.hpp"
#include "models/libraries/sr8000/combuf.hpp"
#include "models/libraries/tca/tca.hpp"
#include "models/libraries/verbs/verbs.hpp"

namespace tsunagi::libraries {

const std::vector<Library>& catalog() {
  static const std::vector<Library> all = {
      {config::kind<TcaConfig>("tca", "TCA user library: puts over PEACH2, polled"), make_tca},
      {config::kind<CudaConfig>("cuda", "CUDA within a node: copies between GPUs, a rank each, by their copy engines"),
       make_cuda},
      {config::kind<FpgaDmaConfig>("fpga_dma", "an FPGA's kernel copies to and from GPUs by the card's DMA engine"),
       make_fpga_dma},
      {config::kind<OpenClCudaConfig>("opencl_cuda", "a core copies between FPGA and GPU: OpenCL, then cudaMemcpy"),
       make_opencl_cuda},
      {config::kind<GdrCopyConfig>("gdrcopy", "a core copies between host memory and a GPU's window, as GDRCopy"),
       make_gdrcopy},
      {config::kind<ExerciserLibraryConfig>(
           "exerciser", "PCIe exercisers that write to a memory or to each other, or do DMA on host memory"),
       make_exerciser_library},
      {config::kind<VerbsConfig>("verbs", "InfiniBand verbs: writes, sends and reads between host memories"),
       make_verbs, [](const config::AnyConfig& c, const topo::Graph& g) { return oddities(c.as<VerbsConfig>(), g); }},
      {config::kind<MpiConfig>("mpi", "MPI over InfiniBand, as MVAPICH2: two-sided messages between host memories"),
       make_mpi, [](const config::AnyConfig& c, const topo::Graph& g) { return oddities(c.as<MpiConfig>(), g); }},
      {config::kind<ComBufConfig>("combuf", "remote DMA of the SR8000: transfer control words that are used again"),
       make_combuf},
      {config::kind<FmplConfig>("fmpl", "FMPL of the SR8000: messages that meet at their sender, by remote DMA"),
       make_fmpl},
      {config::kind<HitachiMpiConfig>("hitachi_mpi", "Hitachi's MPI of the SR8000, over remote DMA"), make_hitachi_mpi},
      {config::kind<BlacsConfig>("blacs", "BLACS over another library: areas of matrices, packed where that needs it"),
       make_blacs},
      {config::kind<CombinedConfig>("combined", "two libraries in one run: one of halo exchanges, one of the rest"),
       make_combined},
      {config::kind<DatagramConfig>("datagram", "messages between terminals, without any software cost"),
       make_datagram},
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
