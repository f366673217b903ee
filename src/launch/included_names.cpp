#include "included_names.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace ridge::launch {

namespace {

/// The text without backslashes at the ends of lines.
std::string spliced(std::string_view text) {
  std::string all;
  all.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      std::size_t end = i + 1;
      while (end < text.size() && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r'))
        ++end; // which compilers pass over
      if (end < text.size() && text[end] == '\n') {
        i = end;
        continue;
      }
    }
    all += text[i];
  }
  return all;
}

/// Goes through a text.
class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  /// Blanks and comments within a line, which a comment may continue.
  void pass_blanks() {
    for (;;) {
      while (!done() && std::string_view(" \t\r\v\f").find(here()) != std::string_view::npos)
        ++at_;
      if (!starts("/*")) return;
      const auto end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    }
  }
  /// Whether that comes next; then it is passed.
  bool pass(std::string_view what) {
    if (!starts(what)) return false;
    at_ += what.size();
    return true;
  }
  /// The identifier that comes next; empty where none does.
  std::string_view word() {
    const std::size_t begin = at_;
    while (!done() && is_of_word(here()))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }
  /// The name in quotes or angle brackets that comes next; empty where none does.
  std::string name(bool& quoted) {
    if (done() || (here() != '"' && here() != '<')) return {};
    quoted = here() == '"';
    const auto end = text_.find(quoted ? '"' : '>', at_ + 1);
    const auto line = text_.find('\n', at_);
    if (end == std::string_view::npos || end > line) return {};
    std::string found(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return found;
  }
  [[nodiscard]] bool done() const { return at_ >= text_.size(); }

  static bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

private:
  [[nodiscard]] char here() const { return text_[at_]; }
  [[nodiscard]] bool starts(std::string_view what) const {
    return text_.substr(at_).starts_with(what);
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

void add(IncludedNames& names, std::string text, bool quoted, bool next) {
  IncludedNames::Name name{std::move(text), quoted, next};
  if (std::find(names.all.begin(), names.all.end(), name) == names.all.end())
    names.all.push_back(std::move(name));
}

/// Whether a line may begin a directive after what stands before: blanks, or the end of a comment.
bool begins_directive(std::string_view before) {
  const auto end = before.find_last_not_of(" \t\r\v\f");
  return end == std::string_view::npos || before[end] == '\n' ||
         before.substr(0, end + 1).ends_with("*/");
}

/// What follows #include, #include_next, #import and #embed.
void add_directives(IncludedNames& names, std::string_view text) {
  for (const std::string_view mark : {"#", "%:", "?\?="}) {
    for (std::size_t at = text.find(mark); at != std::string_view::npos;
         at = text.find(mark, at + 1)) {
      Reader reader(text.substr(at + mark.size()));
      reader.pass_blanks();
      const std::string_view word = reader.word();
      if (word != "include" && word != "include_next" && word != "import" && word != "embed")
        continue;
      reader.pass_blanks();
      bool quoted = false;
      std::string name = reader.name(quoted);
      if (!name.empty())
        add(names, std::move(name), quoted, word == "include_next");
      else if (begins_directive(text.substr(0, at)))
        names.computed = true;
    }
  }
}

/// What __has_include and its like ask for.
void add_questions(IncludedNames& names, std::string_view text) {
  for (const std::string_view word : {"__has_include", "__has_include_next", "__has_embed"}) {
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if ((at > 0 && Reader::is_of_word(text[at - 1])) ||
          (end < text.size() && Reader::is_of_word(text[end])))
        continue;
      Reader reader(text.substr(end));
      reader.pass_blanks();
      if (!reader.pass("(")) {
        // Whether there is such a question is no matter, but a macro may be another name for it.
        const auto begin = text.rfind('\n', at) + 1; // 0 where there is none
        Reader line(text.substr(begin));
        line.pass_blanks();
        const bool directive = line.pass("#");
        line.pass_blanks();
        names.computed = names.computed || (directive && line.word() == "define");
        continue;
      }
      reader.pass_blanks();
      bool quoted = false;
      std::string name = reader.name(quoted);
      if (name.empty())
        names.computed = true;
      else
        add(names, std::move(name), quoted, word == "__has_include_next");
    }
  }
}

} // namespace

IncludedNames included_names(std::string_view text) {
  const std::string lines = spliced(text);
  IncludedNames names;
  add_directives(names, lines);
  add_questions(names, lines);
  // A file that the assembler reads.
  names.computed = names.computed || lines.find(".incbin") != std::string::npos;
  return names;
}

} // namespace ridge::launch
