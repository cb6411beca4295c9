// Package emails serves who sends an environment's mails, and the log of mails.
package emails

import (
	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/service/emails"
)

// Handler serves the operations of this column.
type Handler struct {
	kit     *httpkit.Kit
	store   *db.Store // for reading
	service *emails.Service
}

// Register adds the operations of this column.
func Register(d usecase.Deps) {
	h := &Handler{kit: d.Kit, store: d.Store, service: d.Service.Emails}
	h.settingsOperations()
	h.emailOperations()
}
