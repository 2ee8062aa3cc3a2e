#!/bin/sh
# Installs Debian's Chromium for the browser test, where that is possible: Debian, as root.
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "no Chromium here and no way to install one: the browser test will skip"
    exit 0
fi
echo "installing chromium for the browser test"
apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null ||
    echo "chromium could not be installed: the browser test will skip"
exit 0
