// Package serve owns the processes that run until they are stopped: the API, workers, both in one, and the simulator;
// with what they watch: gauges, alarms, and what a process with an API does beside it. It does not own the work
// itself.
package serve
