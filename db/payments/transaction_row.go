package payments

import (
	"math"

	"perennial/billing/payment"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// transactionRow omits the disputes with their own rows, which its own row has as well.
func transactionRow(environmentID string, t payment.Transaction) dbsqlc.Transaction {
	return dbsqlc.Transaction{
		ID: t.ID, EnvironmentID: environmentID, Type: t.Type, Status: t.Status, CustomerID: t.CustomerID,
		SubscriptionID: core.Null(t.SubscriptionID), InvoiceID: core.Null(t.InvoiceID), Amount: t.Amount,
		Currency: t.Currency, Description: t.Description, AttemptNumber: core.Null(t.AttemptNumber), Trigger: t.Trigger,
		Provider: core.Null(t.Provider), ProviderConfigID: core.Null(t.ProviderConfigID),
		ProviderRef: core.Null(t.ProviderRef),
		Method:      core.Null(t.Method), FailureCode: core.Null(t.FailureCode), FailureReason: core.Null(t.FailureReason),
		ProviderResponse: t.ProviderResponse, ChargeID: core.Null(t.ChargeID), RecoveredFrom: core.Null(t.RecoveredFrom),
		AmountRefunded: t.AmountRefunded, RefundOwed: t.RefundOwed, SendNumber: t.SendNumber,
		FirstSentAt: core.NullTime(t.FirstSentAt), CancelRequestedAt: core.NullTime(t.CancelRequestedAt),
		NextCheckAt: core.NullTime(t.NextCheckAt), Checks: t.Checks, NotFoundCount: t.NotFoundCount,
		NotFoundAt: core.NullTime(t.NotFoundAt), ParkedAt: core.NullTime(t.ParkedAt), SendDueAt: core.NullTime(t.SendDueAt),
		DueAt: t.DueAt, CompletedAt: core.NullTime(t.CompletedAt), CreatedAt: t.CreatedAt, Revision: t.Revision,
		Disputes: core.NullList(t.Disputes), DisputedAt: core.NullTime(t.DisputedAt), ReturnedAt: core.NullTime(t.ReturnedAt),
		ReviewReason: core.Null(t.Review.Reason), ReviewRef: core.Null(t.Review.Ref), ReviewedAt: core.NullTime(t.Review.At),
		HeldAt: core.NullTime(t.HeldBack.At), HeldRevision: heldRevision(t.HeldBack), HeldByStop: t.HeldBack.ByStop,
		ConfirmToken: core.Null(t.Action.Token), ActionUrl: core.Null(t.Action.URL),
		ActionExpiresAt:  core.NullTime(t.Action.ExpiresAt),
		ActionReturnedAt: core.NullTime(t.Action.ReturnedAt), ActionBrought: core.Null(t.Action.Brought),
		ActionHandedAt: core.NullTime(t.Action.HandedAt), ActionApartSend: core.Null(t.Action.ApartSend),
		UnsentAt: core.NullTime(t.UnsentAt), UnansweredSince: core.NullTime(t.Silence.Since),
		UnansweredAt: core.NullTime(t.Silence.At), PaymentMethodID: core.Null(t.PaymentMethodID),
	}
}

// TransactionFromDB returns the transaction of a row.
func TransactionFromDB(row dbsqlc.Transaction) payment.Transaction {
	return payment.Transaction{
		ID: row.ID, Type: row.Type, Status: row.Status, CustomerID: row.CustomerID,
		SubscriptionID: core.Value(row.SubscriptionID), InvoiceID: core.Value(row.InvoiceID), Amount: row.Amount,
		Currency: row.Currency, Description: row.Description, AttemptNumber: core.Value(row.AttemptNumber),
		Trigger: row.Trigger, Provider: core.Value(row.Provider), ProviderConfigID: core.Value(row.ProviderConfigID),
		ProviderRef: core.Value(row.ProviderRef), Method: core.Value(row.Method), FailureCode: core.Value(row.FailureCode),
		FailureReason: core.Value(row.FailureReason), ProviderResponse: row.ProviderResponse,
		ChargeID: core.Value(row.ChargeID), RecoveredFrom: core.Value(row.RecoveredFrom), AmountRefunded: row.AmountRefunded,
		RefundOwed: row.RefundOwed, SendNumber: row.SendNumber, FirstSentAt: core.Value(row.FirstSentAt),
		CancelRequestedAt: core.Value(row.CancelRequestedAt), NextCheckAt: core.Value(row.NextCheckAt),
		Checks: row.Checks, NotFoundCount: row.NotFoundCount, NotFoundAt: core.Value(row.NotFoundAt),
		ParkedAt: core.Value(row.ParkedAt), SendDueAt: core.Value(row.SendDueAt), DueAt: row.DueAt,
		CompletedAt: core.Value(row.CompletedAt), CreatedAt: row.CreatedAt, Revision: row.Revision,
		Disputes: core.Value(row.Disputes), DisputedAt: core.Value(row.DisputedAt), ReturnedAt: core.Value(row.ReturnedAt),
		Review: payment.Review{Reason: core.Value(row.ReviewReason), Ref: core.Value(row.ReviewRef),
			At: core.Value(row.ReviewedAt)},
		HeldBack: heldFromDB(row),
		Action: payment.Action{
			Token: core.Value(row.ConfirmToken), URL: core.Value(row.ActionUrl), ExpiresAt: core.Value(row.ActionExpiresAt),
			ReturnedAt: core.Value(row.ActionReturnedAt), Brought: core.Value(row.ActionBrought),
			HandedAt: core.Value(row.ActionHandedAt), ApartSend: core.Value(row.ActionApartSend),
		},
		UnsentAt: core.Value(row.UnsentAt), PaymentMethodID: core.Value(row.PaymentMethodID),
		Silence: payment.Silence{Since: core.Value(row.UnansweredSince), At: core.Value(row.UnansweredAt)},
	}
}

// noRevision is the revision of a payment that waits for its turn: no revision of the accounts is later, so that none
// wakes it.
const noRevision = math.MaxInt64

// heldRevision is null where nothing is held, since 0 is a revision.
func heldRevision(h payment.Hold) *int64 {
	switch {
	case h.At.IsZero():
		return nil
	case h.ForTurn:
		return new(int64(noRevision))
	}
	return &h.Revision
}

func heldFromDB(row dbsqlc.Transaction) payment.Hold {
	h := payment.Hold{At: core.Value(row.HeldAt), Revision: core.Value(row.HeldRevision), ByStop: row.HeldByStop}
	if h.Revision == noRevision {
		h.Revision, h.ForTurn = 0, true
	}
	return h
}
