package delivery

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"perennial/db"
	"perennial/internal/failpoint"
)

// Bounds of the recorder. docs/adr/0025-webhook-lanes.md gives the reasons.
const (
	recorders    = 2                    // transactions at a time
	recordAtOnce = 200                  // attempts that begin or have ended in one transaction
	gather       = 2 * time.Millisecond // from the first recording to the transaction that takes all that came since
	gatherUntil  = 50                   // attempts that need not wait for more
)

// recording has the rows that one run writes at once: the ends of attempts, and the attempts that begin.
type recording struct {
	environmentID string
	finished      []answered
	ends          []db.AttemptEnd
	starting      []attempt
	starts        []db.NewAttempt
	withdrawn     []attempt         // written, and not to be made
	done          chan<- *recording // must have room

	begun map[string]bool // attempts that have begun, by delivery: they are to be sent
	err   error           // nothing was written, as far as is known
}

func (r *recording) size() int { return len(r.ends) + len(r.starts) + len(r.withdrawn) }

// recorder writes the recordings of all runs of this process in few transactions: a hundred endpoints with one attempt
// each cost hardly more than one endpoint with a hundred.
type recorder struct {
	mu      sync.Mutex
	waiting []*recording
	size    int // attempts that wait
	writers int
}

// enqueue has a recording written; it comes back by its channel.
func (a *Deliveries) enqueue(r *recording) {
	a.recorder.mu.Lock()
	defer a.recorder.mu.Unlock()
	a.recorder.waiting, a.recorder.size = append(a.recorder.waiting, r), a.recorder.size+r.size()
	if a.recorder.writers < recorders {
		a.recorder.writers++
		go a.writeWaiting()
	}
}

// writeWaiting writes until nothing waits.
func (a *Deliveries) writeWaiting() {
	for {
		if !a.recorder.enough() {
			time.Sleep(gather)
		}
		batch := a.recorder.next()
		if len(batch) == 0 {
			return
		}
		a.write(batch)
		for _, r := range batch {
			r.done <- r
		}
	}
}

func (q *recorder) enough() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size >= gatherUntil
}

// next takes the recordings of one transaction; without any, the writer has ended.
func (q *recorder) next() (batch []*recording) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for size := 0; len(q.waiting) > 0 && (size == 0 || size+q.waiting[0].size() <= recordAtOnce); {
		size, q.size = size+q.waiting[0].size(), q.size-q.waiting[0].size()
		batch, q.waiting = append(batch, q.waiting[0]), q.waiting[1:]
	}
	if len(batch) == 0 {
		q.writers--
	}
	return batch
}

// write writes all recordings in one transaction. Where that fails, each is written alone, so that none fails because
// of another.
func (a *Deliveries) write(batch []*recording) {
	ctx, cancel := context.WithTimeout(context.Background(), recordPatience)
	defer cancel()
	if err := a.writeTogether(ctx, batch); err == nil {
		return
	} else if len(batch) == 1 {
		batch[0].err = err
		return
	}
	for _, r := range batch {
		r.err = a.writeTogether(ctx, []*recording{r})
	}
}

func (a *Deliveries) writeTogether(ctx context.Context, batch []*recording) error {
	ends, starts := map[string][]db.AttemptEnd{}, map[string][]db.NewAttempt{}
	withdrawn := map[string][]db.AttemptStart{}
	of := map[string]*recording{}
	for _, r := range batch {
		for _, t := range r.withdrawn {
			withdrawn[r.environmentID] = append(withdrawn[r.environmentID], t.start)
		}
		r.begun = map[string]bool{}
		ends[r.environmentID] = append(ends[r.environmentID], r.ends...)
		starts[r.environmentID] = append(starts[r.environmentID], r.starts...)
		for _, s := range r.starts {
			of[s.DeliveryID] = r
		}
	}
	err := a.Store.InTx(ctx, db.BySystem("webhooks"), a.Clock(), func(tx *db.Tx) error {
		for _, environmentID := range slices.Sorted(maps.Keys(ends)) { // has every environment
			if err := tx.Webhooks.EndAttempts(ctx, environmentID, ends[environmentID]); err != nil {
				return err
			}
			if err := tx.Webhooks.WithdrawAttempts(ctx, environmentID, withdrawn[environmentID]); err != nil {
				return err
			}
			begun := func(deliveryID string) { of[deliveryID].begun[deliveryID] = true }
			if err := tx.Webhooks.StartAttempts(ctx, environmentID, starts[environmentID], begun); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(ends) > 0 {
		failpoint.Hit(failpoint.AttemptRecorded)
	}
	return err
}
