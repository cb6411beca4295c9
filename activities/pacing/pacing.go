// Package pacing bounds the requests to accounts at payment providers: how many a second (Pacer), and how many at a
// time (Slots).
package pacing

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"perennial/activities/execution"
	"perennial/billing/charging"
)

// shareLife is the time after which the number of worker processes is read again.
const shareLife = 15 * time.Second

// Pacer keeps the requests to each provider account within its limit a second. Each process takes an equal share of the
// limit, by the number of workers that beat: no request waits for another process, and none costs a round trip. Where
// workers come or go, the sum is off for as long as they take to notice. An exchange has one turn; its further requests
// delay the turns after it. A nil Pacer bounds nothing.
//
// Where there are more requests than the limit allows, first sends and polls return at a promised turn, so that a crowd
// costs little more than its requests. Polls take at most half of the turns, so that accepted payments do not keep
// others from being sent. A request from a callback or a person's command tries again soon. While turns are promised, a
// first send without a promise waits behind those with one, so that a promised turn is free when its request returns.
type Pacer struct {
	// Workers counts the running worker processes.
	Workers func(context.Context) (int, error)
	Clock   execution.Clock
	// Sleepers bounds the exchanges of all accounts that wait for their turns on the spot, each in a slot of the
	// worker; zero: they are not bounded.
	Sleepers int

	mu      sync.Mutex
	by      map[string]*turns
	asleep  []time.Time // until when
	workers int
	counted time.Time
}

// Know reads the number of workers where it is not known any more. It is called outside of any transaction, and reads
// without the lock: a caller that holds a connection must not wait for another, and Take waits for the lock inside a
// transaction.
func (p *Pacer) Know(ctx context.Context) error {
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

func (p *Pacer) knows(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.workers > 0 && now.Sub(p.counted) < shareLife
}

const (
	// longestTurn is the longest wait for a turn that is given to a request.
	longestTurn = 10 * time.Minute
	// contested is the time for which polls keep to their half after a first send has waited, which may wait for as
	// long.
	contested = longestTurn
)

// turns has the turns of one account in this process.
type turns struct {
	all, polls     *rate.Limiter
	contestedUntil time.Time
	next, nextPoll time.Time // the turn after all promised turns
	late           time.Time // the turn after those of first sends that returned late for theirs
}

// Take takes a turn: mine, which comes after the wait, or else it returns for how long to wait before asking again.
// promised is the turn that a first send was given before; zero: it comes for the first time.
func (p *Pacer) Take(
	account string, perSecond int, why charging.Errand, promised time.Time,
) (wait time.Duration, mine bool) {
	if p == nil || perSecond == 0 {
		return 0, true
	}
	now := p.Clock()
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.turnsOf(account, perSecond, now)
	turn := t.all.ReserveN(now, 1)
	wait = turn.DelayFrom(now)
	switch why {
	case charging.ErrandSend:
		due := !promised.IsZero() && !now.Before(promised)
		mine = due && wait <= t.near() && p.room(wait, now) || wait == 0 && !now.Before(t.next)
	case charging.ErrandPoll:
		if now.After(t.contestedUntil) {
			mine = wait == 0
		} else {
			mine = wait <= t.near() && p.room(wait, now) && t.polls.AllowN(now, 1) // sends leave no turn unused
		}
	default: // urgent
		mine = wait == 0
	}
	if mine {
		if wait > 0 {
			p.asleep = append(p.asleep, now.Add(wait))
		}
		return wait, true
	}
	turn.CancelAt(now)
	switch why {
	case charging.ErrandSend:
		wait = t.promiseSend(now.Add(wait), promised, now)
	case charging.ErrandPoll:
		wait = promise(&t.nextPoll, now.Add(wait), gapOf(t.polls.Limit()), now)
		wait += rand.N(wait/4 + 1) //nolint:gosec // it only spreads
	default: // urgent
	}
	return wait, false
}

// room reports whether one more exchange may wait on the spot. The caller holds the lock.
func (p *Pacer) room(wait time.Duration, now time.Time) bool {
	p.asleep = slices.DeleteFunc(p.asleep, func(until time.Time) bool { return !until.After(now) })
	return wait == 0 || p.Sleepers == 0 || len(p.asleep) < p.Sleepers
}

// near returns the longest wait on the spot of a first send that returns for its turn: timers are late, so that some
// requests come together, and sending them away again would leave turns unused.
func (t *turns) near() time.Duration {
	return min(time.Second, max(100*time.Millisecond, 5*gapOf(t.all.Limit())))
}

func gapOf(limit rate.Limit) time.Duration {
	return time.Duration(float64(time.Second) / float64(limit))
}

// promiseSend returns how far away the turn of a first send is, which is not before the earliest.
func (t *turns) promiseSend(earliest, promised, now time.Time) time.Duration {
	t.contestedUntil = now.Add(contested)
	gap := gapOf(t.all.Limit())
	switch {
	case promised.IsZero():
	case now.Before(promised): // something else woke it: it keeps its turn
		return promised.Sub(now)
	case later(t.late, earliest).Sub(now) < charging.ShortTurn:
		return promise(&t.late, earliest, gap, now)
	}
	if later(t.next, earliest).Before(t.nextPoll) {
		gap *= 2 // every other turn is a poll's
	}
	return promise(&t.next, earliest, gap, now)
}

// promise returns how far away the turn after those promised is, which is not before the earliest, and takes it.
func promise(next *time.Time, earliest time.Time, gap time.Duration, now time.Time) time.Duration {
	*next = later(*next, earliest)
	wait := next.Sub(now)
	*next = next.Add(gap)
	if wait > longestTurn { // the rest of the crowd comes again then, spread
		*next = now.Add(longestTurn)
		wait = longestTurn + rand.N(longestTurn/4) //nolint:gosec // it only spreads
	}
	return max(wait, gap)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Owe counts further requests of an exchange, which had one turn: the next turns wait for them.
func (p *Pacer) Owe(account string, perSecond, requests int) {
	if p == nil || perSecond == 0 {
		return
	}
	now := p.Clock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for range requests {
		p.turnsOf(account, perSecond, now).all.ReserveN(now, 1)
	}
}

// turnsOf returns the turns of an account, with this process's present share. The caller holds the lock.
func (p *Pacer) turnsOf(account string, perSecond int, now time.Time) *turns {
	share := rate.Limit(float64(perSecond) / float64(max(p.workers, 1)))
	t := p.by[account]
	if t == nil {
		t = &turns{all: rate.NewLimiter(share, burst(share)), polls: rate.NewLimiter(share/2, burst(share/2))}
		if p.by == nil {
			p.by = map[string]*turns{}
		}
		p.by[account] = t
	}
	if t.all.Limit() != share {
		for _, next := range []*time.Time{&t.next, &t.nextPoll, &t.late} { // as many turns take another time now
			if left := next.Sub(now); left > 0 {
				*next = now.Add(time.Duration(float64(left) * float64(t.all.Limit()/share)))
			}
		}
		for l, limit := range map[*rate.Limiter]rate.Limit{t.all: share, t.polls: share / 2} {
			l.SetLimitAt(now, limit)
			l.SetBurstAt(now, burst(limit))
		}
	}
	return t
}

// burst returns the number of requests that may go out at once after a pause: a tenth of a second's.
func burst(share rate.Limit) int { return max(1, int(share)/10) }
