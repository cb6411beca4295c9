// Package cli owns the parts of a command: its words, flags, help and exit codes, the output of faults, and the outside
// world of one command: the environment, the streams, the clock and the person at the terminal. It does not own any
// command.
package cli
