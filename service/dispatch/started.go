package dispatch

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"perennial/db"
)

const (
	// flushEvery and flushAt bound how long, and how many, started workflows stay unmarked.
	flushEvery = 500 * time.Millisecond
	flushAt    = 256
	// refreshEvery is the time between two reads of the epoch: an old one only costs a second start.
	refreshEvery = 5 * time.Second
	// flushBudget bounds one write of marks.
	flushBudget = 5 * time.Second
)

// started marks rows whose workflows were started, many with one UPDATE, so that the reconciler leaves them alone. A
// mark that is lost in a crash leads to another start, which finds the workflow running: harmless.
type started struct {
	store *db.Store
	now   func() time.Time
	log   *zap.Logger
	full  chan struct{}
	stop  chan struct{}
	done  chan struct{}
	once  sync.Once

	mu      sync.Mutex
	current int64 // the epoch as last read; 0: not known yet
	marks   map[mark][]db.Ref
	count   int
}

// mark is the mark of started rows: an epoch that was read before the workflow started, never after, since Temporal's
// database may be lost in between.
type mark struct {
	table db.StartedTable
	epoch int64
}

func newStarted(store *db.Store, now func() time.Time, log *zap.Logger) *started {
	return &started{
		store: store, now: now, log: log, marks: map[mark][]db.Ref{},
		full: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
}

// epoch must be read before the start that is marked with it.
func (s *started) epoch() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// add notes a start. An unknown epoch is left to the reconciler.
func (s *started) add(table db.StartedTable, epoch int64, ref db.Ref) {
	if epoch == 0 {
		return
	}
	s.mu.Lock()
	key := mark{table, epoch}
	s.marks[key] = append(s.marks[key], ref)
	s.count++
	full := s.count >= flushAt
	s.mu.Unlock()
	if full {
		select {
		case s.full <- struct{}{}:
		default: // a flush is due already
		}
	}
}

// run flushes until close.
func (s *started) run() {
	defer close(s.done)
	marks, epochs := time.NewTicker(flushEvery), time.NewTicker(refreshEvery)
	defer marks.Stop()
	defer epochs.Stop()
	s.refresh()
	for {
		select {
		case <-s.stop:
			s.flush()
			return
		case <-epochs.C:
			s.refresh()
		case <-marks.C:
			s.flush()
		case <-s.full:
			s.flush()
		}
	}
}

// close writes the open marks. Later ones are left to the reconciler.
func (s *started) close() {
	s.once.Do(func() { close(s.stop) })
	<-s.done
}

func (s *started) flush() {
	s.mu.Lock()
	marks := s.marks
	s.marks, s.count = map[mark][]db.Ref{}, 0
	s.mu.Unlock()
	for key, refs := range marks {
		ctx, cancel := context.WithTimeout(context.Background(), flushBudget)
		err := s.store.InTx(ctx, db.BySystem("dispatcher"), s.now(), func(tx *db.Tx) error {
			return tx.Reconcile.SetStarted(ctx, key.table, key.epoch, refs)
		})
		if err != nil {
			s.log.Warn("started workflows were not marked; the reconciler starts them again",
				zap.Int("count", len(refs)), zap.Error(err))
		}
		cancel()
	}
}

func (s *started) refresh() {
	ctx, cancel := context.WithTimeout(context.Background(), flushBudget)
	defer cancel()
	epoch, err := s.store.Reconcile.Epoch(ctx)
	if err != nil {
		return // the last one stays good: an old epoch only means one more start
	}
	s.mu.Lock()
	s.current = epoch
	s.mu.Unlock()
}
