#!/bin/bash -eu
# Builds every fuzz target with the compiler of the image, and packs the corpus of each.
cd "$SRC/broadaxe"
tar -xzf fuzz/corpus.tar.gz -C fuzz

# Overflow and debug assertions are checked, as in the nightly runs of the project.
cargo fuzz build -O --debug-assertions

built=fuzz/target/x86_64-unknown-linux-gnu/release
for source in fuzz/fuzz_targets/*.rs; do
  target=$(basename "${source%.rs}")
  cp "$built/$target" "$OUT/"
  printf '[libfuzzer]\nrss_limit_mb = 2048\ntimeout = 25\n' > "$OUT/$target.options"
  if [ -d "fuzz/corpus/$target" ]; then
    zip -jqr "$OUT/${target}_seed_corpus.zip" "fuzz/corpus/$target"
  fi
done
