#!/bin/sh
# What some tests need beside Python, installed where that is possible (Debian, as root):
# a Chromium for the report, the JDK's source to compare with javac. Elsewhere those tests skip
# and say why.
wanted=""

# Debian's JDK has links to its source whether that is there or not.
jdk_source() {
    for archive in /usr/lib/jvm/*17*/lib/src.zip; do
        if [ -f "$archive" ]; then return 0; fi
    done
    return 1
}

if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null &&
    ! command -v google-chrome >/dev/null; then
    wanted="$wanted chromium"
fi
if command -v javac >/dev/null && ! jdk_source; then
    wanted="$wanted openjdk-17-source"
fi
if [ -z "$wanted" ]; then exit 0; fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "not here, and no way to install it:$wanted. The tests that need it will skip"
    exit 0
fi
echo "installing for the tests:$wanted"
apt-get update -qq
for package in $wanted; do
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null ||
        echo "$package could not be installed: the tests that need it will skip"
done
exit 0
