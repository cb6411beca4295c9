package service

import (
	"time"

	"perennial/db"
	"perennial/internal/vault"
	"perennial/service/gateway"
	"perennial/service/usecase"
	"perennial/webhooks"
)

// Service performs use cases.
type Service struct {
	usecase.Base
	vault     *vault.Vault // nil: no webhook endpoint can be registered
	receivers webhooks.Allow
	gateway   *gateway.Gateway
	usage     UsageStore
	gather    *gather
	recorded  *recorded
}

// New makes a service. The store's dispatcher (db.Store.With) gets what follows each commit; now is the real clock.
func New(store *db.Store, now func() time.Time) *Service {
	return &Service{
		Base: usecase.Base{Store: store, Now: now}, gateway: gateway.New(gateway.Config{}), usage: db.NewUsageLog(store),
		gather:   &gather{},
		recorded: &recorded{},
	}
}
