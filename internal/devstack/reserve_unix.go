//go:build unix

package devstack

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// portsFile is a file of which a process locks the byte of each port it has been given. The kernel releases the locks
// when the process ends, however it ends. The file stays open: closing any of its descriptors would release all bytes.
var portsFile = sync.OnceValues(func() (*os.File, error) {
	c, err := userCache()
	if err != nil {
		return nil, err
	}
	if err := c.mkdir(c.dir); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(c.dir, "ports.reserved"), os.O_CREATE|os.O_RDWR, 0o600)
})

// reservedElsewhere takes the port for this process, and reports whether another one has it. Without a place for the
// file it reports false.
func reservedElsewhere(port int) bool {
	f, err := portsFile()
	if err != nil {
		return false
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: int64(port), Len: 1}
	return syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock) != nil
}
