FROM rust:1.95.0-slim-bookworm AS build
# The commit that the start line names: --build-arg GIT_COMMIT=$(git rev-parse HEAD)
ARG GIT_COMMIT
WORKDIR /src
COPY . .
# Dependencies stay compiled between builds, in caches that are no part of the image. Cargo compares times
# of files, and an older checkout must not get the binary of a newer one.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/target \
    find . -type f -exec touch {} + \
    && cargo build --release --locked --target-dir /target \
    && cp /target/release/pauta /usr/local/bin/pauta \
    && install -d -m 700 /empty/data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /usr/local/bin/pauta /usr/local/bin/pauta
COPY --from=build --chown=nonroot:nonroot /empty /
WORKDIR /data
ENV PAUTA_LISTEN=0.0.0.0:8080 PAUTA_DATABASE_URL=sqlite:///data/pauta.db TMPDIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s CMD ["pauta", "ready"]
ENTRYPOINT ["pauta"]
CMD ["serve"]
