// Package backlog owns the kinds of waiting work and the age at which each is a fault: alarms, gauges and the doctor
// must agree on them. It does not own the queries (db), nor how a fault is reported.
package backlog
