package lifecycle_test

import (
	"strconv"
	"strings"
	"time"
)

// ids counts where the real source draws at random, and derives ids from parts like it. World makes random ids of two
// runs of one life differ, while derived ids are equal.
type ids struct {
	world string
	n     int
}

func (s *ids) Invoice(at time.Time, parts ...string) string         { return s.make("in", at, parts) }
func (s *ids) Line(at time.Time, parts ...string) string            { return s.make("il", at, parts) }
func (s *ids) Item(at time.Time, parts ...string) string            { return s.make("si", at, parts) }
func (s *ids) Transaction(at time.Time, parts ...string) string     { return s.make("txn", at, parts) }
func (s *ids) ScheduledChange(at time.Time, parts ...string) string { return s.make("chg", at, parts) }
func (s *ids) CreditNote(at time.Time, parts ...string) string      { return s.make("cn", at, parts) }
func (s *ids) TakenBack(at time.Time, parts ...string) string       { return s.make("tb", at, parts) }
func (s *ids) Dispute(at time.Time, parts ...string) string         { return s.make("dsp", at, parts) }

func (s *ids) make(kind string, at time.Time, parts []string) string {
	if len(parts) > 0 {
		return kind + "_" + strconv.FormatInt(at.UnixMilli(), 10) + "/" + strings.Join(parts, "/")
	}
	s.n++
	return kind + s.world + "_" + strconv.Itoa(100_000+s.n)
}
