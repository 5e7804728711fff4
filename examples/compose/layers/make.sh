#!/bin/sh
# Writes compose.yaml: LAYERS layers of WIDTH services; every layer waits for all of the one before, until they
# are `healthy`, `started` or have `completed`. Usage: ./make.sh [LAYERS] [WIDTH] [UNTIL] > compose.yaml
layers=${1:-4}
width=${2:-5}
until=${3:-healthy}
case $until in
  healthy) condition=service_healthy words="until all of the layer before are healthy" ;;
  started) condition=service_started words="until all of the layer before have started" ;;
  completed) condition=service_completed_successfully words="until all of the layer before have ended" ;;
  *) echo "one of: healthy, started, completed" >&2; exit 2 ;;
esac
echo "# Layers of services: each waits $words. Written by make.sh."
echo "name: layers"
echo "x-service: &service"
echo '  image: ${IMAGE:-busybox:1}'
echo '  command: sh -c "echo ok > /tmp/ready; exec sleep 1000"'
echo "  init: true"
if [ "$until" = healthy ]; then
  echo "  healthcheck: { test: [CMD, test, -f, /tmp/ready], interval: 1s, retries: 60 }"
fi
echo "services:"
layer=0
while [ "$layer" -lt "$layers" ]; do
  service=0
  while [ "$service" -lt "$width" ]; do
    echo "  l${layer}s${service}:"
    echo "    <<: *service"
    if [ "$until" = completed ] && [ "$layer" -lt $((layers - 1)) ]; then
      echo '    command: sh -c "exit 0"'
    fi
    if [ "$layer" -gt 0 ]; then
      echo "    depends_on:"
      other=0
      while [ "$other" -lt "$width" ]; do
        echo "      l$((layer - 1))s${other}: { condition: $condition }"
        other=$((other + 1))
      done
    fi
    service=$((service + 1))
  done
  layer=$((layer + 1))
done
