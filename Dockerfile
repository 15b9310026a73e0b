# A server for a team, in an image that has nothing but the program:
#   docker build -t zkviz .
#   docker run --read-only -p 8080:8080 -e ZKVIZ_ALLOW_HOST=viz.example.com zkviz serve --zk zk-1:2181
# It writes no files, except recordings in /var/lib/zkviz, which its user owns: give it a volume. Every flag of serve has a variable, ZKVIZ_ and its name; docs/server.md says more.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make small && CGO_ENABLED=0 go build -trimpath -ldflags='-s -w -buildid=' -o /viz-server ./cmd/viz-server
RUN mkdir -m 0700 /records

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /viz-server /viz-server
COPY --from=build --chown=65532:65532 /records /var/lib/zkviz
USER 65532:65532
ENV ZKVIZ_ADDR=0.0.0.0:8080 ZKVIZ_LOG_FORMAT=json
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["/viz-server", "health"]
ENTRYPOINT ["/viz-server"]
CMD ["serve"]
