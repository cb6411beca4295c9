package wire

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// CopyLife bounds how long a Copy is used before it is read again.
	CopyLife = 5 * time.Minute
	// CopyRetry bounds how soon a reading that failed is repeated.
	CopyRetry = 30 * time.Second
	// copyPatience bounds the time that a slow provider may cost a request.
	copyPatience = 5 * time.Second
)

// Copy caches provider data about an account, so that few requests have to ask for it. A timer ends its life, since
// only the program's entry has a clock. The zero Copy is empty.
type Copy[T any] struct {
	group singleflight.Group
	mu    sync.Mutex
	known T
	fresh *time.Timer // ends the life of known; nil: nothing was read yet
}

// Get returns the copy, or what read returns where it is too old. Where read fails, which ok says, the last copy stays
// in use; the zero value: there is none.
func (c *Copy[T]) Get(ctx context.Context, read func(context.Context) (value T, ok bool)) T {
	if known, fresh := c.get(); fresh {
		return known
	}
	// One reading serves all requests that wait for it, so it must outlive the one that began it.
	done := c.group.DoChan("", func() (any, error) {
		if _, fresh := c.get(); !fresh {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyPatience)
			defer cancel()
			c.Put(read(ctx))
		}
		return nil, nil //nolint:nilnil // the copy holds the result
	})
	select {
	case <-done:
	case <-ctx.Done():
	}
	known, _ := c.get()
	return known
}

// Put stores a value that was read, or keeps the earlier one for a while longer.
func (c *Copy[T]) Put(value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	life := CopyRetry
	if ok {
		c.known, life = value, CopyLife
	}
	c.fresh = time.NewTimer(life)
}

func (c *Copy[T]) get() (known T, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fresh == nil {
		return c.known, false
	}
	select {
	case <-c.fresh.C:
		c.fresh = nil
		return c.known, false
	default:
		return c.known, true
	}
}
