#include "included.hpp"

#include <ridge/core/file.hpp>

#include "file_digest.hpp"
#include "included_names.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <unordered_set>

namespace ridge::launch {

namespace {

std::string folder_of(const std::string& file) {
  return file.substr(0, file.rfind('/'));
}

/// Follows what files include.
class Follower {
public:
  Follower(const SearchFolders& folders, bool told) : folders_(folders), told_(told) {
    trace_.whole = folders.known;
  }

  Trace follow(const std::vector<std::string>& files) {
    for (const std::string& file : files)
      meet(file, true);
    for (std::size_t i = 0; i < waiting_.size(); ++i) { // grows while it is read
      const Met met = waiting_[i];
      follow_file(met);
    }
    return std::move(trace_);
  }

private:
  struct Met {
    std::string file;
    bool read; ///< surely; else it may be
  };

  void meet(const std::string& file, bool read) {
    if (!met_.insert(file).second) return;
    if (folders_.is_constant(file) || folders_.is_system(file)) avoid_shadows(file);
    if (folders_.is_constant(file)) return;
    trace_.add_file(file);
    // What packages bring includes their own, which the compiler tells where they were read.
    if (!told_ || !folders_.is_system(file)) waiting_.push_back({file, read});
  }

  /// A header of the compiler's or the system's that includes others by name: a file of that name
  /// in a folder that is searched before would be read in its stead.
  void avoid_shadows(const std::string& file) {
    const auto home =
        std::find_if(folders_.all.begin(), folders_.all.end(), [&](const std::string& folder) {
          return file.starts_with(folder + "/") &&
                 (folders_.is_constant(folder + "/x") || folders_.is_system(folder + "/x"));
        });
    if (home == folders_.all.end()) return;
    const std::string name = file.substr(home->size());
    for (auto before = folders_.all.begin(); before != home; ++before) {
      if (folders_.is_constant(*before + name) || folders_.is_system(*before + name)) continue;
      if (!is_file(*before + name)) look_in_vain(*before + name);
    }
  }

  void look_in_vain(const std::string& name) {
    if (met_.insert(name).second) trace_.add_absent(name);
  }

  void follow_file(const Met& met) {
    const std::optional<std::string> text = read_file(met.file);
    if (!text) {
      trace_.whole = false;
      return;
    }
    const IncludedNames names = included_names(*text);
    if (names.computed && met.read) trace_.whole = false;
    for (const IncludedNames::Name& name : names.all) {
      if (name.text.starts_with('/')) {
        look_for(name.text);
        continue;
      }
      if (name.quoted && look_for(folder_of(met.file) + "/" + name.text) && !name.next) continue;
      for (const std::string& folder : folders_.all) {
        if (look_for(folder + "/" + name.text) && !name.next) break;
      }
    }
  }

  bool look_for(const std::string& file) {
    if (!is_file(file)) {
      if (!folders_.is_constant(file)) look_in_vain(file);
      return false;
    }
    meet(file, !told_);
    return true;
  }

  const SearchFolders& folders_;
  bool told_; ///< whether the compiler told what it read
  Trace trace_;
  std::vector<Met> waiting_;
  std::unordered_set<std::string> met_;
};

} // namespace

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  std::string word;
  while (in >> word)
    words.push_back(word);
  return words;
}

std::vector<std::string> flags_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> flags;
  for (std::string flag; std::getline(in, flag);) {
    if (!flag.empty()) flags.push_back(flag);
  }
  return flags;
}

Trace trace_of(const std::vector<std::string>& files, const SearchFolders& folders) {
  return Follower(folders, true).follow(files);
}

Trace trace_of_source(const std::string& source, const SearchFolders& folders) {
  return source.starts_with("/") ? Follower(folders, false).follow({source}) : Trace{};
}

std::vector<std::string> files_of_rule(const std::string& rule) {
  std::vector<std::string> files;
  std::string word;
  bool target = true;
  const auto end_word = [&] {
    if (target && word.ends_with(':'))
      target = false;
    else if (!word.empty() && !target)
      files.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const char c = rule[i];
    // Backslashes stand for themselves, but before a blank or a mark: two are one there, the last
    // of an odd number takes its meaning away.
    if (c == '\\') {
      std::size_t end = i;
      while (end < rule.size() && rule[end] == '\\')
        ++end;
      const std::size_t number = end - i;
      const char next = end < rule.size() ? rule[end] : '\n';
      if (next == '\n' && number == 1) { // the line goes on
        end_word();
        i = end;
      } else if (next == ' ' || next == '\t') {
        word.append(number / 2, '\\');
        if (number % 2 == 1) {
          word += next;
          i = end;
        } else {
          i = end - 1;
        }
      } else if (next == '#' || next == ':') {
        word.append(number - 1, '\\');
        word += next;
        i = end;
      } else {
        word.append(number, '\\');
        i = end - 1;
      }
    } else if (c == '$' && i + 1 < rule.size() && rule[i + 1] == '$') {
      word += '$';
      ++i;
    } else if (c == '\n') {
      end_word();
      if (!target) break; // others follow with -MP
    } else if (c == ' ' || c == '\t') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return files;
}

std::vector<std::string> files_of_preprocessed(const std::string& text) {
  std::vector<std::string> files;
  std::unordered_set<std::string> met;
  for (std::size_t at = 0; at < text.size();) {
    auto end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    const std::string_view line(text.data() + at, end - at);
    at = end + 1;
    // # 1 "/home/me/coef.hpp" 1: the flag 1 says that the file begins.
    if (!line.starts_with("# ") || line.size() < 3 || line[2] < '0' || line[2] > '9') continue;
    auto i = line.find('"');
    if (i == std::string_view::npos) continue;
    std::string name;
    for (++i; i < line.size() && line[i] != '"'; ++i) {
      if (line[i] != '\\' || i + 1 >= line.size()) {
        name += line[i];
        continue;
      }
      ++i;
      int octal = 0;
      int digits = 0;
      while (digits < 3 && i + digits < line.size() && line[i + digits] >= '0' &&
             line[i + digits] <= '7') {
        octal = octal * 8 + (line[i + digits] - '0');
        ++digits;
      }
      if (digits == 3) {
        name += static_cast<char>(octal);
        i += 2;
      } else {
        name += line[i] == 'n' ? '\n' : line[i];
      }
    }
    const bool begins = i + 2 < line.size() && line.substr(i + 1).starts_with(" 1");
    if (begins && name.starts_with('/') && met.insert(name).second) files.push_back(name);
  }
  return files;
}

} // namespace ridge::launch
