#!/bin/sh
# Usage: sandbox.sh <folder> <program> <argument>…, in new user, mount, network and process namespaces.
# The program sees system libraries, the files of <folder>/project (read-only) and an empty /tmp; nothing else.
set -eu
root=$1/root
project=$1/project
program=$2
shift 2
mount -t tmpfs -o size=64m,mode=755 sandbox "$root"
for folder in /bin /sbin /lib /lib64 /usr; do
  if [ -L "$folder" ]; then
    cp -P "$folder" "$root$folder"
  elif [ -d "$folder" ]; then
    mkdir "$root$folder"
    mount --rbind "$folder" "$root$folder"
    mount -o remount,bind,ro "$root$folder"
  fi
done
mkdir "$root/tmp" "$root/proc" "$root/dev" "$root/project"
mount -t proc proc "$root/proc"
for device in null urandom; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount --bind "$project" "$root/project"
mount -o remount,bind,ro "$root/project"
: > "$root/program"
mount --bind "$program" "$root/program"
mount -o remount,bind,ro "$root/program"
exec chroot "$root" /bin/sh -c 'cd /project && exec /program "$@"' sh "$@"
