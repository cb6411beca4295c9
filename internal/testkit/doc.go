// Package testkit owns the shared servers of tests: each test gets a real PostgreSQL database and a real Temporal
// namespace. It does not own how those servers are started (devstack) nor the contents of the database (the caller
// passes its migration).
//
// `make test` starts both servers once for all packages and passes their addresses in TEST_DATABASE_URL and
// TEST_TEMPORAL_ADDRESS. Where these are absent, as in a plain `go test ./db`, each test process starts its own servers
// in a slot below .perennial/test that the next one reuses, and they end with the process: on Linux automatically,
// elsewhere when the package's TestMain calls Main.
package testkit
