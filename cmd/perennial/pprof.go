//go:build pprof

package main

import (
	"net/http"
	_ "net/http/pprof" // its handlers are what this file is for
	"os"
	"time"
)

// A binary built with -tags pprof, as `make bench ARGS=--profile` does, serves profiles at PPROF_ADDRESS. The product
// is built without: a billing service must not serve the contents of its memory.
func init() {
	address := os.Getenv("PPROF_ADDRESS")
	if address == "" {
		return
	}
	server := &http.Server{Addr: address, ReadHeaderTimeout: time.Second}
	go func() { _ = server.ListenAndServe() }() // without profiles, the bench says so
}
