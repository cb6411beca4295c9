# One static binary in an image that holds nothing else: no shell, no package manager, no root.
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
# Modules first: they change less often than the code, so this layer is kept.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG BUILD_ID=unversioned
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/perennial ./cmd/perennial \
    && mkdir -p /out/data

FROM scratch
ARG BUILD_ID=unversioned
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/perennial /perennial
# Where the simulator keeps its ledger; everything else keeps nothing.
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
# Temporal's worker versioning knows this build by this name.
ENV PERENNIAL_BUILD_ID=$BUILD_ID
EXPOSE 8080 9090
ENTRYPOINT ["/perennial"]
CMD ["serve"]
