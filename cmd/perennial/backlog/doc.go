// Package backlog owns what waits, and from when on that is a fault: alarms, gauges and the doctor must agree on it.
// It does not own the queries (db), nor how a fault is told.
package backlog
