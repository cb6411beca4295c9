//go:build unix

package devstack

import (
	"os"
	"syscall"
)

// ours reports whether the file belongs to the user who runs this process. Root must not run programs that lie where
// another user can replace them, nor leave files of root in the home of the user who called sudo.
func ours(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
