package devstack

import "syscall"

// freeSpace returns how many bytes an ordinary user can still write there.
func freeSpace(dir string) (free uint64, known bool) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || fs.Bsize <= 0 {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true
}
