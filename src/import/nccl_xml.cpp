// SPDX-License-Identifier: Apache-2.0
// The topology that NCCL writes to $NCCL_TOPO_DUMP_FILE (its src/graph/xml.cc): <system>, in it <cpu> with <pci>, in
// these <gpu> and <nic> or more <pci>. Root ports are not in it, and a switch is one element.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <pugixml.hpp>
#include <set>

#include "config/suggest.hpp"
#include "import/formats.hpp"
#include "import/pci.hpp"
#include "import/server_text.hpp"

namespace tsunagi::importing {

namespace {

constexpr std::size_t largest_xml = std::size_t{4} << 20;  // a node's has a few KiB
const std::vector<std::string> known_below_cpu{"pci", "nic"};
const std::vector<std::string> known_below_pci{"pci", "gpu", "nic", "pcilink"};
const std::vector<std::string> known_below_gpu{"nvlink", "c2c", "xgmi"};

class NcclReader {
 public:
  NcclReader(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  Server read() {
    if (source_.text().size() > largest_xml) {
      findings_.fail(source_.line(1), fmt::format("has more than {} bytes", largest_xml));
      return {};
    }
    // No entities but the five of XML itself, no document type: pugixml knows none.
    const pugi::xml_parse_result result =
        document_.load_buffer(source_.text().data(), source_.text().size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
      findings_.fail(source_.at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0))),
                     fmt::format("XML: {}", result.description()));
      return {};
    }
    pugi::xml_node system;
    for (const pugi::xml_node& node : document_.children()) {
      if (node.type() != pugi::node_element) continue;
      if (!system && node.name() == std::string_view("system"))
        system = node;
      else
        findings_.fail(place(node), fmt::format("<{}> where one <system> is to be{}", comment(node.name()),
                                                node.name() == std::string_view("graphs")
                                                    ? "; this is a dump of graphs, NCCL_TOPO_DUMP_FILE names that of "
                                                      "the topology"
                                                    : ""));
    }
    if (!system && !findings_.failed()) findings_.fail(source_.line(1), "has no <system>");
    if (system) read_system(system);
    server_.notes = {
        "Format: NCCL topology XML. Its link_speed and link_width are what both ends of a link can do, not what it",
        "runs at; root ports are not in it, and a switch is one bridge.",
        "Not said by it, assumed: max_payload_size, what is below a switch beside the cards that NCCL uses."};
    if (others_ > 0)
      server_.notes.push_back(fmt::format(
          "Left out, not modelled: {} links of GPUs that are neither PCIe nor NVLink between GPUs.", others_));
    return std::move(server_);
  }

 private:
  config::Place place(const pugi::xml_node& node) const {
    return source_.at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 1)) - 1);
  }

  void read_system(const pugi::xml_node& system) {
    std::set<long> numbers;
    for (const pugi::xml_node& node : system.children()) {
      if (findings_.is_full()) return;
      if (!is_known(node, {"cpu"})) continue;
      if (server_.sockets.size() == most_sockets) {
        findings_.fail(place(node), fmt::format("more than {} <cpu>", most_sockets));
        return;
      }
      read_cpu(node);
      long numa = -1;
      if (number(node, "numaid", 10, -1, 1'000'000, numa) && numa >= 0 && !numbers.insert(numa).second)
        findings_.fail(place(node), fmt::format("a second <cpu> of numaid {}", numa));
    }
    if (server_.sockets.empty() && !findings_.failed()) findings_.fail(place(system), "<system> has no <cpu>");
    if (cards_ == 0 && !findings_.failed()) findings_.fail(place(system), "has no GPU and no network card");
  }

  void read_cpu(const pugi::xml_node& node) {
    Socket s;
    s.place = place(node);
    s.vendor = node.attribute("vendor").value();
    long family = -1, model = -1;
    number(node, "familyid", 10, -1, 1'000'000, family);
    number(node, "modelid", 10, -1, 1'000'000, model);
    s.family = static_cast<int>(family);
    s.model = static_cast<int>(model);
    s.said = "cpu" + told(node, {"numaid", "arch", "vendor", "familyid", "modelid", "host_hash"});
    read_children(node, known_below_cpu, 0, s.cards);
    server_.sockets.push_back(std::move(s));
  }

  /// Cards and switches among the children of a node; nic elements without a PCI address have no place in a machine.
  void read_children(const pugi::xml_node& node, const std::vector<std::string>& known, int level,
                     std::vector<Card>& out) {
    for (const pugi::xml_node& child : node.children()) {
      if (findings_.is_full()) return;
      if (!is_known(child, known)) continue;
      if (child.name() == std::string_view("pci"))
        read_pci(child, level, out);
      else if (child.name() == std::string_view("nic") && level == 0)
        findings_.warn(place(child),
                       "<nic> below <cpu> has no PCI address: left out" + told(child.first_child(), {"name"}));
    }
  }

  void read_pci(const pugi::xml_node& node, int level, std::vector<Card>& out) {
    if (level == most_levels) {
      findings_.fail(place(node), fmt::format("more than {} <pci> in each other", most_levels));
      return;
    }
    Card c;
    c.place = place(node);
    if (!read_address(node, c.address)) return;
    long class_code = 0;
    const bool has_class = number(node, "class", 16, 0, 0xffffff, class_code);
    long vendor = -1, device = -1;
    number(node, "vendor", 16, 0, 0xffff, vendor);
    number(node, "device", 16, 0, 0xffff, device);
    c.vendor = static_cast<int>(vendor);
    c.device = static_cast<int>(device);
    read_link(node, c.link);
    c.said = "pci" + told(node, {"busid", "class", "vendor", "device", "link_speed", "link_width"});
    read_children(node, known_below_pci, level + 1, c.below);
    if (!read_role(node, has_class ? static_cast<int>(class_code) : -1, c)) return;
    if (join_function(c, out)) return;
    if (c.role != Role::bridge && ++cards_ > most_cards) {
      findings_.fail(c.place, fmt::format("more than {} cards", most_cards));
      return;
    }
    out.push_back(std::move(c));
  }

  /// What a <pci> is: by its class, else by what is in it.
  bool read_role(const pugi::xml_node& node, int class_code, Card& c) {
    const pugi::xml_node gpu = node.child("gpu"), net = node.child("nic").child("net");
    std::optional<Role> role = role_of(std::max(class_code, 0), c.vendor);
    // Files that servers' owners write for NCCL leave out what it finds itself: <gpu>, and often the vendor.
    constexpr int controller_3d = 0x0302;
    if (gpu || (c.vendor < 0 && class_code >> 8 == controller_3d)) role = Role::gpu;
    if (!role && net) role = Role::nic;
    if (!role && !c.below.empty()) role = Role::bridge;
    // Files of before NCCL 2.9 do not say the vendor.
    if (role == Role::nic && c.vendor < 0 && std::string_view(net.attribute("name").value()).substr(0, 3) == "mlx")
      role = Role::infiniband;
    if (!role || (role == Role::bridge && c.below.empty())) {
      findings_.warn(c.place, fmt::format("<pci> of class \"{}\" has nothing that a machine has a part for: left out",
                                          comment(node.attribute("class").value())));
      return false;
    }
    c.role = *role;
    if (c.role != Role::bridge && !c.below.empty()) {
      findings_.fail(c.below.front().place,
                     fmt::format("<pci> in the <pci> of a card ({}), which is no bridge", comment(c.address)));
      return false;
    }
    if (gpu) read_gpu(gpu, c);
    if (net) c.said += "; net" + told(net, {"name", "dev", "speed", "port"});
    return true;
  }

  void read_gpu(const pugi::xml_node& gpu, Card& c) {
    long dev = 0;
    if (number(gpu, "dev", 10, 0, 1'000'000, dev)) c.number = static_cast<int>(dev);
    c.said += "; gpu" + told(gpu, {"dev", "sm", "rank"});
    for (const pugi::xml_node& link : gpu.children()) {
      if (!is_known(link, known_below_gpu)) continue;
      long count = 1;
      number(link, "count", 10, 1, 1000, count);
      if (link.name() == std::string_view("nvlink") && read_nvlink(link, static_cast<int>(count), c)) continue;
      others_ += count;
      findings_.warn(place(link), fmt::format("<{}>{} is not modelled: left out", link.name(), told(link, {"tclass"})));
    }
  }

  /// By the class of its other end: a GPU, or an NVSwitch, which new files do not name ("fffffff:ffff:ff"). False: it
  /// is a processor, or what we have no part for.
  bool read_nvlink(const pugi::xml_node& link, int count, Card& c) {
    const std::string_view of = link.attribute("tclass").value();
    NvlinkEnd end{place(link), "", of == "0x068000", count};
    if (!end.is_switch && !of.empty() && of.substr(0, 4) != "0x03") return false;
    const std::string_view target = link.attribute("target").value();
    if (!read_pci_address(target, end.target) && (!end.is_switch || target.substr(0, 7) != "fffffff"))
      findings_.fail(end.place, fmt::format("target \"{}\" of <nvlink> is no PCI address", comment(target)));
    c.nvlinks.push_back(std::move(end));
    return true;
  }

  /// Functions of one card share its link.
  static bool join_function(const Card& c, std::vector<Card>& out) {
    const std::string_view card = std::string_view(c.address).substr(0, c.address.rfind('.'));
    for (Card& other : out)
      if (c.role == other.role && c.role != Role::bridge && c.role != Role::gpu &&
          std::string_view(other.address).substr(0, other.address.rfind('.')) == card) {
        ++other.functions;
        other.said += "; function " + comment(c.address.substr(c.address.rfind('.') + 1)) + " of the same card, too";
        return true;
      }
    return false;
  }

  /// "0000:41:00.0"; two of them are no file of NCCL's.
  bool read_address(const pugi::xml_node& node, std::string& out) {
    const char* const text = node.attribute("busid").value();
    if (!read_pci_address(text, out)) {
      findings_.fail(place(node),
                     fmt::format("busid \"{}\" is no PCI address; write for example \"0000:41:00.0\"", comment(text)));
      return false;
    }
    if (addresses_.insert(out).second) return true;
    findings_.fail(place(node), fmt::format("a second <pci> of busid {}", out));
    return false;
  }

  /// link_speed "16.0 GT/s PCIe", "8 GT/s"; "", "Unknown" and width 0 say nothing.
  void read_link(const pugi::xml_node& node, PcieLink& link) {
    const std::string_view speed = trimmed(node.attribute("link_speed").value());
    double rate = 0;
    constexpr double fastest = 1000;
    const auto [end, error] = std::from_chars(speed.data(), speed.data() + speed.size(), rate);
    const std::string_view unit = trimmed(speed.substr(static_cast<std::size_t>(end - speed.data())));
    if (!speed.empty() && speed.substr(0, 7) != "Unknown") {
      if (error != std::errc{} || unit.substr(0, 4) != "GT/s" || !(rate >= 2.5 && rate <= fastest))
        findings_.fail(place(node),
                       fmt::format("link_speed \"{}\" is none; write for example \"16.0 GT/s PCIe\"", comment(speed)));
      else
        link.generation = generation_of(rate);
      if (rate > 64)
        findings_.warn(place(node), fmt::format("link_speed \"{}\" is faster than wires of ours: generation 6 stands "
                                                "for it",
                                                comment(speed)));
    }
    long lanes = 0;
    if (!number(node, "link_width", 10, 0, 32, lanes) || lanes == 0) return;
    link.lanes = lanes_of(lanes);
    if (link.lanes != lanes)
      findings_.warn(place(node),
                     fmt::format("link_width {} is none of our wires': {} stands for it", lanes, link.lanes));
  }

  /// An attribute as a number ("0x" before those of base 16 may be missing). False: it is not there, or wrong, which is
  /// told.
  bool number(const pugi::xml_node& node, const char* name, int base, long least, long most, long& out) {
    const pugi::xml_attribute a = node.attribute(name);
    std::string_view text = a.value();
    if (text.empty()) return false;
    if (base == 16 && text.substr(0, 2) == "0x") text.remove_prefix(2);
    if (parse_number(text, base, least, most, out)) return true;
    findings_.fail(place(node), fmt::format("{} \"{}\" of <{}> is no number from {} to {}", name, comment(a.value()),
                                            node.name(), least, most));
    return false;
  }

  bool is_known(const pugi::xml_node& node, const std::vector<std::string>& known) {
    if (node.type() != pugi::node_element) return false;
    std::set<std::string_view> names;
    for (const pugi::xml_attribute& a : node.attributes())
      if (!names.insert(a.name()).second) {
        findings_.fail(place(node), fmt::format("attribute {} of <{}> twice", comment(a.name()), comment(node.name())));
        break;
      }
    if (std::find(known.begin(), known.end(), node.name()) != known.end()) return true;
    findings_.warn(place(node), config::detail::unknown("element", comment(node.name()), known) + "; it is left out");
    return false;
  }

  /// " numaid 0, arch x86_64": what the file says of these.
  static std::string told(const pugi::xml_node& node, const std::vector<const char*>& names) {
    std::string out;
    for (const char* name : names)
      if (const pugi::xml_attribute a = node.attribute(name); a && *a.value() != 0)
        out += fmt::format("{}{} {}", out.empty() ? " " : ", ", name, comment(a.value()));
    return out;
  }

  const Source& source_;
  Findings& findings_;
  pugi::xml_document document_;
  Server server_;
  std::set<std::string> addresses_;
  std::size_t cards_ = 0;
  long others_ = 0;
};

bool is_nccl(std::string_view text) {
  const std::string_view head = trimmed(text.substr(0, 64 * 1024));
  if (head.empty() || (head.substr(0, 3) != "\xef\xbb\xbf" && head.front() != '<')) return false;
  return head.find("<system") != std::string_view::npos || head.find("<graphs") != std::string_view::npos;
}

Imported read_nccl(const Source& source, const Request& request, Findings& findings) {
  const Server server = NcclReader(source, findings).read();
  return findings.failed() ? Imported{} : Imported{server_text(server, request, findings), "", {}};
}

}  // namespace

Format nccl_xml_format() {
  return {"nccl", "NCCL topology XML, of $NCCL_TOPO_DUMP_FILE", "XML with <system>", is_nccl, read_nccl};
}

}  // namespace tsunagi::importing
