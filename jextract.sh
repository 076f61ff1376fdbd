#!/usr/bin/env bash
# Regenerates the sources of dev.verbena.verbs.abi from the installed headers of rdma-core (libibverbs, librdmacm): the symbols
# that bindings/jextract.includes names, and no others. The result is committed; building Verbena needs neither jextract nor a C compiler.
#
#   ./jextract.sh           writes them, and into the head of that file which jextract and which rdma-core they were made with:
#                           the same two give the same bytes
#   ./jextract.sh --check   writes nothing; says which of the committed files differ, with status 1, and whether jextract and rdma-core are others
#
# JEXTRACT=/path/to/jextract says where jextract is, otherwise the PATH does: in the clone that it was built in, which tells its commit.
# Status 2: something it needs is missing.
set -euo pipefail
export LC_ALL=C.UTF-8
unset JAVA_TOOL_OPTIONS CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")"

package=dev.verbena.verbs.abi
folder=${package//.//}
committed=bindings/src/main/java/$folder
headers=('<infiniband/verbs.h>' '<rdma/rdma_cma.h>')

fail() { printf 'jextract.sh: %s\n' "$1" >&2; exit 2; }

case "${1-}" in
  '' | --check) ;;
  *) fail "unknown argument=$1: call it without any, or with --check." ;;
esac

jextract=${JEXTRACT:-$(command -v jextract || true)}
[[ -n $jextract ]] || where="on the PATH"
[[ -x $jextract ]] || fail "jextract is not ${where:-executable at JEXTRACT=$jextract}: \
clone https://github.com/openjdk/jextract (branch master), build it with a JDK 25 and libclang as its README says (./gradlew -Pjdk_home=JDK -Pllvm_home=LLVM), \
and set JEXTRACT=its build/jextract/bin/jextract."
jextract=$(realpath "$jextract")

for header in "${headers[@]}"; do
  name=/usr/include/${header:1:-1}
  [[ -r $name ]] || fail "the header $name is missing: install rdma-core's development files (Debian: libibverbs-dev and librdmacm-dev)."
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
includes=$PWD/bindings/jextract.includes

# jextract --version tells no commit; the clone around it does. The release of rdma-core is the end of libibverbs' version: 1.14.44.0.
commit=unknown
clone=$(git -C "$(dirname "$jextract")" rev-parse --show-toplevel 2> /dev/null || true)
[[ ! -r $clone/src/main/java/org/openjdk/jextract/JextractTool.java ]] ||
  commit=$(git -C "$clone" describe --always --abbrev=40 --dirty --exclude='*')
release=$(cat /usr/lib/*/pkgconfig/libibverbs.pc /usr/lib{,64}/pkgconfig/libibverbs.pc 2> /dev/null | sed -nE 's/^Version: [0-9]+\.[0-9]+\.([0-9.]+)$/\1/p' | head -1 || true)
here="jextract $commit and rdma-core ${release:-unknown}"
made=$(sed -nE 's/^# Made with (jextract .+ and rdma-core .+):.*/\1/p' "$includes")
if [[ ${1-} != --check ]]; then
  [[ $here != *unknown* ]] || fail "the sources would be made with $here: take a jextract inside the clone that it was built in, and install libibverbs-dev with its libibverbs.pc."
elif [[ $here != "$made" ]]; then
  echo "jextract.sh: the committed sources were made with $made, here is $here." >&2
fi

# In an empty folder: jextract adds its working directory to the include path and reads a compile_flags.txt there.
mkdir "$scratch/empty"
(cd "$scratch/empty" && "$jextract" --output "$scratch/out" --target-package "$package" --header-class-name rdma_core_h \
  "@$includes" "${headers[@]}") > "$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "jextract failed, see above."; }
out=$scratch/out/$folder

# jextract passes over a name that the headers do not have; we don't.
sed -nE 's/^    public static .* ([A-Za-z0-9_]+)\(.*/\1/p' "$out/rdma_core_h.java" > "$scratch/names"
find "$out" -name '*.java' -printf '%f\n' | sed 's/\.java$//' >> "$scratch/names"
missing=$(awk 'FNR == NR { have[$1]; next } /^--include-/ && !($2 in have) { print $2 }' "$scratch/names" "$includes")
[[ -z $missing ]] || fail "these headers of rdma-core have no ${missing//$'\n'/ }: install a newer rdma-core, or take the names out of $includes."

# A symbol is looked up when its function is first called, by our class: jextract's own way throws in a static initialiser where the
# library is missing, and its findOrThrow is newer than Java 22.
sed -i -E \
  -e '/^    static final Arena LIBRARY_ARENA = /,/^$/d' \
  -e '/^    static final SymbolLookup SYMBOL_LOOKUP = /,/;$/d' \
  -e 's/\bSYMBOL_LOOKUP\.findOrThrow\(/dev.verbena.verbs.library.NativeLibrary.require(/' "$out"/*.java

# A function is bound when it is first called, and not when only its address is wanted, for which another binding may be due (LibIbverbs).
sed -i -E \
  -e 's/^        (public static final MethodHandle HANDLE = Linker\.nativeLinker\(\)\.downcallHandle\(ADDR, DESC\);)$/        static class Bound { \1 }/' \
  -e 's/^(        (return|var mh\$ =) [A-Za-z0-9_]+)\.HANDLE;$/\1.Bound.HANDLE;/' "$out/rdma_core_h.java"
(($(grep -cE '[^.]HANDLE = ' "$out/rdma_core_h.java") == $(grep -c 'static class Bound { ' "$out/rdma_core_h.java"))) ||
  fail "this jextract binds functions in a way that this script does not know."

# The size of a mutex is the one thing in these layouts that differs between the architectures that AbiCheck allows; each offset behind it follows.
mutex=dev.verbena.verbs.library.CLibraryTypes.PTHREAD_MUTEX_BYTE_SIZE
sed -i -E -e 's/(MemoryLayout\.sequenceLayout\()[0-9]+(, rdma_core_h\.C_CHAR\)\.withName\("__size"\))/\1'"$mutex"'\2/' \
  -e 's/(__size\$DIMS = \{ )[0-9]+ /\1'"$mutex"' /' "$out/pthread_mutex_t.java"
(($(grep -c "$mutex" "$out/pthread_mutex_t.java") == 2)) || fail "this jextract writes the size of pthread_mutex_t in a way that this script does not know."

! grep -nE "SYMBOL_LOOKUP|LIBRARY_ARENA|findOrThrow|$scratch|/usr/|${HOME:-/home}/" "$out"/*.java >&2 ||
  fail "this jextract writes its symbol lookup or a path of this machine in a way that this script does not know, see above."

if [[ ${1-} == --check ]]; then
  diff -rq "$committed" "$out" || { echo "jextract.sh: the committed sources differ from what these headers give: run ./jextract.sh and look at the changes." >&2; exit 1; }
  echo "jextract.sh: $(ls "$out" | wc -l) files are as committed."
else
  mkdir -p "$committed"
  rm -f "$committed"/*.java
  cp "$out"/*.java "$committed"
  sed -i -E "s/^# Made with jextract .+ and rdma-core [^:]+:/# Made with $here:/" "$includes"
  echo "jextract.sh: $(ls "$out" | wc -l) files written to $committed"
fi
