//go:build !unix

package devstack

// reservedElsewhere knows nothing of other processes where the system has no byte locks.
func reservedElsewhere(int) bool { return false }
