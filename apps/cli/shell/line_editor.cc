#include "shell/line_editor.h"

#include <fmt/format.h>
#include <histedit.h>
#include <sys/stat.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "output/display.h"
#include "output/print.h"
#include "terminal.h"

namespace lanewise::cli {

namespace {

constexpr int kHistorySize = 10'000;
constexpr size_t kListed = 100;  // completions that are shown

size_t common_prefix(const std::vector<std::string>& words) {
  size_t length = words[0].size();
  for (const std::string& word : words) {
    const auto [end, other] = std::mismatch(
        words[0].begin(), words[0].begin() + static_cast<ptrdiff_t>(length), word.begin(), word.end());
    length = static_cast<size_t>(end - words[0].begin());
  }
  return length;
}

/// The words in columns, below the line that is being edited.
void list(const std::vector<std::string>& words) {
  int widest = 0;
  for (const std::string& word : words) widest = std::max(widest, display_width(word));
  const int columns = std::max(1, terminal_width() / (widest + 2));
  std::string out = "\n";
  const size_t shown = std::min(words.size(), kListed);
  for (size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == shown || (i + 1) % static_cast<size_t>(columns) == 0;
    out += words[i];
    out += last ? "\n" : std::string(static_cast<size_t>(widest + 2 - display_width(words[i])), ' ');
  }
  if (shown < words.size()) out += fmt::format("... and {} more\n", words.size() - shown);
  print_text(out);
  flush_printed();
}

}  // namespace

struct LineEditor::State {
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string file, prompt;
  Complete complete;
  bool cancelled = false;

  static State& of(EditLine* editor) {
    void* state = nullptr;
    el_get(editor, EL_CLIENTDATA, &state);
    return *static_cast<State*>(state);
  }
  static char* show_prompt(EditLine* editor) { return of(editor).prompt.data(); }
  static unsigned char on_interrupt(EditLine* editor, int) {
    of(editor).cancelled = true;
    return CC_EOF;
  }
  static unsigned char on_tab(EditLine* editor, int) {
    const LineInfo* line = el_line(editor);
    const std::string before(line->buffer, line->cursor);
    const Completions found = of(editor).complete(before);
    if (found.words.empty()) return CC_REFRESH_BEEP;
    const std::string prefix = found.words[0].substr(0, common_prefix(found.words));
    const size_t typed = before.size() - found.begin;
    if (prefix.size() > typed || (found.words.size() == 1 && prefix != before.substr(found.begin))) {
      // As typed, in any case, gives way to what it stands for.
      el_deletestr(editor, display_characters(before.substr(found.begin)));
      el_insertstr(editor, prefix.c_str());
      return CC_REFRESH;
    }
    if (found.words.size() == 1) return CC_REFRESH_BEEP;
    list(found.words);
    return CC_REDISPLAY;
  }
  /// Characters, not bytes, are what the editor deletes.
  static int display_characters(const std::string& text) {
    return static_cast<int>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
  }
};

LineEditor::LineEditor(std::string history, Complete complete) : state_(std::make_unique<State>()) {
  if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
  state_->complete = std::move(complete);
  state_->file = std::move(history);
  state_->editor = el_init("lanewise", stdin, stdout, stderr);
  EditLine* editor = state_->editor;
  el_set(editor, EL_CLIENTDATA, state_.get());
  el_set(editor, EL_PROMPT, &State::show_prompt);
  el_set(editor, EL_EDITOR, "emacs");
  state_->history = history_init();
  HistEvent event;
  ::history(state_->history, &event, H_SETSIZE, kHistorySize);
  ::history(state_->history, &event, H_SETUNIQUE, 1);
  if (!state_->file.empty()) ::history(state_->history, &event, H_LOAD, state_->file.c_str());
  el_set(editor, EL_HIST, ::history, state_->history);
  el_set(editor, EL_ADDFN, "sql-complete", "Complete the word", &State::on_tab);
  el_set(editor, EL_ADDFN, "sql-cancel", "Cancel the statement", &State::on_interrupt);
  el_set(editor, EL_BIND, "^I", "sql-complete", NULL);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
  el_set(editor, EL_BIND, "\\e[1;5C", "em-next-word", NULL);  // Ctrl and the arrows
  el_set(editor, EL_BIND, "\\e[1;5D", "ed-prev-word", NULL);
  el_set(editor, EL_BIND, "\\e[3~", "ed-delete-next-char", NULL);
  el_set(editor, EL_SETTY, "-d", "-isig", NULL);  // Ctrl-C is a key while a line is edited.
  el_set(editor, EL_BIND, "^C", "sql-cancel", NULL);
  el_source(editor, nullptr);  // ~/.editrc
}

LineEditor::~LineEditor() {
  HistEvent event;
  if (!state_->file.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(state_->file).parent_path(), ignored);
    const mode_t before = ::umask(0077);  // statements may hold secrets
    ::history(state_->history, &event, H_SAVE, state_->file.c_str());
    ::umask(before);
  }
  el_end(state_->editor);
  history_end(state_->history);
}

LineEditor::Outcome LineEditor::read(const std::string& prompt, std::string& line) {
  state_->prompt = prompt;
  state_->cancelled = false;
  int size = 0;
  const char* text = el_gets(state_->editor, &size);
  if (state_->cancelled) {
    el_reset(state_->editor);
    print_text("^C\n");
    flush_printed();
    return Outcome::kCancelled;
  }
  if (text == nullptr || size <= 0) return Outcome::kEnd;
  line.assign(text, static_cast<size_t>(size));
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  return Outcome::kLine;
}

void LineEditor::remember(const std::string& text) {
  HistEvent event;
  ::history(state_->history, &event, H_ENTER, text.c_str());
}

}  // namespace lanewise::cli
