#include "shell/line_editor.h"

#include <fmt/format.h>
#include <histedit.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cwchar>
#include <filesystem>
#include <utility>

#include "output/display.h"
#include "process/print.h"
#include "process/terminal.h"
#include "shell/painted_line.h"

namespace lanewise::cli {

namespace {

constexpr int kHistorySize = 10'000;
constexpr size_t kListed = 100;  // most completions to show

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

volatile std::sig_atomic_t resized = 0;

/// While it is alive, `resized` is set when the terminal's size changes; poll() then ends with EINTR.
class ResizeWatch {
 public:
  ResizeWatch() {
    struct sigaction action{};
    action.sa_handler = [](int) { resized = 1; };
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGWINCH, &action, &before_);
  }
  ResizeWatch(const ResizeWatch&) = delete;
  ResizeWatch& operator=(const ResizeWatch&) = delete;
  ~ResizeWatch() { ::sigaction(SIGWINCH, &before_, nullptr); }

 private:
  struct sigaction before_{};
};

bool input_waits() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) > 0;
}

/// False for TERM=dumb.
bool moves_cursor(EditLine* editor) {
  char* up = nullptr;
  return el_get(editor, EL_GETTC, "up", &up) == 0 && up != nullptr && *up != '\0';
}

/// Ctrl-R's own line, below the one that it finds.
size_t begin_of_search(std::string_view line) {
  const size_t last = line.rfind('\n');
  if (last == std::string_view::npos) return line.size();
  const std::string_view search = line.substr(last + 1);
  return search.starts_with("bck") || search.starts_with("fwd") ? last : line.size();
}

}  // namespace

struct LineEditor::State {
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string file, prompt;
  Complete complete;
  HighlightLine highlight;
  bool cancelled = false;
  bool moves_cursor = false;

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
      // The typed prefix, in any case, is replaced by the completion.
      el_deletestr(editor, display_characters(before.substr(found.begin)));
      el_insertstr(editor, prefix.c_str());
      return CC_REFRESH;
    }
    if (found.words.size() == 1) return CC_REFRESH_BEEP;
    list(found.words);
    return CC_REDISPLAY;
  }
  LinePlace place() const {
    int columns = 0, rows = 0;
    el_get(editor, EL_GETTC, "co", &columns);
    el_get(editor, EL_GETTC, "li", &rows);
    return {display_width(prompt), columns, rows};
  }
  /// libedit draws without colours. Colours do not move the cursor, so libedit's model of the screen stays
  /// right.
  void paint() const {
    if (!highlight) return;
    const LineInfo* info = el_line(editor);
    const std::string line(info->buffer, info->lastchar);
    const size_t end = begin_of_search(line);
    std::vector<Highlight> highlights = highlight(line.substr(0, end));
    highlights.resize(line.size(), Highlight::kPlain);
    print_text(painted_line(line, static_cast<size_t>(info->cursor - info->buffer), highlights, place()));
    flush_printed();
  }
  /// A terminal that rewraps lines also moves the cursor.
  void redraw_resized() const {
    resized = 0;
    const LineInfo* info = el_line(editor);
    LinePlace now = place();
    now.columns = terminal_width();
    const int row =
        cell_of({info->buffer, info->lastchar}, static_cast<size_t>(info->cursor - info->buffer), now).row;
    print_text(fmt::format("\r{}\x1b[J", row > 0 ? fmt::format("\x1b[{}A", row) : ""));
    flush_printed();
    el_resize(editor);
    el_set(editor, EL_REFRESH);
    paint();
  }
  /// libedit calls it after drawing the line. 1: a character was read; 0: end of input; -1: an error.
  static int read_character(EditLine* editor, wchar_t* character) {
    const State& state = of(editor);
    if (!input_waits()) state.paint();
    std::array<char, MB_LEN_MAX> bytes{};
    size_t size = 0;
    while (true) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      const int ready = ::poll(&input, 1, -1);
      if (resized != 0 && state.moves_cursor) state.redraw_resized();
      if (ready < 0 && errno == EINTR) continue;
      const ssize_t got = ready < 0 ? -1 : ::read(STDIN_FILENO, &bytes[size], 1);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) return static_cast<int>(got);
      std::mbstate_t fresh{};
      const size_t length = std::mbrtowc(character, bytes.data(), ++size, &fresh);
      if (length == static_cast<size_t>(-1)) size = 0;  // invalid bytes are dropped
      if (length > size) continue;
      // Pasted lines are painted once, at their end.
      if ((*character == L'\r' || *character == L'\n') && input_waits()) state.paint();
      return 1;
    }
  }
  /// The editor deletes characters, not bytes.
  static int display_characters(const std::string& text) {
    return static_cast<int>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
  }
};

LineEditor::LineEditor(std::string history, Complete complete, HighlightLine highlight)
    : state_(std::make_unique<State>()) {
  if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
  state_->complete = std::move(complete);
  state_->file = std::move(history);
  state_->editor = el_init("lanewise", stdin, stdout, stderr);
  EditLine* editor = state_->editor;
  el_set(editor, EL_CLIENTDATA, state_.get());
  el_set(editor, EL_PROMPT, &State::show_prompt);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_GETCFN, &State::read_character);
  state_->moves_cursor = moves_cursor(editor);
  if (state_->moves_cursor) state_->highlight = std::move(highlight);
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
  el_set(editor, EL_BIND, "\\e[1;5C", "em-next-word", NULL);  // Ctrl with arrow keys
  el_set(editor, EL_BIND, "\\e[1;5D", "ed-prev-word", NULL);
  el_set(editor, EL_BIND, "\\e[3~", "ed-delete-next-char", NULL);
  el_set(editor, EL_SETTY, "-d", "-isig", NULL);  // While a line is edited, Ctrl-C is an ordinary key.
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
  const ResizeWatch watch;
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
