# Not run yet: no container engine was at hand where it was written.
# docker build -t mcplock . && docker run --rm -v "$PWD:/project" mcplock verify
# Servers that need Node or Python need an image with them: copy the program into yours.
FROM rust:1-slim AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --release

FROM debian:stable-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /source/target/release/mcplock /usr/local/bin/mcplock
RUN useradd --create-home mcplock
USER mcplock
WORKDIR /project
ENTRYPOINT ["mcplock"]
