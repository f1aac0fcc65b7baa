#!/bin/busybox sh
# The machine's first program: the host's root read-only over 9p below a layer in memory, then the cases.
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in $(cat /modules/order); do insmod "/modules/$module" || echo "lab: $module cannot be loaded"; done
word() { printf '%b' "$(sed -n "s/.*lab\.$1=\([^ ]*\).*/\1/p" /proc/cmdline)"; } # a space of a path is told as \0040
lab=$(word folder) name=$(word name) boot=$(word boot) venv=$(word venv)
mkdir -p /host /layer /root
mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=524288 root /host
mount -t tmpfs -o size=60% layer /layer
mkdir /layer/upper /layer/work
cp -a /started/. /layer/upper
mount -t overlay -o lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work root /root
for place in proc sys dev; do mount --move /$place /root/$place; done
mount -t tmpfs run /root/run
mkdir -p /root/dev/shm && mount -t tmpfs shm /root/dev/shm
mkdir -p "/root/$lab" && mount --bind "/host/$lab" "/root/$lab"
mkdir -p /root/lib/modules && mount --bind "/host/$lab/kernel/lib/modules" /root/lib/modules
mkdir -p /root/mnt && mount -t ext4 /root/dev/vda /root/mnt
shell=${lab%/build/lab}/tests/lab/cases.sh
exec switch_root /root "$shell" "$lab" "$name" "$boot" "$venv"
