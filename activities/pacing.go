package activities

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// shareLife is how long the number of worker processes counts as known.
const shareLife = 15 * time.Second

// Pacing keeps the requests to each provider account within its limit a second. Each process takes an equal share of
// the limit, by the number of workers that beat: no request waits for another process, and none costs a round trip.
// Where workers come or go, the sum is off for as long as they take to notice. An exchange has one turn; what it needs
// beside its first request delays the turns after it. A nil one bounds nothing.
type Pacing struct {
	// Workers counts the running worker processes.
	Workers func(context.Context) (int, error)
	Clock   Clock

	mu      sync.Mutex
	by      map[string]*rate.Limiter
	crowds  map[string]crowd
	workers int
	counted time.Time
}

// know reads the number of workers where it is not known any more. It is called outside of any transaction, and reads
// without the lock: whoever holds a connection must not wait for one, and take waits for the lock inside a transaction.
func (p *Pacing) know(ctx context.Context) error {
	if p == nil {
		return nil
	}
	now := p.Clock()
	if p.knows(now) {
		return nil
	}
	n, err := p.Workers(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.workers, p.counted = max(n, 1), now // this one may not have beaten yet
	return nil
}

func (p *Pacing) knows(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.workers > 0 && now.Sub(p.counted) < shareLife
}

// take returns zero where a request of a payment may go out now, and else when it should ask again; it has no turn then.
// The wait grows with the crowd, up to longestQueue, so that all who wait ask little oftener than turns come.
func (p *Pacing) take(account, payment string, perSecond int) time.Duration {
	if p == nil || perSecond == 0 {
		return 0
	}
	now := p.Clock()
	p.mu.Lock()
	defer p.mu.Unlock()
	limiter := p.limiter(account, perSecond, now)
	turn := limiter.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait == 0 {
		delete(p.crowds[account], payment)
		return 0
	}
	turn.CancelAt(now)
	queue := time.Duration(float64(p.joins(account, payment, now)) / float64(limiter.Limit()) * float64(time.Second))
	wait = max(wait, min(queue*4/5, longestQueue))
	p.crowds[account][payment] = now.Add(wait)
	return wait
}

// longestQueue bounds what a payment waits before it asks again: its cancellation is seen then, and a limit that was raised.
const longestQueue = 2 * time.Minute

// crowd is which payments wait for an account in this process, and until when. They may ask another process next.
type crowd map[string]time.Time

// joins adds a payment to those that wait for an account, and returns how many do. Who has not come back in time has gone
// elsewhere. The caller holds the lock.
func (p *Pacing) joins(account, payment string, now time.Time) int {
	c := p.crowds[account]
	if c == nil {
		if p.crowds == nil {
			p.crowds = map[string]crowd{}
		}
		c = crowd{}
		p.crowds[account] = c
	}
	c[payment] = now
	for range crowdSweep { // in the random order of a map: all are seen soon, and no request pays for a large crowd
		for other, until := range c {
			if now.Sub(until) > crowdGrace {
				delete(c, other)
			}
			break
		}
	}
	return len(c)
}

const (
	// crowdGrace is how much later than asked a payment may come back and still be counted.
	crowdGrace = 30 * time.Second
	// crowdSweep is how many of those that wait are looked at by each that joins.
	crowdSweep = 4
)

// owe counts requests that went out beside the one that had a turn: the next turns wait for them.
func (p *Pacing) owe(account string, perSecond, requests int) {
	if p == nil || perSecond == 0 {
		return
	}
	now := p.Clock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for range requests {
		p.limiter(account, perSecond, now).ReserveN(now, 1)
	}
}

// limiter is that of an account, with this process's present share. The caller holds the lock.
func (p *Pacing) limiter(account string, perSecond int, now time.Time) *rate.Limiter {
	share := rate.Limit(float64(perSecond) / float64(max(p.workers, 1)))
	burst := max(1, int(share)/10)
	l := p.by[account]
	if l == nil {
		l = rate.NewLimiter(share, burst)
		if p.by == nil {
			p.by = map[string]*rate.Limiter{}
		}
		p.by[account] = l
	}
	if l.Limit() != share {
		l.SetLimitAt(now, share)
		l.SetBurstAt(now, burst)
	}
	return l
}
