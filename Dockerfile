# Concord in a container, with the compilers that it uses:
#
#   docker build -t concord .
#   docker run --rm -v "$PWD:/work" concord check program.c
FROM rust:1.91-slim-bookworm AS build
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends g++ \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --package concord

FROM debian:bookworm-slim
# The compiler reads programs and confirms violations, for 64 and for 32 bits; the solvers check certificates if asked to.
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends gcc gcc-multilib libc6-dev binutils z3 cvc5 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /source/target/dist/concord /usr/local/bin/concord
RUN concord doctor
WORKDIR /work
ENTRYPOINT ["concord"]
