#!/bin/sh
# usage: trace_cached_reads.sh PROGRAM
# Runs cached_reads under strace and fails if any thread makes a system call between its two marks. Exit code 77: it
# cannot be traced here.
set -u
program=$1
trace=$(mktemp) || exit 1
trap 'rm -f "$trace"' EXIT

command -v strace >/dev/null || { echo "strace is not installed"; exit 77; }
strace -o "$trace" true 2>/dev/null || { echo "strace may not trace"; exit 77; }

strace -f -o "$trace" "$program" || exit 1
grep -q cached-reads-begin "$trace" || { echo "the first mark is missing"; exit 1; }
grep -q cached-reads-end "$trace" || { echo "the second mark is missing"; exit 1; }
between=$(sed -n '/cached-reads-begin/,/cached-reads-end/p' "$trace" | grep -v 'cached-reads-')
if [ -n "$between" ]; then
  echo "system calls during cached reads:"
  echo "$between" | head -20
  exit 1
fi
echo "no system call during cached reads"
