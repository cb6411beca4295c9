package activities

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"perennial/billing/payment"
)

// shareLife is how long the number of worker processes counts as known.
const shareLife = 15 * time.Second

// Pacing keeps the requests to each provider account within its limit a second. Each process takes an equal share of
// the limit, by the number of workers that beat: no request waits for another process, and none costs a round trip.
// Where workers come or go, the sum is off for as long as they take to notice. An exchange has one turn; what it needs
// beside its first request delays the turns after it. A nil one bounds nothing.
//
// Where more is to be asked than the limit lets through, first sends and polls come again when a turn is theirs, so that a
// crowd costs little more than its requests; and polls take at most half of the turns, so that payments that were accepted
// do not keep others from being sent. What follows a callback or a person's command tries again soon.
type Pacing struct {
	// Workers counts the running worker processes.
	Workers func(context.Context) (int, error)
	Clock   Clock

	mu      sync.Mutex
	by      map[string]*turns
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

// errand is why a request wants a turn.
type errand int

const (
	errandUrgent errand = iota // what a callback or a command asks for, and repeats
	errandSend                 // a first send, and the search before it
	errandPoll                 // a look-up that nobody asked for
)

// errandOf is that of an exchange.
func errandOf(x exchange) errand {
	switch {
	case x.lost != nil, x.move == payment.MoveSend && !x.txn.EverSent() && x.txn.Type == payment.Charge:
		return errandSend
	case x.move == payment.MoveLookup && x.txn.EverSent() && !x.asked:
		return errandPoll
	}
	return errandUrgent
}

const (
	// longestTurn is the most that a request is told to wait for its turn.
	longestTurn = 10 * time.Minute
	// contested is how long polls keep to their half after a first send has waited, which may wait for as long as that.
	contested = longestTurn
)

// turns are those of one account in this process.
type turns struct {
	all, polls     *rate.Limiter
	contestedUntil time.Time
	next, nextPoll time.Time // the turn after all those that were promised
}

// take returns zero where a request may go out now, and else for how long it must wait; it has no turn then.
func (p *Pacing) take(account string, perSecond int, why errand) time.Duration {
	if p == nil || perSecond == 0 {
		return 0
	}
	now := p.Clock()
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.turnsOf(account, perSecond, now)
	turn := t.all.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	mine := wait == 0 && (why != errandPoll || now.After(t.contestedUntil) || t.polls.AllowN(now, 1))
	if mine {
		return 0
	}
	turn.CancelAt(now)
	switch why {
	case errandSend:
		t.contestedUntil = now.Add(contested)
		return promise(&t.next, now.Add(wait), t.all.Limit(), now)
	case errandPoll:
		return promise(&t.nextPoll, now.Add(wait), t.polls.Limit(), now)
	default:
		return wait
	}
}

// promise returns how far away the turn after those promised is, which is not before the earliest, and takes it.
func promise(next *time.Time, earliest time.Time, limit rate.Limit, now time.Time) time.Duration {
	gap := time.Duration(float64(time.Second) / float64(limit))
	if next.Before(earliest) {
		*next = earliest
	}
	wait := next.Sub(now)
	*next = next.Add(gap)
	if wait > longestTurn { // the rest of the crowd comes again then, all the same
		*next = now.Add(longestTurn)
		wait = longestTurn
	}
	return max(wait, gap)
}

// owe counts requests that went out beside the one that had a turn: the next turns wait for them.
func (p *Pacing) owe(account string, perSecond, requests int) {
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

// turnsOf are those of an account, with this process's present share. The caller holds the lock.
func (p *Pacing) turnsOf(account string, perSecond int, now time.Time) *turns {
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
		t.next, t.nextPoll = time.Time{}, time.Time{} // promised by another limit
		for l, limit := range map[*rate.Limiter]rate.Limit{t.all: share, t.polls: share / 2} {
			l.SetLimitAt(now, limit)
			l.SetBurstAt(now, burst(limit))
		}
	}
	return t
}

// burst is how many requests may go out at once after a pause: those of a tenth of a second.
func burst(share rate.Limit) int { return max(1, int(share)/10) }
