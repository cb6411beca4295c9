//go:build !linux

package devstack

import (
	"os"
	"syscall"
)

// sysProcAttr is the portable fallback: no process group, no death signal, no other user. A server whose parent was
// killed survives here until it is stopped; stopping in order works everywhere.
func sysProcAttr(*Account, syscall.Signal) *syscall.SysProcAttr { return nil }

// killTree kills the process itself; PostgreSQL's backends notice and end by themselves.
func killTree(root *os.Process) error { return root.Kill() }

// workingDir is unknown here, so a lock file left by a killed server is judged by the server itself.
func workingDir(int) string { return "" }
