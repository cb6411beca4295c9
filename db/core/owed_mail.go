package core

import (
	"context"

	"perennial/billing/email"
	"perennial/billing/event"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// Mails are owed as deliveries to webhook endpoints are: all writers of an environment share the row of its sender.

// mailing has the mails that a transaction owes in one environment, a list a column.
type mailing struct {
	ids, kinds, objects, occurrences, customers, events []string
	wake                                                bool // the sender has to look at its mails in any case
}

// WakeEmailSender has the workflow of the environment's sender look for mails once the transaction is committed.
func (tx *Tx) WakeEmailSender(environmentID string) { tx.owingIn(environmentID).mails.wake = true }

// oweMail notes the mail that follows from an event.
func (tx *Tx) oweMail(environmentID, eventID string, data event.Data) {
	n, follows := email.Of(data)
	if !follows || n.CustomerID == "" {
		return
	}
	m := &tx.owingIn(environmentID).mails
	m.ids, m.kinds = append(m.ids, id.New(id.Email, tx.Real)), append(m.kinds, string(n.Kind))
	m.objects, m.occurrences = append(m.objects, n.ObjectID), append(m.occurrences, n.Occurrence)
	m.customers, m.events = append(m.customers, n.CustomerID), append(m.events, eventID)
}

// writeMails queues the write of mails. Its result names the sender that has to be woken.
func (tx *Tx) writeMails(ctx context.Context, environmentID string, m mailing) error {
	if len(m.ids) == 0 && !m.wake {
		return nil
	}
	return tx.Pipe.AddReading(func(h dbsqlc.DBTX) error {
		woken, err := Queries.EmailOwe(ctx, h, dbsqlc.EmailOweParams{
			Ids: PresentList(m.ids), Kinds: PresentList(m.kinds), ObjectIds: PresentList(m.objects),
			Occurrences: PresentList(m.occurrences), CustomerIds: PresentList(m.customers), EventIds: PresentList(m.events),
			EnvironmentID: environmentID, Now: tx.Real, LostBefore: tx.Real.Add(-signalPatience), Wake: m.wake,
		})
		for _, id := range woken {
			tx.AfterCommit(WakeSender{EnvironmentID: environmentID, ID: id})
		}
		return err
	})
}
