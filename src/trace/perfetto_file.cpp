// SPDX-License-Identifier: Apache-2.0
#include "trace/perfetto_file.hpp"

#include <array>
#include <istream>
#include <iterator>
#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

namespace tsunagi::trace {
namespace {

using protozero::pbf_writer;

// Numbers of fields, as Perfetto's reference of trace packets gives them (trace_packet.proto and what it includes).
constexpr std::uint32_t trace_packet = 1;
namespace packet_field {
constexpr std::uint32_t timestamp = 8;
constexpr std::uint32_t trusted_packet_sequence_id = 10;
constexpr std::uint32_t track_event = 11;
constexpr std::uint32_t interned_data = 12;
constexpr std::uint32_t sequence_flags = 13;
constexpr std::uint32_t track_descriptor = 60;
}  // namespace packet_field
namespace event_field {
constexpr std::uint32_t debug_annotations = 4;
constexpr std::uint32_t type = 9;
constexpr std::uint32_t name_iid = 10;
constexpr std::uint32_t track_uuid = 11;
constexpr std::uint32_t extra_counter_values = 12;
constexpr std::uint32_t counter_value = 30;
constexpr std::uint32_t extra_counter_track_uuids = 31;
}  // namespace event_field
namespace annotation_field {
constexpr std::uint32_t name_iid = 1;
constexpr std::uint32_t int_value = 4;
constexpr std::uint32_t string_value_iid = 17;
}  // namespace annotation_field
namespace track_field {
constexpr std::uint32_t uuid = 1;
constexpr std::uint32_t name = 2;
constexpr std::uint32_t parent_uuid = 5;
constexpr std::uint32_t counter = 8;
constexpr std::uint32_t child_ordering = 11;
constexpr std::uint32_t sibling_order_rank = 12;
constexpr std::uint32_t description = 14;
}  // namespace track_field
namespace interned_field {
constexpr std::uint32_t event_names = 2;
constexpr std::uint32_t debug_annotation_names = 3;
constexpr std::uint32_t debug_annotation_string_values = 29;
constexpr std::uint32_t iid = 1;
constexpr std::uint32_t name = 2;
}  // namespace interned_field

enum Type : std::uint32_t { slice_begin = 1, slice_end = 2, value_of_counter = 4 };
constexpr std::uint32_t state_cleared = 1;
constexpr std::uint32_t needs_state = 2;
constexpr std::int32_t explicit_order = 3;

constexpr std::uint32_t sequence = 1;

constexpr const char* note_names[] = {"item",          "parent",       "source",        "waited_fs", "lacked",
                                      "payload_bytes", "header_bytes", "framing_bytes", "peer",      "bytes",
                                      "method",        "algorithm",    "number",        "ranks",     "root"};

/// The first packet of every file: that this sequence begins here.
constexpr std::string_view first_packet = "\x0a\x04\x50\x01\x68\x01";

std::uint64_t whole_ns(Time t) { return static_cast<std::uint64_t>(t.fs() / 1'000'000); }

/// The number that begins at `in`; nothing: it is not whole, or none.
std::optional<std::uint64_t> varint(std::istream& in, std::size_t& size) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const int c = in.get();
    if (c == std::istream::traits_type::eof()) return std::nullopt;
    ++size;
    value |= static_cast<std::uint64_t>(c & 0x7f) << shift;
    if ((c & 0x80) == 0) return value;
  }
  return std::nullopt;
}

/// Where the last whole packet ends.
std::optional<Ending> ending_of_perfetto(std::istream& file) {
  constexpr std::uint64_t tag = trace_packet << 3 | 2;
  Ending ending;
  while (true) {
    std::size_t size = 0;
    if (varint(file, size) != tag) return ending;
    const auto length = varint(file, size);
    if (!length) return ending;
    file.ignore(static_cast<std::streamsize>(*length));
    if (static_cast<std::uint64_t>(file.gcount()) != *length) return ending;
    ending.keep += size + *length;
  }
}

/// Writes fields one behind another where there is room for them, of an event: a million times a second.
class Fields {
 public:
  /// Room that an event takes, or less. What it consists of is shorter than 128 bytes, so that its length is one.
  static constexpr std::size_t most = 128;

  explicit Fields(char* at) : at_(at) {}

  template <std::uint32_t field>
  void number(std::uint64_t value) {
    tag<field, protozero::pbf_wire_type::varint>();
    at_ += protozero::write_varint(at_, value);
  }
  /// Begins a message, which `close` ends.
  template <std::uint32_t field>
  char* open() {
    tag<field, protozero::pbf_wire_type::length_delimited>();
    return at_++;
  }
  void close(char* message) { *message = static_cast<char>(at_ - message - 1); }
  char* at() const { return at_; }

 private:
  template <std::uint32_t field, protozero::pbf_wire_type type>
  void tag() {
    at_ += protozero::write_varint(at_, field << 3 | static_cast<std::uint32_t>(type));
  }

  char* at_;
};

/// An event's packet; `fill` adds what it says of `track`.
template <class Fill>
char* add_event(char* at, Time when, Type type, std::uint64_t track, bool needs_names, Fill fill) {
  Fields fields(at);
  char* const packet = fields.open<trace_packet>();
  fields.number<packet_field::timestamp>(whole_ns(when));
  fields.number<packet_field::trusted_packet_sequence_id>(sequence);
  if (needs_names) fields.number<packet_field::sequence_flags>(needs_state);
  char* const event = fields.open<packet_field::track_event>();
  fields.number<event_field::type>(type);
  fields.number<event_field::track_uuid>(track);
  fill(fields);
  fields.close(event);
  fields.close(packet);
  return fields.at();
}

void add_note(Fields& to, const PerfettoFile::Said& note) {
  char* const annotation = to.open<event_field::debug_annotations>();
  to.number<annotation_field::name_iid>(static_cast<std::uint64_t>(note.what));
  if (note.text != 0)
    to.number<annotation_field::string_value_iid>(note.text);
  else
    to.number<annotation_field::int_value>(static_cast<std::uint64_t>(note.number));
  to.close(annotation);
}

// Two fields of a packet's own, its time, those of an event, and notes of at most 16 bytes each.
static_assert(2 + 11 + 2 + 2 + 2 + 2 + 11 + 11 + 16 * PerfettoFile::most_notes < Fields::most);
static_assert(2 + 11 + 2 + 2 + 2 + 11 + 12 + 12 + 11 < Fields::most);  // two counters

void add_interned(std::string& to, std::uint32_t field, std::uint64_t number, std::string_view text) {
  std::string entry;
  pbf_writer writer(entry);
  writer.add_uint64(interned_field::iid, number);
  writer.add_string(interned_field::name, text.data(), text.size());
  pbf_writer(to).add_message(field, entry);
}

}  // namespace

const Mending perfetto_mending{first_packet, nullptr, ending_of_perfetto};

PerfettoFile::PerfettoFile(Output& output, const std::string& version) : output_(output) { begin(version); }

void PerfettoFile::begin(const std::string& version) {
  output_.add_frame(first_packet);
  message_.clear();
  for (std::size_t i = 0; i < std::size(note_names); ++i)
    add_interned(message_, interned_field::debug_annotation_names, i + 1, note_names[i]);
  packet(packet_field::interned_data, true);
  message_.clear();
  pbf_writer root(message_);
  root.add_uint64(track_field::uuid, 0);
  root.add_enum(track_field::child_ordering, explicit_order);
  root.add_string(track_field::description, "tsunagi " + version);
  packet(packet_field::track_descriptor, false);
  output_.add_frame(record_);
  record_.clear();
}

PerfettoFile::Track PerfettoFile::add_track(Track parent, std::string_view name, int rank) {
  message_.clear();
  pbf_writer track(message_);
  track.add_uint64(track_field::uuid, ++tracks_);
  track.add_string(track_field::name, name.data(), name.size());
  if (parent != 0) track.add_uint64(track_field::parent_uuid, parent);
  track.add_enum(track_field::child_ordering, explicit_order);
  track.add_int32(track_field::sibling_order_rank, rank);
  packet(packet_field::track_descriptor, false);
  return tracks_;
}

PerfettoFile::Track PerfettoFile::add_counter(Track parent, std::string_view name, int rank) {
  message_.clear();
  pbf_writer track(message_);
  track.add_uint64(track_field::uuid, ++tracks_);
  track.add_string(track_field::name, name.data(), name.size());
  track.add_uint64(track_field::parent_uuid, parent);
  track.add_message(track_field::counter, std::string());
  track.add_int32(track_field::sibling_order_rank, rank);
  packet(packet_field::track_descriptor, false);
  return tracks_;
}

PerfettoFile::Name PerfettoFile::name(std::string_view text) {
  return interned(names_, interned_field::event_names, text);
}

PerfettoFile::Name PerfettoFile::name_of_literal(const char* text) {
  const auto found = literals_.find(text);
  return found != literals_.end() ? found->second : literals_.emplace(text, name(text)).first->second;
}

PerfettoFile::Name PerfettoFile::text(std::string_view said) {
  return said.empty() ? 0 : interned(texts_, interned_field::debug_annotation_string_values, said);
}

PerfettoFile::Name PerfettoFile::interned(Numbers& known, std::uint32_t field, std::string_view text) {
  const auto [place, is_new] = known.try_emplace(std::string(text), known.size() + 1);
  if (is_new) {
    message_.clear();
    add_interned(message_, field, place->second, text);
    packet(packet_field::interned_data, true);
  }
  return place->second;
}

void PerfettoFile::span(Track track, Name name, Time begin, Time end, Notes notes) {
  std::array<char, 2 * Fields::most> events;
  char* at = add_event(events.data(), begin, slice_begin, track, true, [&](Fields& fields) {
    fields.number<event_field::name_iid>(name);
    for (const Said& note : notes)
      if (note.number >= 0 || note.text != 0) add_note(fields, note);
  });
  at = add_event(at, end, slice_end, track, false, [](Fields&) {});
  write({events.data(), static_cast<std::size_t>(at - events.data())}, begin);
}

void PerfettoFile::counter(Track track, Time when, std::int64_t value) {
  std::array<char, Fields::most> event;
  char* const at = add_event(event.data(), when, value_of_counter, track, false, [&](Fields& fields) {
    fields.number<event_field::counter_value>(static_cast<std::uint64_t>(value));
  });
  write({event.data(), static_cast<std::size_t>(at - event.data())}, when);
}

void PerfettoFile::counters(Track track, std::int64_t value, Track other, std::int64_t other_value, Time when) {
  std::array<char, Fields::most> event;
  char* const at = add_event(event.data(), when, value_of_counter, track, false, [&](Fields& fields) {
    fields.number<event_field::counter_value>(static_cast<std::uint64_t>(value));
    fields.number<event_field::extra_counter_track_uuids>(other);
    fields.number<event_field::extra_counter_values>(static_cast<std::uint64_t>(other_value));
  });
  write({event.data(), static_cast<std::size_t>(at - event.data())}, when);
}

void PerfettoFile::packet(std::uint32_t field, bool needs_names) {
  std::string packet;
  pbf_writer writer(packet);
  writer.add_uint32(packet_field::trusted_packet_sequence_id, sequence);
  if (needs_names) writer.add_uint32(packet_field::sequence_flags, needs_state);
  writer.add_message(field, message_);
  pbf_writer(record_).add_message(trace_packet, packet);
}

void PerfettoFile::write(std::string_view events, Time when) {
  if (record_.empty()) {
    output_.add(events, when);
    return;
  }
  record_ += events;
  output_.add(record_, when);
  record_.clear();
}

}  // namespace tsunagi::trace
