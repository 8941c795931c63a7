# SPDX-License-Identifier: Apache-2.0
# tsunagi alone, on Debian 12: docker build -t tsunagi . && docker run --rm -v "$PWD:/work" tsunagi run my_run.json
# What it needs to be built says tools/packages.sh, what it needs to run the Debian package.
FROM debian:12 AS build
COPY . /tsunagi
WORKDIR /tsunagi
RUN sh tools/packages.sh dpkg-dev file \
  && cmake --preset release -G Ninja -DTSUNAGI_TESTS=OFF \
  && cmake --build --preset release --target tsunagi \
  && cpack -G DEB --config build/release/CPackConfig.cmake -B /packages

FROM debian:12-slim
COPY --from=build /packages/tsunagi_*.deb /tmp/
RUN apt-get update \
  && apt-get install -y --no-install-recommends /tmp/tsunagi_*.deb gnuplot-nox \
  && rm -rf /tmp/tsunagi_*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["tsunagi"]
