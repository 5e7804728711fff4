#!/bin/sh
# Writes compose.yaml: LAYERS layers of WIDTH services; every layer waits until all of the one before are
# healthy. Usage: ./make.sh [LAYERS] [WIDTH] > compose.yaml
layers=${1:-4}
width=${2:-5}
echo "# Layers of services: each waits until all of the layer before are healthy. Written by make.sh."
echo "name: layers"
echo "x-service: &service"
echo '  image: ${IMAGE:-busybox:1}'
echo '  command: sh -c "echo ok > /tmp/ready; exec sleep 1000"'
echo "  init: true"
echo "  healthcheck: { test: [CMD, test, -f, /tmp/ready], interval: 1s, retries: 60 }"
echo "services:"
layer=0
while [ "$layer" -lt "$layers" ]; do
  service=0
  while [ "$service" -lt "$width" ]; do
    echo "  l${layer}s${service}:"
    echo "    <<: *service"
    if [ "$layer" -gt 0 ]; then
      echo "    depends_on:"
      other=0
      while [ "$other" -lt "$width" ]; do
        echo "      l$((layer - 1))s${other}: { condition: service_healthy }"
        other=$((other + 1))
      done
    fi
    service=$((service + 1))
  done
  layer=$((layer + 1))
done
