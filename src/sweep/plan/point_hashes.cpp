// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/point_hashes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace tsunagi::sweep {
namespace {

using nlohmann::ordered_json;

bool overlap(const std::string& a, const std::string& b) { return is_inside(a, b) || is_inside(b, a); }

bool overlap(const Source& a, const Source& b) {
  return std::any_of(a.paths.begin(), a.paths.end(), [&](const std::string& p) {
    return std::any_of(b.paths.begin(), b.paths.end(), [&](const std::string& q) { return overlap(p, q); });
  });
}

/// Hash of what stands at a path; zeros if the tree does not have it.
Hash hash_at(const ordered_json& tree, const std::string& path) {
  const ordered_json::json_pointer pointer(path);
  return tree.contains(pointer) ? hash_tree(tree.at(pointer)) : Hash{};
}

}  // namespace

/// Groups the sources, reads their values and fills the factors' hashes.
class PointHashes::Builder {
 public:
  Builder(const BaseRun& base, const Variation& variation)
      : base_(base), variation_(variation), canonical_(base.read({}).canonical) {}

  std::vector<Factor> factors;
  std::set<std::filesystem::path> files;

  OpenTree build() {
    group();
    OpenTree tree = open_tree();
    read_alone(tree);
    config::throw_if_any(messages_);
    for (Factor& f : factors)
      if (f.sources.size() > 1) fill(f, tree);
    if (local_) return tree;
    factors = {whole()};
    tree = open_tree();
    fill(factors.front(), tree);
    return tree;
  }

 private:
  /// What some overrides make of a factor's paths.
  struct Made {
    std::vector<Hash> hashes;
    std::vector<config::Message> refused;  // told at or inside these paths
    bool local = true;                     // the run is the base run everywhere else
  };

  /// Sources whose places lie inside each other come into one factor.
  void group() {
    for (std::size_t s = 0; s < variation_.sources().size(); ++s) {
      std::vector<std::size_t> together{s};
      const auto meets = [&](const Factor& f) {
        return std::any_of(f.sources.begin(), f.sources.end(), [&](std::size_t other) {
          return overlap(variation_.sources()[s], variation_.sources()[other]);
        });
      };
      for (const Factor& f : factors)
        if (meets(f)) together.insert(together.end(), f.sources.begin(), f.sources.end());
      factors.erase(std::remove_if(factors.begin(), factors.end(), meets), factors.end());
      factors.push_back(factor_of(std::move(together)));
    }
    std::size_t paths = 0;
    for (Factor& f : factors) f.first_path = std::exchange(paths, paths + f.paths.size());
  }

  Factor factor_of(std::vector<std::size_t> sources) const {
    Factor f;
    std::set<std::string> paths;
    std::set<std::size_t> dimensions;
    for (const std::size_t s : sources) {
      const Source& source = variation_.sources()[s];
      paths.insert(source.paths.begin(), source.paths.end());
      dimensions.insert(source.dimensions.begin(), source.dimensions.end());
    }
    for (const std::string& path : paths)
      if (std::none_of(paths.begin(), paths.end(), [&](const auto& p) { return p != path && is_inside(path, p); }))
        f.paths.push_back(path);
    f.sources = std::move(sources);
    f.dimensions.assign(dimensions.begin(), dimensions.end());
    return f;
  }

  /// All sources together, the run as a whole.
  Factor whole() const {
    std::vector<std::size_t> all(variation_.sources().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    Factor f = factor_of(all);
    f.paths = {""};
    return f;
  }

  OpenTree open_tree() {
    std::vector<std::string> paths;
    for (const Factor& f : factors) paths.insert(paths.end(), f.paths.begin(), f.paths.end());
    base_hashes_.clear();
    for (const std::string& path : paths) base_hashes_.push_back(hash_at(canonical_, path));
    return OpenTree(canonical_, paths);
  }

  /// Reads each value of each source alone and tells what is refused; factors of one source are then filled.
  void read_alone(const OpenTree& tree) {
    for (Factor& f : factors) {
      for (const std::size_t s : f.sources) {
        Factor alone = factor_of({s});
        alone.first_path = f.first_path;
        const bool is_all = f.sources.size() == 1;
        const auto then = [&](std::size_t combination, const Made& made) {
          tell(variation_.sources()[s], combination, made.refused);
          local_ = local_ && (!is_all || made.local);
        };
        for_each(alone, then, is_all ? &tree : nullptr);
        if (is_all) f = std::move(alone);
      }
    }
  }

  void fill(Factor& f, const OpenTree& tree) {
    const auto then = [&](std::size_t, const Made& made) { local_ = local_ && made.local; };
    for_each(f, then, &tree);
  }

  /// Fills a factor, telling what each combination that occurs made; equal ones are read once. Without a tree, `local`
  /// is not judged.
  template <class Then>
  void for_each(Factor& f, Then then, const OpenTree* tree) {
    const std::vector<bool> needed = variation_.needed(f.dimensions);
    f.hashes.resize(needed.size() * f.paths.size());
    std::map<std::string, Made> known;
    const std::optional<BaseRun> excerpt = tree == nullptr ? std::nullopt : faithful_excerpt(f, needed, *tree);
    for (std::size_t c = 0; c < needed.size(); ++c) {
      if (!needed[c]) continue;
      const auto overrides = overrides_of(f, c);
      std::string key;
      for (const config::Override& o : overrides) key += o.value + '\n';
      auto made = known.find(key);
      if (made == known.end())
        made =
            known.emplace(key, excerpt ? make(*excerpt, f, overrides, nullptr) : make(base_, f, overrides, tree)).first;
      std::copy(made->second.hashes.begin(), made->second.hashes.end(),
                f.hashes.begin() + static_cast<std::ptrdiff_t>(c * f.paths.size()));
      then(c, made->second);
    }
  }

  /// For a factor of many combinations, an excerpt of the run that a sample of them cannot tell from the run: each is
  /// local, and made the same of its places by both. To read the whole run costs a millisecond.
  std::optional<BaseRun> faithful_excerpt(const Factor& f, const std::vector<bool>& needed, const OpenTree& tree) {
    constexpr std::size_t samples = 64;
    std::vector<std::size_t> combinations;
    for (std::size_t c = 0; c < needed.size(); ++c)
      if (needed[c]) combinations.push_back(c);
    if (combinations.size() < 4 * samples || f.paths.front().empty()) return std::nullopt;
    BaseRun excerpt = base_.excerpt(f.paths);
    for (std::size_t k = 0; k < samples; ++k) {
      const auto overrides = overrides_of(f, combinations[k * (combinations.size() - 1) / (samples - 1)]);
      const Made whole = make(base_, f, overrides, &tree);
      const Made part = make(excerpt, f, overrides, nullptr);
      if (!whole.local || whole.hashes != part.hashes || whole.refused.size() != part.refused.size())
        return std::nullopt;
    }
    return excerpt;
  }

  std::vector<config::Override> overrides_of(const Factor& f, std::size_t combination) const {
    return variation_.overrides(variation_.space().point_with(f.dimensions, combination), f.sources);
  }

  Made make(const BaseRun& base, const Factor& f, const std::vector<config::Override>& overrides,
            const OpenTree* tree) {
    const BaseRun::Reading reading = base.read(overrides);
    files.insert(reading.files.begin(), reading.files.end());
    Made made;
    for (const std::string& path : f.paths) made.hashes.push_back(hash_at(reading.canonical, path));
    if (tree != nullptr) made.local = is_local(f, made.hashes, reading.canonical, *tree);
    for (const config::Message& m : reading.problems)
      if (std::any_of(f.paths.begin(), f.paths.end(), [&](const auto& path) { return is_told_of(m, path); }))
        made.refused.push_back(m);
    if (!made.refused.empty()) mark(made.hashes, overrides);
    return made;
  }

  /// Whether a message is of the value at a path. An unknown kind is told at the object whose kind it is.
  static bool is_told_of(const config::Message& m, const std::string& path) {
    return is_inside(m.pointer, path) ||
           (path == m.pointer + "/kind" && m.place.file != nullptr && *m.place.file == "--set " + path);
  }

  bool is_local(const Factor& f, const std::vector<Hash>& hashes, const ordered_json& canonical,
                const OpenTree& tree) const {
    std::vector<const Hash*> values;
    for (const Hash& hash : base_hashes_) values.push_back(&hash);
    for (std::size_t k = 0; k < hashes.size(); ++k) values[f.first_path + k] = &hashes[k];
    return tree.hash(values) == hash_tree(canonical);
  }

  /// What was not read is not in the hashes: so that no two refused points, or a refused and a good one, are equal.
  static void mark(std::vector<Hash>& hashes, const std::vector<config::Override>& overrides) {
    std::string text;
    for (const config::Override& o : overrides) text += o.pointer + "=" + o.value + "\n";
    for (Hash& hash : hashes) hash = hash_bytes(std::string(hash.begin(), hash.end()) + text);
  }

  /// Tells at the value's place in the sweep what the reader told; a range tells its first fault only.
  void tell(const Source& source, std::size_t combination, const std::vector<config::Message>& refused) {
    if (refused.empty()) return;
    const Where& where = source.wheres[source.wheres.size() == 1 ? 0 : combination];
    if (where.place.line > 0 && !told_.insert(where.pointer).second) return;
    for (const config::Message& m : refused) {
      if (!texts_.insert({where.place.text() + where.pointer, m.text}).second) continue;
      const bool named = where.pointer.empty() && m.pointer == source.paths.front();  // by "--vary /path"
      messages_.push_back(m.place.line > 0 ? m : where.says(named ? m.text : m.pointer + ": " + m.text));
    }
  }

  const BaseRun& base_;
  const Variation& variation_;
  ordered_json canonical_;
  std::vector<Hash> base_hashes_;  // of what the base run has at the paths of all factors
  bool local_ = true;
  std::vector<config::Message> messages_;
  std::set<std::string> told_;
  std::set<std::pair<std::string, std::string>> texts_;  // of many places, one tells it
};

PointHashes::PointHashes(const BaseRun& base, const Variation& variation) {
  Builder builder(base, variation);
  tree_ = builder.build();
  factors_ = std::move(builder.factors);
  files_ = std::move(builder.files);
}

Hash PointHashes::hash(const Variation& variation, const Indices& point) const {
  std::vector<const Hash*> values;
  for (const Factor& f : factors_) {
    const std::size_t first = variation.space().combination(f.dimensions, point) * f.paths.size();
    for (std::size_t k = 0; k < f.paths.size(); ++k) values.push_back(&f.hashes[first + k]);
  }
  return tree_.hash(values);
}

}  // namespace tsunagi::sweep
