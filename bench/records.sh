# Sourced by scripts that are called with RIDGE DEVICE FOLDER and write JSON records.
ridge=$1 device=$2 folder=$3
here=$(dirname "$0")
mkdir -p "$folder"

# run NAME WORDS...: ridge bench WORDS, to FOLDER/NAME.json, each `$repeat` times; prints a line a record.
run() {
  local name=$1
  shift
  "$ridge" bench "$@" --device "$device" --repeat "${repeat:-15}" --json >"$folder/$name.json"
  python3 "$here/print_records.py" "$folder/$name.json"
}
