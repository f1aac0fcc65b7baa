#!/bin/sh
# Inside the machine: run the cases of this boot, tell how they ended, and wait for the end.
lab=$1 name=$2 boot=$3 venv=$4
top=${lab%/build/lab}
export PATH="$venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
export LANG=C PYTHONUTF8=1 PYTHONCOERCECLOCALE=0 # else each program that is started reads a locale of 13 files
case $venv in *[!\ -~]*) export LC_CTYPE=C.UTF-8 ;; esac # or Python cannot read of its own place
export HOME=/root PYTHONPATH="$top/src" PYTHONDONTWRITEBYTECODE=1 STEND_LAB=$boot NUMBA_CACHE_DIR=/tmp/numba
export NUMBA_CPU_NAME=generic NUMBA_CPU_FEATURES= # as the kernels that the host compiled (tests/lab/kernels.py)
export STEND_LAB_BUNDLE="$lab/bundle.js"
export OPENBLAS_NUM_THREADS=1 PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 # no threads in a process that is forked
exec > /dev/console 2>&1 < /dev/null
cd "$top" || exit
rm -rf /tmp/numba && cp -r "$lab/numba" /tmp/numba
ip link set lo up
for port in /sys/class/virtio-ports/*; do
    mkdir -p /dev/virtio-ports
    ln -sf "/dev/${port##*/}" "/dev/virtio-ports/$(cat "$port/name")"
done
exec > /dev/virtio-ports/lab.log 2>&1
eval "python -m pytest -o addopts= -p no:cacheprovider --strict-markers -v --tb=short --color=no --durations=40 --durations-min=0.5 \
    $(cat "$lab/$name/cases")"
echo "ended $?" > /dev/virtio-ports/lab.host
sleep 600
