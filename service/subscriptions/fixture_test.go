package subscriptions

import (
	"testing"

	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/testkit"
	"perennial/service/catalog"
	"perennial/service/customers"
	"perennial/service/gateway"
	"perennial/service/invoices"
	"perennial/service/servicetest"
	"perennial/service/usecase"
	"perennial/test/scene"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// columns are this column and those below it.
type columns struct {
	*Service
	Catalog   *catalog.Service
	Customers *customers.Service
	Invoices  *invoices.Service
}

func columnsOn(b usecase.Base) *columns {
	c := &columns{
		Catalog: catalog.New(b), Customers: customers.New(b, gateway.New(gateway.Config{})), Invoices: invoices.New(b),
	}
	c.Service = New(b, c.Customers)
	return c
}

func at(s *scene.Scene) (*columns, usecase.Caller) {
	return columnsOn(usecase.Base{Store: s.Store, Now: s.Clock.Now}), usecase.Caller{
		Actor: db.BySystem("test"), EnvironmentID: s.Env, Mode: apikey.Test, TimeZone: "UTC",
	}
}

// house is these columns with one environment.
type house struct {
	*scene.Scene
	*columns
	dispatched *servicetest.Dispatched
	caller     usecase.Caller
}

func newHouse(t *testing.T) *house {
	t.Helper()
	s := servicetest.New(t)
	return &house{Scene: s.Scene, columns: columnsOn(s.Base), dispatched: s.Dispatched, caller: s.Caller}
}

func (h *house) count(t *testing.T, sql string, args ...any) int {
	t.Helper()
	return servicetest.Count(t, h.Scene, sql, args...)
}
