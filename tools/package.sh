# ./dev package: a tarball and Debian packages in build/packages. Sourced by ./dev.
package() {
  (PACKAGES=(dpkg-dev file); setup_packages)
  "$PYTHON" tools/notices.py
  say "Pack build/packages"
  rm -rf build/packages
  cpack --config build/CPackConfig.cmake -B build/packages >"$CACHE/package.log" 2>&1 ||
    { tail -20 "$CACHE/package.log" >&2; fail "cpack failed; see $CACHE/package.log"; }
  rm -rf build/packages/_CPack_Packages
  cp build/notices/sbom.cdx.json build/packages/
  (cd build/packages && sha256sum -- *.deb *.tar.gz >SHA256SUMS && ls -l)
}
