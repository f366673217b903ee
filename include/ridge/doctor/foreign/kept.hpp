// Findings of a program beside its timeline and its counts, as texts that --keep keeps.
#pragma once

#include <ridge/doctor/foreign/kernel.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::doctor {

/// Lines that spill, by a kernel's mangled name.
using SpillLines = std::map<std::string, std::vector<SpillLine>, std::less<>>;

/// Reads what `nvdisasm -g` prints of a cubin: for each kernel the source lines of its stores to
/// and loads from local memory, where spilled registers and indexed arrays of threads lie. A line
/// 0: the cubin has no line information.
[[nodiscard]] SpillLines read_disassembly(std::string_view text);

/// A line each: kernel, file, line, stores, loads, apart by tabs.
[[nodiscard]] std::string to_text(const SpillLines& lines);
/// Reads that again; lines that are none are left out.
[[nodiscard]] SpillLines read_spill_lines(std::string_view text);
void add_spill_lines(Foreign& all, const SpillLines& lines);

/// All that a run knows beside its timeline and the profilers' files, a line each: the program's
/// own time, the roof that was measured, notes, and what experiments brought.
[[nodiscard]] std::string run_text_of(const Foreign& all);
/// Takes that again; lines that are none are left out.
void take_run(Foreign& all, std::string_view text);

/// A line each: name and number of a card's state.
[[nodiscard]] std::string to_text(const CardState& card);
[[nodiscard]] CardState read_card(std::string_view text);

} // namespace ridge::doctor
