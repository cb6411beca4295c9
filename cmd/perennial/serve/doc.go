// Package serve owns the processes that run until they are stopped: the API, workers, both in one, and the simulator;
// with their gauges and alarms, and the background work of a process with an API. It does not own the work itself.
package serve
