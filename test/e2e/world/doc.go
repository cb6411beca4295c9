// Package world is a whole installation for end-to-end tests: the real binary, a PostgreSQL database, a Temporal
// namespace and the provider simulator as a separate process, with the means to kill and restart each of them. It does
// not own the use of the installation (load) nor the checks afterwards (check).
package world
