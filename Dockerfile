# One static binary in an image that holds nothing else: no shell, no package manager, no root.
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
# Modules first: they change less often than the code, so this layer is kept.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# The program names its build by a hash of itself, which Temporal's worker versioning needs: the context has no .git, and
# two sources must never share a name. -trimpath and the pinned compiler make the same source give the same hash.
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/perennial ./cmd/perennial \
    && mkdir -p /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/perennial /perennial
# Where the simulator keeps its ledger; everything else keeps nothing.
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
EXPOSE 8080 9090
ENTRYPOINT ["/perennial"]
CMD ["serve"]
