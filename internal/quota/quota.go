// Package quota owns token buckets that several processes share: each decides alone and at once, and reports its
// spending to the others a moment later. It does not own who is counted, where the shared buckets are kept, nor the
// responses.
package quota

import (
	"context"
	"math"
	"sync"
	"time"
)

// Limit allows PerSecond requests in each second in the long run, and Burst at once.
type Limit struct{ PerSecond, Burst int }

// Quota bounds the requests of each key. It is safe for concurrent use.
//
// A process decides by its own copy of a bucket, without a request. Share subtracts what the process granted from the
// shared bucket and copies the rest, so that in the long run the processes together keep to the limit. Between two
// calls of Share each of them can grant what the others have granted too; the shared bucket is then below zero, and all
// processes wait until it is filled again.
type Quota struct {
	limit Limit

	mu      sync.Mutex
	buckets map[string]*bucket
}

// bucket is a process's copy.
type bucket struct {
	tokens float64
	at     time.Time // when there were as many
	spent  int       // not yet reported
	since  time.Time // when the first of those was
}

// New makes a quota whose buckets are full.
func New(l Limit) *Quota { return &Quota{limit: l, buckets: map[string]*bucket{}} }

// Grant is the answer to one request.
type Grant struct {
	OK   bool
	Left int           // requests that would be granted now
	Wait time.Duration // until one more is granted, or, where some are left, until the bucket is full
}

// Spent is the number of requests granted to a key, and the time in which they were.
type Spent struct {
	Requests int
	Within   time.Duration
}

// Limit returns the limit of each key.
func (q *Quota) Limit() Limit { return q.limit }

// Take spends one token of the key's, where there is one.
func (q *Quota) Take(key string, now time.Time) Grant {
	q.mu.Lock()
	defer q.mu.Unlock()
	b, known := q.buckets[key]
	if !known {
		b = &bucket{tokens: float64(q.limit.Burst), at: now}
		q.buckets[key] = b
	}
	q.fill(b, now)
	g := Grant{OK: b.tokens >= 1}
	if g.OK {
		if b.spent == 0 {
			b.since = now
		}
		b.tokens--
		b.spent++
	}
	missing := float64(q.limit.Burst) - b.tokens
	if g.Left = max(0, int(b.tokens)); g.Left == 0 {
		missing = 1 - b.tokens
	}
	g.Wait = time.Duration(missing / float64(q.limit.PerSecond) * float64(time.Second))
	return g
}

// fill adds the tokens that have accrued since. A clock that was set back adds nothing.
func (q *Quota) fill(b *bucket, now time.Time) {
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.tokens = math.Min(float64(q.limit.Burst), b.tokens+passed*float64(q.limit.PerSecond))
	}
	b.at = now
}

// Share reports the requests since its last call to tell, by key, and adopts its result: the tokens of the shared
// buckets afterwards. Where tell fails, the next call reports them again. Full buckets without requests are removed.
func (q *Quota) Share(
	ctx context.Context, now func() time.Time,
	tell func(ctx context.Context, spent map[string]Spent) (left map[string]float64, err error),
) error {
	spent := q.takeSpent(now())
	if len(spent) == 0 {
		return nil
	}
	left, err := tell(ctx, spent)
	q.mu.Lock()
	defer q.mu.Unlock()
	for key, s := range spent {
		b := q.buckets[key]
		switch tokens, told := left[key]; {
		case err != nil:
			b.spent += s.Requests
			b.since = now().Add(-s.Within)
		case told:
			b.tokens, b.at = tokens-float64(b.spent), now()
		}
	}
	return err
}

// Prune forgets full buckets, of a quota that is not shared.
func (q *Quota) Prune(now time.Time) { q.takeSpent(now) }

func (q *Quota) takeSpent(now time.Time) map[string]Spent {
	q.mu.Lock()
	defer q.mu.Unlock()
	spent := map[string]Spent{}
	for key, b := range q.buckets {
		q.fill(b, now)
		switch {
		case b.spent > 0:
			spent[key] = Spent{b.spent, now.Sub(b.since)}
			b.spent = 0
		case b.tokens >= float64(q.limit.Burst):
			delete(q.buckets, key)
		}
	}
	return spent
}
