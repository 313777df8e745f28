# Tessera in a container: pictures in, a gallery on port 8080.
#
#   docker build -t tessera .
#   docker run --rm -p 8080:8080 -v ~/Pictures:/pictures:ro -v tessera:/data tessera
#   docker run --rm -p 8080:8080 tessera demo

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        libbrotli-dev libcurl4-openssl-dev libhiredis-dev libmagic-dev libsqlite3-dev libvips-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The dependencies change seldom: they are fetched in a layer of their own.
COPY Package.swift ./
RUN swift package resolve
COPY Sources Sources
# SwiftPM looks for the folder of every target, the tests' too.
COPY Tests Tests
RUN for product in tessera-renderer tessera; do \
        swift build --configuration release --product "$product" --static-swift-stdlib -Xlinker --strip-all \
            && install -D "$(swift build --configuration release --show-bin-path)/$product" "/out/$product" || exit 1; \
    done

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Tessera" \
      org.opencontainers.image.description="A gallery server for a million pictures over a bad network"
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates libbrotli1 libcurl4 libhiredis0.14 libmagic1 libsqlite3-0 libvips42 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
    && useradd --uid 1000 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin tessera \
    && install -d -o tessera -g tessera /data \
    && install -d /pictures
COPY --from=build /out/tessera /out/tessera-renderer /usr/local/bin/
COPY Public /usr/local/share/tessera/Public
ENV TESSERA_HOST=0.0.0.0 \
    TESSERA_PORT=8080 \
    TESSERA_DATA=/data
USER tessera
VOLUME ["/pictures", "/data"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 CMD ["tessera", "health"]
ENTRYPOINT ["tessera"]
CMD ["serve", "/pictures"]
