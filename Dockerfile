# Tessera in a container: pictures in, a gallery on port 8080.
#
#   docker build -t tessera .
#   docker run --rm -p 8080:8080 -v ~/Pictures:/pictures:ro -v tessera:/data tessera
#
# It prints a link with which you make your account. With --env TESSERA_OPEN=1, everybody sees everything.
#
#   docker run --rm -p 8080:8080 tessera demo
#
# Scripts/image builds it and tries it. It is built on Debian 12, where Swift's own image is, and runs on the libraries of
# Debian 13, which have the same names and newer decoders.

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        libargon2-dev libbrotli-dev libcurl4-openssl-dev libidn2-dev libmagic-dev libpq-dev libsqlite3-dev \
        libssl-dev libtiff-dev libvips-dev libwebp-dev pkg-config python3-minimal zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The dependencies change seldom: they are fetched in a layer of their own.
COPY Package.swift ./
RUN swift package resolve
COPY Packaging/icu.py Packaging/
COPY Sources Sources
# SwiftPM looks for the folder of every target, the tests' too.
COPY Tests Tests
RUN build() { \
        product=$1; shift; \
        swift build --configuration release --product "$product" --static-swift-stdlib -Xlinker --strip-all "$@" \
            && install -D "$(swift build --configuration release --show-bin-path)/$product" "/out/$product"; \
    } \
    && build tessera-renderer \
    && build tessera $(Packaging/icu.py /tmp/icu.o) \
    && Packaging/icu.py --check /out/tessera
COPY Packaging/licences Packaging/licences
COPY Packaging/linked Packaging/
RUN Packaging/linked /src /linked

# The browser front, bundled and compressed; by the esbuild of Debian 12, as in the tests.
FROM swift:6.3-bookworm AS front
RUN apt-get update \
    && apt-get install -y --no-install-recommends brotli esbuild python3-minimal \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Packaging/front.py Packaging/
COPY Public Public
RUN Packaging/front.py /front

# The root of the image is gathered here, from Debian's packages.
FROM debian:trixie-slim AS root
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        binutils ca-certificates fontconfig fonts-dejavu-core libargon2-1 libbrotli1 libcurl4t64 libheif-plugin-aomenc \
        libheif-plugin-dav1d libheif-plugin-libde265 libidn2-0 libmagic1t64 libpq5 libsqlite3-0 libvips42t64 \
        python3 shared-mime-info
COPY --from=build /out /out
COPY --from=build /linked /linked
COPY Packaging/image-root Packaging/magic.py Packaging/sbom.py /packaging/
RUN /packaging/image-root /out /image
RUN mkdir -p /image/usr/local/share/tessera /data \
    && cp -r /linked /image/usr/local/share/tessera/licences \
    && version=$(/out/tessera --version) \
    && /packaging/sbom.py --root /image --linked /linked --version "$version" \
        >/image/usr/local/share/tessera/sbom.spdx.json

FROM scratch
# VERSION and REVISION are of the checkout; SOURCE is the address of the repository.
ARG VERSION= REVISION= SOURCE=
LABEL org.opencontainers.image.title="Tessera" \
      org.opencontainers.image.description="A gallery server for a million pictures over a bad network" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=root /image /
COPY --from=root --chown=1000:1000 /data /data
COPY --from=front /front /usr/local/share/tessera/front
COPY LICENSE NOTICE /usr/share/doc/tessera/
ENV PATH=/usr/local/bin \
    TESSERA_HOST=0.0.0.0 \
    TESSERA_PORT=8080 \
    TESSERA_DATA=/data
USER 1000:1000
VOLUME ["/pictures", "/data"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 CMD ["tessera", "health"]
ENTRYPOINT ["tessera"]
CMD ["serve", "/pictures"]
