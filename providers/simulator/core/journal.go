package core

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"perennial/billing/fault"
)

// journal is the ledger file: one JSON line per change, in the order of the changes. Lines that are handed over while
// the disk is busy share the next sync, so durability costs one fsync per batch and not one per request.
type journal struct {
	file *os.File
	done chan struct{}

	mu       sync.Mutex
	changed  *sync.Cond
	queue    []byte
	appended uint64 // lines handed over
	synced   uint64 // lines that survive a crash
	closed   bool
	err      error // the first failure; everything after it fails too
}

// openJournal applies every whole line, cuts off a torn last one, and locks the file against a second simulator.
func openJournal(path string, apply func([]byte) error) (*journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fault.New(fault.Invalid, "ledger_missing",
			"The ledger file cannot be opened. Check its directory.").Because(err)
	}
	if err := prepare(file, path, apply); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	j := &journal{file: file, done: make(chan struct{})}
	j.changed = sync.NewCond(&j.mu)
	go j.flush()
	return j, nil
}

// lock takes the file for this process. It asks for a moment: a child that is being started by the last owner's process
// holds a copy of its descriptor, and with it the lock, until it runs its own program.
func lock(file *os.File) error {
	for tries := 0; ; tries++ {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || !errors.Is(err, syscall.EWOULDBLOCK) || tries == lockTries {
			return err
		}
		time.Sleep(lockPause)
	}
}

const (
	lockTries = 20
	lockPause = 25 * time.Millisecond
)

func prepare(file *os.File, path string, apply func([]byte) error) error {
	if err := lock(file); err != nil {
		return fault.New(fault.Conflict, "ledger_in_use",
			"Another simulator writes to %s. Stop that simulator, or choose another file.", path).Because(err)
	}
	whole, err := replay(file, apply)
	if err != nil {
		return err
	}
	if err := file.Truncate(whole); err != nil {
		return err
	}
	if _, err := file.Seek(whole, io.SeekStart); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path)) // a new file survives a crash only once its directory is synced
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// replay returns the length of the file up to the last whole line. A last line without its newline was never
// acknowledged to anyone; a broken line before it means that the file was edited.
func replay(file io.Reader, apply func([]byte) error) (whole int64, err error) {
	r := bufio.NewReader(file)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, nil
		}
		if err != nil {
			return 0, err
		}
		if err := apply(line); err != nil {
			return 0, fault.New(fault.Invalid, "ledger_corrupt",
				"Line %d of the ledger is malformed. Move the file away to start with an empty ledger.", n).Because(err)
		}
		whole += int64(len(line))
	}
}

// append hands a line over and returns its number for wait. The caller holds the lock that orders changes.
func (j *journal) append(l line) uint64 {
	encoded, err := json.Marshal(l)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		err = os.ErrClosed
	}
	if err != nil && j.err == nil {
		j.err = err
	}
	j.queue = append(append(j.queue, encoded...), '\n')
	j.appended++
	j.changed.Broadcast()
	return j.appended
}

// last returns the number of the newest line. Callers that answer from memory wait for it; otherwise a crash could undo
// what they answered.
func (j *journal) last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.appended
}

// wait blocks until line n is on disk.
func (j *journal) wait(n uint64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.synced < n && j.err == nil {
		j.changed.Wait()
	}
	return j.err
}

func (j *journal) flush() {
	defer close(j.done)
	j.mu.Lock()
	defer j.mu.Unlock()
	for {
		for len(j.queue) == 0 && !j.closed {
			j.changed.Wait()
		}
		if len(j.queue) == 0 {
			return
		}
		batch, upTo := j.queue, j.appended
		j.queue = nil
		j.mu.Unlock()
		_, err := j.file.Write(batch)
		if err == nil {
			err = j.file.Sync()
		}
		j.mu.Lock()
		if err != nil && j.err == nil {
			j.err = err
		}
		j.synced = upTo
		j.changed.Broadcast()
	}
}

// close writes the queue and closes the file.
func (j *journal) close() error {
	j.mu.Lock()
	j.closed = true
	j.changed.Broadcast()
	j.mu.Unlock()
	<-j.done
	return errors.Join(j.err, j.file.Close())
}
