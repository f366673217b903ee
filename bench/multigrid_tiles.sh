#!/bin/bash
# The tiles of multigrid's passes on a GPU: cycles under each, as the table of known tiles would have them and as tuning
# finds them. With OLD, a `ridge` of an earlier commit, cycles and solutions of both in turn: times within 2 %, bits alike.
#   RIDGE=build/ridge [OLD=other/build/ridge] bench/multigrid_tiles.sh [DEVICE] [SIZES]       (H200: about 100 s)
set -eu
ridge=$(realpath "${RIDGE:-build/ridge}")
device=${1:-cuda:0}
sizes=${2:-"129 257 513"}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export RIDGE_WISDOM=$folder/wisdom

# The medians of cycles, their tiles, and whether they were right: program, points, schedules.
cycle() {
  "$1" bench multigrid --size "${2}x${2}x$2" --device "$device" --repeat 15 --no-roof --schedule "$3" --json |
    python3 -c 'import json, sys
for r in json.load(sys.stdin):
    print(r["size"][0], "us", round(r["seconds"] * 1e6, 1), r["schedule"][16:], r.get("tiles", "-"), "right" if r["check"]["ok"] else "WRONG",
          "default_gain", round(r.get("default_gain", 1), 3))'
}
if [[ -n ${OLD:-} ]]; then
  old=$(realpath "$OLD")
  for n in $sizes; do
    for turn in 1 2 3; do
      echo "turn $turn old: $(cycle "$old" "$n" v)"
      echo "turn $turn new: $(cycle "$ridge" "$n" v)"
    done
  done
  python3 -c 'import h5py, numpy
h5py.File("f.h5", "w")["f"] = numpy.random.default_rng(1).standard_normal((129, 131, 257))' && for method in multigrid cg; do
    for program in "$old" "$ridge"; do
      "$program" solve poisson f.h5:/f -o u.h5:/u --overwrite --boundary x=dirichlet:0,y=periodic,z=mirror --method $method \
        --device "$device" --reproducible --json >solve.json
      echo "bits of $method by $program: $(python3 -c 'import h5py, hashlib
print(hashlib.md5(h5py.File("u.h5")["u"][...].tobytes()).hexdigest())')"
    done
  done
fi
for n in $sizes; do
  all="auto"
  for down in auto large small cells; do
    for up in auto large small cells; do all+="; down=$down up=$up"; done
  done
  cycle "$ridge" "$n" "$all; march_from=8000; march_from=64000; march_from=512000; march_from=4000000"
  "$ridge" tune multigrid --size "${n}x${n}x$n" --device "$device" --budget 8s
  echo "$n auto with wisdom: $(cycle "$ridge" "$n" auto)"
done
"$ridge" doctor multigrid --size 257x257x257 --device "$device" --schedule "down=large up=large" || true
"$ridge" doctor multigrid --size 257x257x257 --device "$device" --schedule "march_from=4000000" --prove || true
