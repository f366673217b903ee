// What a compilation reads, and whether that is as it was.
#include <ridge/launch/process.hpp>

#include "launch/file_digest.hpp"
#include "launch/included.hpp"
#include "launch/included_names.hpp"
#include "launch/search_folders.hpp"
#include "launch/trace.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ridge::launch {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Traces : public ::testing::Test {
protected:
  Traces() {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~Traces() override { fs::remove_all(folder); }
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path file = folder + name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  std::string folder = fmt::format("{}ridge-trace-{}/", ::testing::TempDir(), getpid());
};

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (const IncludedNames::Name& name : included_names(text).all)
    names.push_back((name.quoted ? "\"" : "<") + name.text + (name.next ? " next" : ""));
  return names;
}

TEST(Contents, AreTheSameHoweverOldTheirFilesAre) {
  EXPECT_EQ(contents("abc /a.hpp\ndef:1.2.3 /of mine/b.hpp\nabsent /c.hpp\n"),
            "abc /a.hpp\ndef /of mine/b.hpp\nabsent /c.hpp\n");
}

TEST(Flags, AreOneALine) {
  EXPECT_THAT(flags_of("-I/a folder/of mine\n-I/other\n\n-DX=\"a b\""),
              ElementsAre("-I/a folder/of mine", "-I/other", "-DX=\"a b\""));
  EXPECT_THAT(flags_of(""), IsEmpty());
}

TEST_F(Traces, FollowFoldersWithBlanks) {
  const std::string header = write("a folder/of mine/coef.hpp", "#define COEF 2\n");
  const std::string source = write("kernel.hpp", "#include <coef.hpp>\n");
  const SearchFolders folders = named_folders(flags_of("-I" + folder + "a folder/of mine"));
  EXPECT_THAT(trace_of_source(source, folders).lines, HasSubstr(header));
}

TEST(IncludedNamesOf, Directives) {
  EXPECT_THAT(names_in("#include \"a b.hpp\"\n  #\tinclude <c.hpp> // \"no.hpp\"\n"),
              ElementsAre("\"a b.hpp", "<c.hpp"));
  EXPECT_THAT(names_in("#/* x\n */include /**/ \"a.hpp\"\n/* \n*/ #include <b>\n"),
              ElementsAre("\"a.hpp", "<b"));
  EXPECT_THAT(names_in("#inc\\\nlude \"a.\\\nhpp\"\n#include_next <b.h>\n%: include <c>"),
              ElementsAre("\"a.hpp", "<b.h next", "<c"));
  EXPECT_THAT(names_in("#define A <a.hpp>\n#ifdef B\nint include;\n#error include <x>\n"),
              IsEmpty());
}

TEST(IncludedNamesOf, Questions) {
  EXPECT_THAT(names_in("#if defined(X) && __has_include( \"a.hpp\" ) || __has_include(<b>)\n"),
              ElementsAre("\"a.hpp", "<b"));
  EXPECT_THAT(names_in("#if __has_include_next(<c>)\n#elif my__has_include(\"no\")\n"),
              ElementsAre("<c next"));
  EXPECT_FALSE(included_names("#ifdef __has_include\n#if defined __has_include\n#endif").computed);
}

TEST(IncludedNamesOf, WhatMacrosPutTogether) {
  for (const char* const text :
       {"#include NAME\n", "# include HEADER(a)\n", "#if __has_include(NAME)\n",
        "#define HAS(x) __has_include(x)\n", "# define HAS __has_include\n",
        "asm(\".incbin \\\"table\\\"\");\n", "#include \\\n NAME\n"})
    EXPECT_TRUE(included_names(text).computed) << text;
  for (const char* const text : {"#include <a>\n", "// see #include there\n", "int including;\n"})
    EXPECT_FALSE(included_names(text).computed) << text;
}

TEST(PreprocessedText, NamesItsFiles) {
  EXPECT_THAT(files_of_preprocessed("# 0 \"kernel.cpp\"\n# 1 \"/a b/c.hpp\" 1\nint x;\n"
                                    "# 3 \"/main.hpp\" 2\n# 1 \"/q\\\"\\\\\\011z\" 1 3 4\n"
                                    "# 1 \"/a b/c.hpp\" 1\n# 1 \"<built-in>\" 1\n#pragma x\n"),
              ElementsAre("/a b/c.hpp", "/q\"\\\tz"));
}

/// Compilers write names of any kind into rules, each in its way.
TEST_F(Traces, RulesOfRealCompilersAreRead) {
  const std::vector<std::string> names{"min i", "min#i", "min$i", "min$$i", "x\\y", "x\\ y", "m:i"};
  int compilers = 0;
  for (const char* const name : {"g++", "clang++"}) {
    const std::string compiler = find_program(name);
    if (compiler.empty()) continue;
    ++compilers;
    std::string text;
    std::vector<std::string> files{folder + "main.cpp"};
    for (const std::string& odd : names) {
      // clang writes a slash for it: then the file is not there, and nothing is kept.
      if (compiler.ends_with("clang++") && odd.find('\\') != std::string::npos) continue;
      files.push_back(write(odd + "/coef.hpp", "\n"));
      text += "#include \"" + files.back() + "\"\n";
    }
    write("main.cpp", text);
    const Finished done = run_command(
        {compiler, "-E", files.front(), "-o", "main.ii", "-MD", "-MF", folder + "rule"}, folder);
    ASSERT_EQ(done.status, 0) << done.report;
    const auto content = [&](const std::string& file) {
      std::ifstream in(folder + file);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const auto of_folder = [&](std::vector<std::string> all) {
      std::erase_if(all, [&](const std::string& file) { return !file.starts_with(folder); });
      return all;
    };
    EXPECT_EQ(of_folder(files_of_rule(content("rule"))), files) << content("rule");
    files.erase(files.begin());
    EXPECT_EQ(of_folder(files_of_preprocessed(content("main.ii"))), files) << content("main.ii");
  }
  if (compilers == 0) GTEST_SKIP() << "there is neither g++ nor clang++";
}

TEST_F(Traces, HoldAsLongAsNothingChanges) {
  const std::string file = write("a b.hpp", "one");
  Trace trace;
  trace.add_file(file);
  trace.add_absent(folder + "none.hpp");
  ASSERT_TRUE(trace.whole);
  EXPECT_TRUE(holds(trace.lines));
  write("a b.hpp", "two"); // as long, within the same tick of the clock perhaps
  EXPECT_FALSE(holds(trace.lines));
  write("a b.hpp", "one");
  EXPECT_TRUE(holds(trace.lines));
  fs::create_directory(folder + "none.hpp"); // which no compiler includes
  EXPECT_TRUE(holds(trace.lines));
  fs::remove(folder + "none.hpp");
  write("none.hpp", "");
  EXPECT_FALSE(holds(trace.lines));
}

TEST_F(Traces, DoNotHoldOfWhatCannotBeRead) {
  const std::string file = write("a.hpp", "one");
  Trace trace;
  trace.add_file(file);
  fs::remove(file);
  EXPECT_FALSE(holds(trace.lines));
  EXPECT_EQ(file_digest(file), std::nullopt);
  Trace of_none;
  of_none.add_file(file);
  EXPECT_FALSE(of_none.whole);
  EXPECT_FALSE(holds("unreadable " + file + "\n"));
  EXPECT_FALSE(holds("nonsense"));
  Trace of_two_lines;
  of_two_lines.add_absent("/a\nb");
  EXPECT_FALSE(of_two_lines.whole);
}

TEST_F(Traces, FollowLinks) {
  write("a.hpp", "one");
  write("b.hpp", "other");
  fs::create_symlink("a.hpp", folder + "link.hpp");
  Trace trace;
  trace.add_file(folder + "link.hpp");
  EXPECT_TRUE(holds(trace.lines));
  fs::remove(folder + "link.hpp");
  fs::create_symlink("b.hpp", folder + "link.hpp");
  EXPECT_FALSE(holds(trace.lines));
}

TEST_F(Traces, SayWhichFilesDiffer) {
  const std::string a = write("a.hpp", "one");
  const std::string b = write("b.hpp", "one");
  Trace before;
  before.add_file(a);
  before.add_file(b);
  write("b.hpp", "other");
  Trace after;
  after.add_file(a);
  after.add_file(b);
  EXPECT_EQ(difference(after.lines, before.lines), b);
  EXPECT_EQ(difference(before.lines, before.lines), "");
  const std::time_t now = std::time(nullptr);
  EXPECT_EQ(unsettled(after.lines, now), a) << "it was written this moment";
  EXPECT_EQ(unsettled(after.lines, now, before.lines), b) << "the other held the same before";
  EXPECT_EQ(unsettled(after.lines, now + 100), "");
}

TEST_F(Traces, FollowWhatSourcesInclude) {
  const std::string a = write("a.hpp", "#include <vector>\n#  include \"b.hpp\"\n#include <c.hpp>\n"
                                       "#include <ridge/core/index.hpp>\n");
  const std::string b =
      write("b.hpp", "#include \"a.hpp\"\n#if __has_include(\"local.hpp\")\n#endif\n");
  const std::string c = write("else where/c.hpp", "\n");
  const SearchFolders folders = named_folders({"-DX=1", "-I" + folder + "else where", "-O2"});
  const Trace trace = trace_of_source(a, folders);
  EXPECT_TRUE(trace.whole);
  for (const std::string& file : {a, b, c})
    EXPECT_THAT(trace.lines, HasSubstr(file_digest(file).value() + " " + file + "\n"));
  // None of these is there: a file that appears would be read.
  for (const char* const name : {"local.hpp", "else where/local.hpp", "else where/vector"})
    EXPECT_THAT(trace.lines, HasSubstr("absent " + folder + name + "\n"));
  EXPECT_THAT(trace.lines, Not(HasSubstr("absent " + folder + "b.hpp")));
  write("else where/local.hpp", "");
  EXPECT_FALSE(holds(trace.lines));
  write("b.hpp", "#define NAME \"a.hpp\"\n#include NAME\n");
  EXPECT_FALSE(trace_of_source(a, folders).whole);
  EXPECT_EQ(trace_of_source("ridge/lab/kernels/stencil.hpp", folders).lines, "");
}

TEST_F(Traces, SeeWhatWouldComeBeforeAHeaderOfTheSystem) {
  SearchFolders folders;
  folders.all = {folder + "mine", folder + "compiler", folder + "system"};
  folders.own = {folder + "compiler"};
  folders.system = {folder + "system"};
  const std::string vector = write("compiler/bits/vector", "#include <none>\n");
  const std::string math = write("system/math.h", "#include NAME\n");
  const Trace trace = trace_of({vector, math}, folders);
  EXPECT_TRUE(trace.whole) << "compilers and packages are not followed";
  EXPECT_EQ(trace.lines, fmt::format("absent {0}mine/bits/vector\nabsent {0}mine/math.h\n{1} {2}\n",
                                     folder, file_digest(math).value(), math));
}

TEST_F(Traces, AskTheCompilerWhereItLooks) {
  const std::string compiler = find_program("g++");
  if (compiler.empty()) GTEST_SKIP() << "there is no g++";
  setenv("CPATH", (folder + "c++").c_str(), 1); // like a folder of the compiler's, by its name
  fs::create_directory(folder + "c++");
  const SearchFolders folders = folders_of(compiler, {"-I" + folder});
  unsetenv("CPATH");
  EXPECT_TRUE(folders.known);
  ASSERT_GE(folders.all.size(), 4U);
  EXPECT_EQ(folders.all[0] + "/", folder);
  EXPECT_EQ(folders.all[1], folder + "c++");
  EXPECT_FALSE(folders.is_constant(folder + "c++/coef.hpp"));
  EXPECT_FALSE(folders.own.empty());
  EXPECT_TRUE(folders.is_constant(folders.own.front() + "/vector"));
  EXPECT_FALSE(folders.is_constant("/usr/local/include/coef.hpp"));
  EXPECT_FALSE(folders.is_system("/usr/local/include/coef.hpp"));
  EXPECT_FALSE(folders.is_constant("/usr/include/stdio.h"));
  EXPECT_TRUE(folders.is_system("/usr/include/stdio.h"));
  EXPECT_FALSE(folders_of("/bin/false", {}).known);
}

} // namespace
} // namespace ridge::launch
