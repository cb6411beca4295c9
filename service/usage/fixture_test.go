package usage

import (
	"testing"

	"perennial/internal/testkit"
	"perennial/service/servicetest"
	"perennial/service/usecase"
	"perennial/test/scene"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// house is this column with one environment.
type house struct {
	*scene.Scene
	*Service
	dispatched *servicetest.Dispatched
	caller     usecase.Caller
}

func newHouse(t *testing.T) *house {
	t.Helper()
	s := servicetest.New(t)
	return &house{Scene: s.Scene, Service: New(s.Base), dispatched: s.Dispatched, caller: s.Caller}
}

func (h *house) count(t *testing.T, sql string, args ...any) int {
	t.Helper()
	return servicetest.Count(t, h.Scene, sql, args...)
}
