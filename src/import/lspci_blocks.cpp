// SPDX-License-Identifier: Apache-2.0
#include "import/lspci_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "import/pci.hpp"

namespace tsunagi::importing {

namespace {

constexpr std::size_t most_functions = 65'536;

bool has(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }
bool begins(std::string_view text, std::string_view what) { return text.substr(0, what.size()) == what; }

/// What stands behind `key`, up to one of `ends`; empty: there is no such key.
std::string_view behind(std::string_view text, std::string_view key, std::string_view ends = ", ") {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + key.size());
  return rest.substr(0, std::min(rest.find_first_of(ends), rest.size()));
}

/// Classes that machines have parts for, by the names of the PCI ID Repository.
int class_of(std::string_view text) {
  static const std::vector<std::pair<std::string_view, int>> names{{"PCI bridge", 0x0604},
                                                                   {"3D controller", 0x0302},
                                                                   {"VGA compatible controller", 0x0300},
                                                                   {"Display controller", 0x0380},
                                                                   {"Infiniband controller", 0x0207},
                                                                   {"InfiniBand controller", 0x0207},
                                                                   {"Ethernet controller", 0x0200},
                                                                   {"Network controller", 0x0280},
                                                                   {"Non-Volatile memory controller", 0x0108},
                                                                   {"Processing accelerators", 0x1200}};
  long code = 0;
  if (!text.empty() && text.back() == ']' && text.rfind('[') != std::string_view::npos &&
      parse_number(text.substr(text.rfind('[') + 1, text.size() - text.rfind('[') - 2), 16, 0, 0xffff, code))
    return static_cast<int>(code) << 8;
  const std::string_view number = begins(text, "Class ") ? text.substr(6) : text;
  constexpr std::size_t digits = 4;
  if (number.size() == digits && parse_number(number, 16, 0, 0xffff, code)) return static_cast<int>(code) << 8;
  for (const auto& [name, value] : names)
    if (begins(text, name)) return value << 8;
  return -1;
}

/// "10de:20b0", alone or the last in brackets; else what the name says of them.
void read_ids(std::string_view text, PciFunction& f) {
  constexpr std::size_t length = 9;
  const auto take = [&](std::string_view ids) {
    long vendor = 0, device = 0;
    if (ids.size() != length || ids[4] != ':' || !parse_number(ids.substr(0, 4), 16, 0, 0xffff, vendor) ||
        !parse_number(ids.substr(5), 16, 0, 0xffff, device))
      return false;
    f.vendor = static_cast<int>(vendor);
    f.device = static_cast<int>(device);
    return true;
  };
  if (take(text.substr(0, std::min(text.find(' '), text.size())))) return;
  for (std::size_t at = text.rfind('['); at != std::string_view::npos && at > 0; at = text.rfind('[', at - 1))
    if (take(text.substr(at + 1, std::min(length, text.size() - at - 1)))) return;
  constexpr int amd_processors = 0x1022;
  for (const auto& [name, vendor] :
       {std::pair("NVIDIA", 0x10de), std::pair("Mellanox", 0x15b3), std::pair("Advanced Micro Devices", 0x1002),
        std::pair("Intel", 0x8086), std::pair("Broadcom / LSI", 0x1000), std::pair("PLX", 0x10b5)})
    if (begins(text, name)) f.vendor = has(text, "[AMD]") ? amd_processors : vendor;
  // What the names' list of that time did not have: "NVIDIA Corporation Device 2330 (rev a1)".
  const std::string_view number = behind(text, " Device ", " ");
  constexpr std::size_t digits = 4;
  long device = 0;
  if (number.size() == digits && parse_number(number, 16, 0, 0xffff, device)) f.device = static_cast<int>(device);
}

class BlockReader {
 public:
  BlockReader(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  std::vector<PciFunction> read() {
    for (number_ = 1; number_ <= source_.line_count() && !findings_.is_full(); ++number_) {
      const std::string_view line = source_.line_text(number_);
      if (trimmed(line).empty() || line.front() == '#') continue;
      if (line.front() == ' ' || line.front() == '\t')
        read_detail(trimmed(line));
      else
        read_head(line);
      if (functions_.size() > most_functions) {
        fail(fmt::format("more than {} functions", most_functions));
        break;
      }
    }
    return std::move(functions_);
  }

 private:
  void fail(std::string text) { findings_.fail(source_.line(number_), std::move(text)); }

  void read_head(std::string_view line) {
    const std::string_view address = line.substr(0, std::min(line.find(' '), line.size()));
    PciFunction f;
    f.place = source_.line(number_);
    if (!read_pci_address(address, f.address)) {
      fail(fmt::format("\"{}\" is no PCI address, by which a device begins (41:00.0)", comment(address)));
      return;
    }
    long bus = 0;
    parse_number(std::string_view(f.address).substr(0, f.address.find(':')), 16, 0, 0xffffffffL, f.domain);
    parse_number(std::string_view(f.address).substr(f.address.find(':') + 1, 2), 16, 0, 0xff, bus);
    f.bus = static_cast<int>(bus);
    const std::string_view rest = trimmed(line.substr(address.size()));
    const std::size_t colon = rest.find(": ");
    f.class_code = class_of(rest.substr(0, std::min(colon, rest.size())));
    const std::string_view model = colon == std::string_view::npos ? "" : trimmed(rest.substr(colon + 2));
    f.model = model;
    read_ids(model, f);
    functions_.push_back(std::move(f));
  }

  void read_detail(std::string_view line) {
    if (functions_.empty()) return fail("a line of a device before any device");
    PciFunction& f = functions_.back();
    if (begins(line, "NUMA node:"))
      read_number(behind(line, "NUMA node:", ""), 10, -1, 4096, "NUMA node", f.numa);
    else if (begins(line, "Bus: "))
      read_buses(line, f);
    else if (begins(line, "Capabilities: <access denied>"))
      f.is_denied = true;
    else if (begins(line, "Capabilities: ") && has(line, "] Express ("))
      f.express = trimmed(behind(line.substr(line.find("] Express (")), ") ", "(,"));
    else if (begins(line, "LnkCap:"))
      read_link(line, f.capability);
    else if (begins(line, "LnkSta:"))
      read_link(line, f.status);
    else if (begins(line, "ACSCtl:")) {
      f.acs = source_.line(number_);
      f.redirects = has(line, "ReqRedir+");
    }
    read_tags(line, f);
    read_presence(line, f);
    if (has(line, "RlxdOrd") && has(line, "ExtTag"))
      for (const char* control : {"RlxdOrd+", "RlxdOrd-", "ExtTag+", "ExtTag-"})
        if (has(line, control)) f.controls += fmt::format(", {}", control);
    if (has(line, "MaxReadReq ")) read_sizes(line, f);  // MaxPayload alone is that of DevCap
  }

  /// ExtTag stands in DevCap, too, with no RlxdOrd; 10BitTagReq in DevCap2, behind 10BitTagComp, and of virtual
  /// functions.
  static void read_tags(std::string_view line, PciFunction& f) {
    constexpr int plain = 5, extended = 8, wide = 10;
    if (has(line, "RlxdOrd") && has(line, "ExtTag") && f.tag_bits != wide)
      f.tag_bits = has(line, "ExtTag+") ? extended : plain;
    if (has(line, "10BitTagReq+") && !has(line, "10BitTagComp") && !begins(line, "IOV")) f.tag_bits = wide;
  }

  /// Of LnkSta2, which goes on in further lines; LnkCap2 says what a port can detect.
  static void read_presence(std::string_view line, PciFunction& f) {
    if (begins(line, "LnkCap2:")) return;
    if (has(line, "2Retimers+"))
      f.retimers = 2;
    else if (has(line, " Retimer+") || begins(line, "Retimer+"))
      f.retimers = 1;
    f.flits = f.flits || has(line, "FltMode+");
  }

  void read_buses(std::string_view line, PciFunction& f) {
    long primary = 0, secondary = 0, subordinate = 0;
    if (!read_number(behind(line, "primary="), 16, 0, 0xff, "primary bus", primary) ||
        !read_number(behind(line, "secondary="), 16, 0, 0xff, "secondary bus", secondary) ||
        !read_number(behind(line, "subordinate="), 16, 0, 0xff, "subordinate bus", subordinate))
      return;
    if (secondary == 0) return;  // not set up: nothing is below it
    if (secondary <= f.bus || subordinate < secondary)
      return fail(fmt::format("a bridge at bus {:02x} has buses {:02x} to {:02x} below it: they must be above its own",
                              f.bus, secondary, subordinate));
    f.secondary = static_cast<int>(secondary);
  }

  void read_link(std::string_view line, LinkState& link) {
    link.place = source_.line(number_);
    const std::string_view speed = behind(line, "Speed ", "G,"), width = behind(line, "Width x");
    std::from_chars(speed.data(), speed.data() + speed.size(), link.rate);
    constexpr double fastest = 1000;
    if (!(link.rate >= 2.5 && link.rate <= fastest)) link.rate = 0;  // "unknown"
    if (width.empty()) return;
    read_number(width, 10, 0, 255, "width of a link", link.lanes);
  }

  void read_sizes(std::string_view line, PciFunction& f) {
    for (const auto& [key, to] :
         {std::pair("MaxPayload ", &f.max_payload), std::pair("MaxReadReq ", &f.max_read_request)}) {
      long size = 0;
      if (!has(line, key)) continue;
      const std::string_view text = behind(line, key);
      constexpr long least = 128, most = 4096;
      if (parse_number(text, 10, least, most, size) && (size & (size - 1)) == 0)
        *to = static_cast<int>(size);
      else
        fail(fmt::format("{}\"{}\" is none of 128, 256, 512, 1024, 2048, 4096", key, comment(text)));
    }
  }

  bool read_number(std::string_view text, int base, long least, long most, const char* what, long& out) {
    if (parse_number(trimmed(text), base, least, most, out)) return true;
    fail(fmt::format("{} \"{}\" is no number from {} to {}", what, comment(trimmed(text)), least, most));
    return false;
  }

  const Source& source_;
  Findings& findings_;
  std::size_t number_ = 0;
  std::vector<PciFunction> functions_;
};

}  // namespace

std::vector<PciFunction> lspci_blocks(const Source& source, Findings& findings) {
  return BlockReader(source, findings).read();
}

bool begins_block(std::string_view line) {
  std::string address;
  const std::size_t end = line.find(' ');
  return end != std::string_view::npos && read_pci_address(line.substr(0, end), address) &&
         line.find(':', end) != std::string_view::npos;
}

}  // namespace tsunagi::importing
