//go:build !unix

package devstack

import "context"

// fileLock does nothing where the system has no flock: two stacks in one directory are then the user's to avoid.
type fileLock struct{}

func tryLock(string) (*fileLock, bool, error) { return &fileLock{}, true, nil }

func lock(context.Context, string, func()) (*fileLock, error) { return &fileLock{}, nil }

func (l *fileLock) release() error { return nil }
