// Package quota owns token buckets that several processes share: each decides alone and at once, and tells the others
// what it spent a moment later. It does not own who is counted, where the shared buckets are kept, nor what a caller is
// answered.
package quota

import (
	"context"
	"math"
	"sync"
	"time"
)

// Limit allows PerSecond requests in each second in the long run, and Burst at once. PerSecond 0 allows any number.
type Limit struct{ PerSecond, Burst int }

// Quota bounds the requests of each key. It is safe for concurrent use.
//
// A process decides by its own copy of a bucket, without asking anybody. Share subtracts what it granted from the bucket
// that all processes share and copies what is left, so in the long run the processes together grant what the limit says.
// Between two calls of Share each of them can grant what the others have granted too; the shared bucket then holds less
// than nothing, and all processes wait until it is filled again.
type Quota struct {
	limit Limit

	mu      sync.Mutex
	buckets map[string]*bucket
}

// bucket is a process's copy.
type bucket struct {
	tokens float64
	at     time.Time // when there were as many
	spent  int       // since Share took it over
}

// New makes a quota whose buckets are full.
func New(l Limit) *Quota { return &Quota{limit: l, buckets: map[string]*bucket{}} }

// Grant is the answer to one request.
type Grant struct {
	OK    bool
	Left  int           // requests that would be granted now
	Wait  time.Duration // until a request is granted; 0 where one would be granted now
	Until time.Duration // until the bucket is full
}

// Limit is what each key may do.
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
		b.tokens--
		b.spent++
	}
	g.Left = max(0, int(b.tokens))
	g.Until = q.after(float64(q.limit.Burst) - b.tokens)
	if g.Left == 0 {
		g.Wait = q.after(1 - b.tokens)
	}
	return g
}

// fill adds what has accrued since. A clock that was set back adds nothing.
func (q *Quota) fill(b *bucket, now time.Time) {
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.tokens = math.Min(float64(q.limit.Burst), b.tokens+passed*float64(q.limit.PerSecond))
	}
	b.at = now
}

// after is how long a number of tokens takes to accrue.
func (q *Quota) after(tokens float64) time.Duration {
	return time.Duration(tokens / float64(q.limit.PerSecond) * float64(time.Second))
}

// Share tells what was spent since it was called last, by key, and takes over what tell answers: what the shared buckets
// hold after it. Where tell fails, the same is told again the next time. Full buckets of which nobody spent are
// forgotten.
func (q *Quota) Share(
	ctx context.Context, now func() time.Time,
	tell func(ctx context.Context, spent map[string]int) (left map[string]float64, err error),
) error {
	spent := q.takeSpent(now())
	if len(spent) == 0 {
		return nil
	}
	left, err := tell(ctx, spent)
	q.mu.Lock()
	defer q.mu.Unlock()
	for key, n := range spent {
		b := q.buckets[key]
		switch tokens, told := left[key]; {
		case err != nil:
			b.spent += n
		case told:
			b.tokens, b.at = tokens-float64(b.spent), now()
		}
	}
	return err
}

func (q *Quota) takeSpent(now time.Time) map[string]int {
	q.mu.Lock()
	defer q.mu.Unlock()
	spent := map[string]int{}
	for key, b := range q.buckets {
		q.fill(b, now)
		switch {
		case b.spent > 0:
			spent[key], b.spent = b.spent, 0
		case b.tokens >= float64(q.limit.Burst):
			delete(q.buckets, key)
		}
	}
	return spent
}
