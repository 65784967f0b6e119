#!/usr/bin/env bash
# Runs as root in the machine of tests/deployment/machine; stops at the first check that fails.
set -euo pipefail
trap 'echo "FAILED at line $LINENO"; journalctl --no-pager -u pauta -u caddy | tail -n 30' ERR
site=https://pauta.example.org

elapsed() { echo $(((($(date +%s%N) - began)) / 1000000)); }
ready() {
  for _ in $(seq 100); do curl -fso /dev/null http://127.0.0.1:8080/readyz && return; sleep 0.1; done
  return 1
}
as_pauta() { (cd /var/lib/pauta && sudo -u pauta pauta "$@"); }
status() { curl -sk -m 60 -o /dev/null -w '%{http_code}' "$@"; }

# The installation steps of docs/OPERATING.md.
useradd --system pauta
install -d -o pauta -g pauta -m 700 /var/lib/pauta
install -o root -g pauta -m 640 /dev/stdin /var/lib/pauta/pauta.toml <<TOML
public_url = "$site"
trusted_proxies = "127.0.0.1,::1"
TOML
install -m 644 /root/pauta.service /etc/systemd/system/
systemctl daemon-reload
systemd-analyze verify pauta.service
began=$(date +%s%N)
systemctl enable --now pauta
ready
echo "ready after $(elapsed) ms"
[ "$(stat -c %U:%a /var/lib/pauta/data/pauta.db)" = pauta:600 ]
! sudo -u nobody cat /var/lib/pauta/pauta.toml 2>/dev/null
systemd-analyze security --threshold=15 --no-pager pauta.service | tail -n 1

# The commands read the settings of the service.
as_pauta admin create --name 'Ana Lima' --email ana@example.org | grep -q "^$site/convite#"
token=$(as_pauta token create --email ana@example.org | grep -o 'svc_live_[A-Za-z0-9_.-]*' | head -n 1)
as_pauta backup /var/lib/pauta/copy
me() { status -H "Authorization: Bearer $token" http://127.0.0.1:8080/api/me; }
art() {
  status -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d '{"prompt":"87%\nvoltam"}' \
    http://127.0.0.1:8080/api/art
}
[ "$(me)" = 200 ]
[ "$(art)" = 200 ]

began=$(date +%s%N)
systemctl restart pauta
ready
echo "ready again $(elapsed) ms after a restart"
[ "$(me)" = 200 ]
kill -9 "$(systemctl show -P MainPID pauta)"
sleep 2
ready
[ "$(me)" = 200 ]

# Caddy with a certificate of its internal CA, and two clients with different IP addresses.
sed 's/^pauta.example.org {/&\n\ttls internal/' /root/Caddyfile >/etc/caddy/Caddyfile
systemctl restart caddy
for n in 2 3; do
  ip netns add "c$n"
  ip link add "v$n" type veth peer name "e$n" netns "c$n"
  ip addr add "10.0.$n.1/24" dev "v$n"
  ip link set "v$n" up
  ip -n "c$n" addr add "10.0.$n.2/24" dev "e$n"
  ip -n "c$n" link set "e$n" up
done
from() { ip netns exec "c$1" curl -sk -m 120 --resolve "pauta.example.org:443:10.0.$1.1" -o /dev/null -w '%{http_code}' "${@:2}"; }
for _ in $(seq 50); do [ "$(from 2 "$site/readyz")" = 200 ] && break; sleep 0.2; done
[ "$(from 2 "$site/readyz")" = 200 ]
# On port 80 the address of a calendar is refused, and every other address redirected.
unencrypted() {
  ip netns exec c2 curl -s -m 20 --resolve pauta.example.org:80:10.0.2.1 -o /dev/null -w '%{http_code} %{redirect_url}' "http://pauta.example.org$1"
}
[ "$(unencrypted /calendario/x/agenda.ics)" = '403 ' ]
[ "$(unencrypted /agenda?q=a)" = '301 https://pauta.example.org/agenda?q=a' ]
guess() {
  from "$1" -H "X-Forwarded-For: 192.0.2.$2" -H 'Content-Type: application/json' \
    -d '{"email":"ana@example.org","password":"errada-errada"}' "$site/auth/v1/token?grant_type=password"
}
answers=$(for n in $(seq 10); do guess 2 "$n"; done)
echo "ten wrong passwords from one address, whatever it claims: $answers"
[ "${answers: -3}" = 429 ]
[ "$(guess 3 1)" = 401 ]

# An upload of 60 MB is read to its end, and refused because it is not a video.
{ printf '\0\0\0\030ftypisom\0\0\2\0isomiso2'; head -c 60000000 /dev/zero; } >/var/tmp/video.mp4
upload=$(from 2 -H "Authorization: Bearer $token" -F 'file=@/var/tmp/video.mp4;type=video/mp4' "$site/api/upload")
[ "$upload" = 400 ]

began=$(date +%s%N)
systemctl stop pauta
took=$(elapsed)
echo "stopped after $took ms"
[ "$took" -lt 10000 ]
[ "$(systemctl show -P Result pauta)" = success ]
echo ok
