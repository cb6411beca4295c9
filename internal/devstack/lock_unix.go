//go:build unix

package devstack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// fileLock is a lock between processes. The kernel releases it when its holder ends, however it ends.
type fileLock struct{ f *os.File }

// tryLock takes the lock if it is free.
func tryLock(path string) (*fileLock, bool, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, false, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return &fileLock{f: f}, true, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, false, f.Close()
	default:
		return nil, false, errors.Join(err, f.Close())
	}
}

// lock waits for the lock; waiting is called once if another process has it.
func lock(ctx context.Context, path string, waiting func()) (*fileLock, error) {
	for first := true; ; first = false {
		l, ok, err := tryLock(path)
		if err != nil || ok {
			return l, err
		}
		if first && waiting != nil {
			waiting()
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// release gives the lock back; again is fine.
func (l *fileLock) release() error {
	if l == nil || l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	return f.Close()
}
