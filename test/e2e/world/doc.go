// Package world is a whole installation for end-to-end tests: the real binary, a PostgreSQL database, a Temporal
// namespace and the provider simulator as a process of its own, with the means to kill and restart each of them. It
// does not own what is asked of the installation (load) nor what must hold afterwards (check).
package world
