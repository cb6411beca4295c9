package subscriptions

import (
	"context"
	"errors"

	"perennial/billing/foresight"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service/usecase"
)

// Preview is a request for the effects of a command and its next invoices. At most one of Change and Command is set;
// without both it only looks ahead.
type Preview struct {
	Change   *PlanChange
	Command  lifecycle.Command
	Invoices int
}

// Previewed has the effects. Token performs the command at the shown cost; empty: none was requested.
type Previewed struct {
	foresight.Previewed
	Token string
}

// PreviewSubscription returns the effects of a command. It takes the locks and reads of the command, and writes
// nothing. Its invoices bill the usage recorded by now. Faults: those of the command, and of foresight.Preview.
func (s *Service) PreviewSubscription(
	ctx context.Context, by usecase.Caller, subscriptionID string, in Preview, around usecase.Around[Previewed],
) error {
	if err := s.checkPreviewed(ctx, by, subscriptionID, in); err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (out Previewed, err error) {
		tx.AuditNothing(onlyShows)
		cmd, err := in.command(ctx, tx, by.EnvironmentID)
		if err != nil {
			return out, err
		}
		found, cmd, err := usecase.Lock(ctx, tx, by.EnvironmentID, subscriptionID, cmd)
		if err != nil {
			return out, err
		}
		err = s.foresee(ctx, by.EnvironmentID, tx.Reader, found.Subscription, func(known *foresight.Usage) (err error) {
			out.Previewed, err = foresight.Preview(found, cmd, in.Invoices, known, db.Moment(tx.Now, tx.Real))
			return err
		})
		if err == nil && cmd != nil {
			out.Token, err = newToken(out.At, out.Quote)
		}
		return out, err
	})
}

// checkPreviewed refuses what the change itself would be refused for before its transaction.
func (s *Service) checkPreviewed(ctx context.Context, by usecase.Caller, subscriptionID string, in Preview) error {
	if in.Change != nil {
		return s.checkChange(ctx, by, subscriptionID, *in.Change)
	}
	switch cmd := in.Command.(type) {
	case lifecycle.Migrate:
		return s.checkVersion(ctx, by, subscriptionID, cmd.Version)
	case lifecycle.SetTerms:
		return s.checkTerms(ctx, by, subscriptionID, cmd)
	}
	return nil
}

func (p Preview) command(ctx context.Context, tx *db.Tx, environmentID string) (lifecycle.Command, error) {
	if p.Change != nil {
		return p.Change.command(ctx, tx, environmentID)
	}
	return p.Command, nil
}

// onlyShows is the reason that a preview has no entry in the audit log.
const onlyShows = "it shows what would be and changes nothing"

// errPreviewed rolls a preview back.
var errPreviewed = errors.New("service: only a preview")

// PreviewNewSubscription returns the invoices of a possible subscription. It is created and rolled back, so that the
// invoices equal the real ones. Faults: those of CreateSubscription and foresight.Preview.
func (s *Service) PreviewNewSubscription(
	ctx context.Context, by usecase.Caller, in NewSubscription, invoices int, around usecase.Around[Previewed],
) error {
	var out Previewed
	_, err := s.CreateSubscription(ctx, by, in, func(tx *db.Tx, made subscription.Subscription) error {
		found, err := tx.Lifecycle.LockSubscription(ctx, by.EnvironmentID, made.ID)
		if err != nil {
			return err
		}
		err = s.foresee(ctx, by.EnvironmentID, tx.Reader, found.Subscription, func(known *foresight.Usage) (err error) {
			out.Previewed, err = foresight.Preview(found, nil, invoices, known, db.Moment(tx.Now, tx.Real))
			return err
		})
		if err != nil {
			return err
		}
		return errPreviewed
	})
	if !errors.Is(err, errPreviewed) {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (Previewed, error) {
		tx.AuditNothing(onlyShows)
		// A stored response is erased with its customer, so none may be stored after that.
		c, err := tx.Customers.Lock(ctx, by.EnvironmentID, in.CustomerID)
		if err == nil && !c.ErasedAt.IsZero() {
			err = db.ErrCustomerNotFound.In("customerId")
		}
		return out, err
	})
}
