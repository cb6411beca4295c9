// Package cli owns what a command is: its words, flags, help and exit codes, how a fault is told, and the outside
// world of one command: the environment, the streams, the clock and the person at the terminal. It does not own any
// command.
package cli
