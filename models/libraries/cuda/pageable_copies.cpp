// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/cuda/pageable_copies.hpp"

#include <algorithm>

namespace tsunagi::libraries {

using gpu::Aperture;
using gpu::CopyCommand;

void PageableCopies::await_staging(Fiber& f, std::int64_t i) {
  std::optional<CudaDriver::Started>& user = used_[static_cast<std::size_t>(i % 2)];
  if (user) driver_.wait(f, *user);
  user.reset();
}

void PageableCopies::await_all(Fiber& f) {
  for (const std::int64_t i : {0, 1}) await_staging(f, i);
}

void PageableCopies::to_gpu(Fiber& f, const gpu::Gpu& gpu, std::uint64_t in_gpu, std::uint64_t host, Bytes n) {
  driver_.call(f);
  await_all(f);
  const Bytes chunk = driver_.config().chunk;
  const std::int64_t chunks = units_of(n, chunk);
  for (std::int64_t i = 0; i < chunks; ++i) {
    const Bytes piece = std::min(chunk, n - chunk * i);
    await_staging(f, i);
    step_.copied(comm::Copier::core, piece, i == 0 ? 1 : 0);
    core_.copy(f, memory_, staging(i), host + unsigned_of(chunk * i), piece);
    step_.copied(comm::Copier::dma, piece, i == 0 ? 1 : 0);
    CopyCommand what;
    what.source = staging(i);
    what.destination = in_gpu + unsigned_of(chunk * i);
    what.length = piece;
    what.from = Aperture::host;
    what.to = Aperture::local;
    used_[static_cast<std::size_t>(i % 2)] = driver_.start_by_default(f, gpu, what);
  }
  driver_.finish(f);
}

void PageableCopies::from_gpu(Fiber& f, const gpu::Gpu& gpu, std::uint64_t in_gpu, std::uint64_t host, Bytes n) {
  driver_.call(f);
  await_all(f);
  const Bytes chunk = driver_.config().chunk;
  const std::int64_t chunks = units_of(n, chunk);
  const auto piece = [&](std::int64_t i) { return std::min(chunk, n - chunk * i); };
  const auto start = [&](std::int64_t i) {
    step_.copied(comm::Copier::dma, piece(i), i == 0 ? 1 : 0);
    CopyCommand what;
    what.source = in_gpu + unsigned_of(chunk * i);
    what.destination = staging(i);
    what.length = piece(i);
    what.from = Aperture::local;
    what.to = Aperture::host;
    return driver_.start_by_default(f, gpu, what);
  };
  CudaDriver::Started next = start(0);
  for (std::int64_t i = 0; i < chunks; ++i) {
    const CudaDriver::Started arriving = next;
    if (i + 1 < chunks) next = start(i + 1);  // into the buffer that was emptied last
    driver_.wait(f, arriving);
    step_.copied(comm::Copier::core, piece(i), i == 0 ? 1 : 0);
    core_.copy(f, memory_, host + unsigned_of(chunk * i), staging(i), piece(i));
  }
  driver_.finish(f);
}

}  // namespace tsunagi::libraries
