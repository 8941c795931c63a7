// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/firmware/command_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace tsunagi::infiniband {

std::array<std::uint8_t, 64> encode(const Command& c) {
  std::array<std::uint8_t, 64> b{};
  b[0] = static_cast<std::uint8_t>(c.code);
  b[1] = static_cast<std::uint8_t>(c.of);
  flow::write_word(&b[8], c.first, 4);
  flow::write_word(&b[12], c.count, 4);
  flow::write_word(&b[16], c.contexts, 8);
  flow::write_word(&b[24], c.done, 8);
  flow::write_word(&b[32], c.stable, 8);
  flow::write_word(&b[40], c.tag, 8);
  return b;
}

Command decode_command(const std::uint8_t* b) {
  Command c;
  c.code = static_cast<Command::Code>(b[0]);
  c.of = static_cast<Command::Of>(b[1]);
  c.first = static_cast<std::uint32_t>(flow::read_word(b + 8, 4));
  c.count = static_cast<std::uint32_t>(flow::read_word(b + 12, 4));
  c.contexts = flow::read_word(b + 16, 8);
  c.done = flow::read_word(b + 24, 8);
  c.stable = flow::read_word(b + 32, 8);
  c.tag = flow::read_word(b + 40, 8);
  return c;
}

CommandUnit::CommandUnit(net::Device& card, flow::PacketPool& pool, dma::Port& port, firmware::Processor& processor,
                         RequestScheduler& scheduler, Queues& queues, const Config& c)
    : card_(card), pool_(pool), port_(port), processor_(processor), scheduler_(scheduler), queues_(queues), config_(c) {
  scheduler.set_observer(*this);
}

void CommandUnit::told(std::uint64_t at, const net::Cause& by) {
  commands_.push_back({at, by});
  if (commands_.size() == 1) read();
}

/// Behind what the card has written before, so that software that has seen a command done has that, too.
void CommandUnit::read() {
  const Told& t = commands_.front();
  port_.read_behind(*this, command_token, t.at, Command::size,
                    {std::max(t.by.when, now()), t.by, net::Stage::pipeline, "command"});
}

void CommandUnit::data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) {
  if (token == command_token)
    decoded(bytes, last);
  else
    restored(static_cast<std::uint32_t>(token - first_context_token), bytes, last);
}

net::Wait CommandUnit::run(const net::Wait& ready, int cycles, const char* work) {
  return processor_.run({std::max(ready.until, now()), ready.since, ready.stage, ready.what}, cycles, work);
}

void CommandUnit::decoded(const flow::Contents& bytes, const net::Cause& last) {
  std::array<std::uint8_t, 64> all{};
  if (bytes) bytes.copy(Bytes::zero(), Command::size, all.data());
  command_ = decode_command(all.data());
  const Command& c = command_;
  const auto fail = [this](const std::string& what) { throw std::runtime_error(card_.name() + ": " + what); };
  if (c.code < Command::Code::stop || c.code > Command::Code::restore) fail("there is no such command");
  const std::int64_t end = std::int64_t{c.first} + c.count;
  if (c.count == 0 || end > queues_.count(c.of))
    fail(fmt::format("a command for queues {} to {}, of which there are {}", c.first, end - 1, queues_.count(c.of)));
  if (c.code <= Command::Code::start && c.of != Command::Of::queue_pairs)
    fail("only queue pairs are stopped and started");
  const bool state = c.code <= Command::Code::reset;
  const int words = state ? static_cast<int>((c.count + 31) / 32) : 0;
  ready_ = run({last.when, last, net::Stage::pipeline, "command read"},
               config_.command_cycles + config_.range_cycles * words, "command");
  card_.simulation().agenda().arm(alarm_, ready_.until);
}

void CommandUnit::carry_out() {
  switch (command_.code) {
    case Command::Code::stop:
      return stop();
    case Command::Code::start:
      return start();
    case Command::Code::save:
      return save();
    case Command::Code::restore:
      return restore();
    case Command::Code::reset:
      for (std::uint32_t i = 0; i < command_.count; ++i) queues_.reset(command_.of, command_.first + i);
      done(ready_);
  }
}

void CommandUnit::stop() {
  const Command c = command_;
  if (const int left = scheduler_.stop(c.first, c.count); left > 0)
    stopping_.push_back({c, left});
  else
    answer(c.stable, c.tag, ready_);
  done(ready_);
}

void CommandUnit::stable(std::uint32_t queue_pair, const net::Cause& by) {
  for (Stopping& s : stopping_)
    if (queue_pair - s.what.first < s.what.count && --s.left == 0)
      answer(s.what.stable, s.what.tag, {std::max(by.when, now()), by, net::Stage::pipeline, "nothing is under way"});
  stopping_.erase(std::remove_if(stopping_.begin(), stopping_.end(), [](const Stopping& s) { return s.left == 0; }),
                  stopping_.end());
}

void CommandUnit::start() {
  for (std::uint32_t i = 0; i < command_.count; ++i) queues_.check_start(command_.first + i);
  scheduler_.start(command_.first, command_.count, ready_.since);
  done(ready_);
}

void CommandUnit::save() {
  net::Wait w = ready_;
  for (std::uint32_t i = 0; i < command_.count; i += per_burst()) {
    const std::uint32_t n = std::min(per_burst(), command_.count - i);
    flow::Contents contents;
    for (std::uint32_t k = 0; k < n; ++k) {
      const auto bytes = encode(queues_.save(command_.of, command_.first + i + k));
      contents.add(pool_.contents(), config_.context_size * k, {bytes.data(), bytes.size()});
    }
    w = run(w, config_.context_cycles * static_cast<int>(n), "contexts gathered");
    write(command_.contexts + unsigned_of(config_.context_size) * i, config_.context_size * n, std::move(contents), w);
  }
  done(w);
}

void CommandUnit::restore() {
  to_restore_ = command_.count;
  for (std::uint32_t i = 0; i < command_.count; i += per_burst())
    port_.read(*this, first_context_token + i, command_.contexts + unsigned_of(config_.context_size) * i,
               config_.context_size * std::min(per_burst(), command_.count - i), ready_);
}

void CommandUnit::restored(std::uint32_t from, const flow::Contents& bytes, const net::Cause& last) {
  const std::uint32_t n = std::min(per_burst(), command_.count - from);
  for (std::uint32_t k = 0; k < n; ++k) {
    std::array<std::uint8_t, 8 * SavedContext::words> one{};
    if (!bytes) throw std::runtime_error(card_.name() + ": contexts that nobody has saved are to be restored");
    bytes.copy(config_.context_size * k, SavedContext::size, one.data());
    queues_.restore(command_.of, command_.first + from + k, decode_saved_context(one.data()));
  }
  to_restore_ -= n;
  const net::Wait w = run({last.when, last, net::Stage::pipeline, "contexts read"},
                          config_.context_cycles * static_cast<int>(n), "contexts put in place");
  if (to_restore_ == 0) done(w);
}

void CommandUnit::done(const net::Wait& w) {
  answer(command_.done, command_.tag, w);
  commands_.pop_front();
  if (!commands_.empty()) read();
}

void CommandUnit::answer(std::uint64_t at, std::uint64_t tag, const net::Wait& w) {
  flow::Contents contents;
  contents.add(pool_.contents(), Bytes::zero(), flow::WordBytes(tag));
  write(at, 8_B, std::move(contents), w);
}

/// Behind completions that the card has written of what it had sent.
void CommandUnit::write(std::uint64_t at, Bytes n, flow::Contents contents, const net::Wait& w) {
  dma::Port::Write data;
  data.address = at;
  data.size = n;
  data.contents = std::move(contents);
  port_.write(config_.writer, std::move(data), w);
}

}  // namespace tsunagi::infiniband
