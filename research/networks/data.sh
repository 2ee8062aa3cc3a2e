#!/bin/sh
# The corpus and the data sets that the networks of docs/networks.md are trained and tested on: the
# JDK and the Debian projects of bench/recipes/naming.toml, 1.04 million methods. Needs Debian's
# apt-get (or src.zip of OpenJDK 17 as JDK=PATH), an hour of two processors, 6 GB of disk.
#
#   [LIU=DIR] [VARIANTS=1] sh research/networks/data.sh FOLDER [MOST]
#
# The corpus is not made again; a data set is, where the code that makes it has changed since.
set -eu

out=$1
most=${2:-160000}
here=$(cd "$(dirname "$0")/../.." && pwd)
codeacumen=${CODEACUMEN:-$here/.venv/bin/codeacumen}
mkdir -p "$out"
out=$(cd "$out" && pwd)

if [ -z "${JDK:-}" ]; then
    JDK=$out/jdk/usr/lib/jvm/openjdk-17/lib/src.zip
    if [ ! -f "$JDK" ]; then
        mkdir -p "$out/jdk"
        (cd "$out/jdk" && apt-get download openjdk-17-source && dpkg -x openjdk-17-source*.deb .)
    fi
fi

{
    cat "$here/bench/recipes/naming.toml"
    printf '\n[[project]]\nname = "openjdk"\nsource = "%s"\nexclude = ["**/com/sun/org/apache/**"]\n' "$JDK"
} >"$out/corpus.toml"

[ -f "$out/corpus/manifest.json" ] || "$codeacumen" corpus build "$out/corpus.toml" --out "$out/corpus"
"$codeacumen" dataset build gluecode "$out/corpus" --dedup --limit "$most" --out "$out/gluecode"
"$codeacumen" dataset build robustness "$out/corpus" --split test --certify binds --limit 2000 \
    --where single --where all --where 25% --where 50% --where 75% --where 100% \
    --out "$out/robustness"
# The same with the edits of the study's own tool, marked where they are wrong.
"$codeacumen" dataset build robustness "$out/corpus" --split test --kind published --certify binds \
    --limit 2000 --where single --where all --out "$out/published"
# 400 of Liu et al.'s wrong names, each among 33 methods of the test projects: misnamed/check.
# Their data comes only from a copy, in LIU, or was got before; all else does without it.
[ -z "${LIU:-}" ] || "$codeacumen" dataset get liu2019 --from "$LIU"
"$codeacumen" dataset build misnamed "$out/corpus" --split test --limit 400 \
    --out "$out/misnamed" || echo "misnamed/check cannot be asked: set LIU=DIR" >&2
# Variants to learn from, for codeacumen-base, where VARIANTS is set: 20 minutes more.
if [ -n "${VARIANTS:-}" ]; then
    "$codeacumen" dataset build robustness "$out/corpus" --split train --methods "$out/gluecode" \
        --certify binds --where single --where all --limit 20000 --out "$out/variants"
fi
