// Package emails has the use cases of mail: who sends an environment's mails, and mails that are asked for.
package emails

import (
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// Service has the use cases of this column.
type Service struct {
	usecase.Base

	accounts gateway.MailAccounts
}

// New makes the column.
func New(b usecase.Base, accounts gateway.MailAccounts) *Service {
	return &Service{Base: b, accounts: accounts}
}
