package moving

import (
	"testing"

	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/testkit"
	"perennial/service/catalog"
	"perennial/service/customers"
	"perennial/service/gateway"
	"perennial/service/subscriptions"
	"perennial/service/tenancy"
	"perennial/service/usecase"
	"perennial/test/scene"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// columns are this column and those below it that its tests need.
type columns struct {
	*Service
	Tenancy       *tenancy.Service
	Catalog       *catalog.Service
	Customers     *customers.Service
	Subscriptions *subscriptions.Service
}

func at(s *scene.Scene) (columns, usecase.Caller) {
	b := usecase.Base{Store: s.Store, Now: s.Clock.Now}
	accounts := gateway.New(gateway.Config{})
	payers := customers.New(b, accounts)
	return columns{New(b), tenancy.New(b, accounts), catalog.New(b), payers, subscriptions.New(b, payers)}, usecase.Caller{
		Actor: db.BySystem("test"), EnvironmentID: s.Env, Mode: apikey.Test, TimeZone: "UTC",
	}
}
