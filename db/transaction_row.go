package db

import (
	"math"

	"perennial/billing/payment"
	"perennial/db/internal/dbsqlc"
)

// transactionRow leaves out its disputes, which have rows of their own beside those that its own row has.
func transactionRow(environmentID string, t payment.Transaction) dbsqlc.Transaction {
	return dbsqlc.Transaction{
		ID: t.ID, EnvironmentID: environmentID, Type: t.Type, Status: t.Status, CustomerID: t.CustomerID,
		SubscriptionID: null(t.SubscriptionID), InvoiceID: null(t.InvoiceID), Amount: t.Amount,
		Currency: t.Currency, Description: t.Description, AttemptNumber: null(t.AttemptNumber), Trigger: t.Trigger,
		Provider: null(t.Provider), ProviderConfigID: null(t.ProviderConfigID), ProviderRef: null(t.ProviderRef),
		Method: null(t.Method), FailureCode: null(t.FailureCode), FailureReason: null(t.FailureReason),
		ProviderResponse: t.ProviderResponse, ChargeID: null(t.ChargeID), RecoveredFrom: null(t.RecoveredFrom),
		AmountRefunded: t.AmountRefunded, RefundOwed: t.RefundOwed, SendNumber: t.SendNumber,
		FirstSentAt: nullTime(t.FirstSentAt), CancelRequestedAt: nullTime(t.CancelRequestedAt),
		NextCheckAt: nullTime(t.NextCheckAt), Checks: t.Checks, NotFoundCount: t.NotFoundCount,
		NotFoundAt: nullTime(t.NotFoundAt), ParkedAt: nullTime(t.ParkedAt), SendDueAt: nullTime(t.SendDueAt),
		DueAt: t.DueAt, CompletedAt: nullTime(t.CompletedAt), CreatedAt: t.CreatedAt, Revision: t.Revision,
		Disputes: nullList(t.Disputes), DisputedAt: nullTime(t.DisputedAt), ReturnedAt: nullTime(t.ReturnedAt),
		ReviewReason: null(t.Review.Reason), ReviewRef: null(t.Review.Ref), ReviewedAt: nullTime(t.Review.At),
		HeldAt: nullTime(t.HeldBack.At), HeldRevision: heldRevision(t.HeldBack), HeldByStop: t.HeldBack.ByStop,
		ConfirmToken: null(t.Action.Token), ActionUrl: null(t.Action.URL), ActionExpiresAt: nullTime(t.Action.ExpiresAt),
		ActionReturnedAt: nullTime(t.Action.ReturnedAt), ActionBrought: null(t.Action.Brought),
		ActionHandedAt: nullTime(t.Action.HandedAt), ActionApartSend: null(t.Action.ApartSend),
		UnsentAt: nullTime(t.UnsentAt), UnansweredSince: nullTime(t.Silence.Since), UnansweredAt: nullTime(t.Silence.At),
	}
}

func transactionFromDB(row dbsqlc.Transaction) payment.Transaction {
	return payment.Transaction{
		ID: row.ID, Type: row.Type, Status: row.Status, CustomerID: row.CustomerID,
		SubscriptionID: value(row.SubscriptionID), InvoiceID: value(row.InvoiceID), Amount: row.Amount,
		Currency: row.Currency, Description: row.Description, AttemptNumber: value(row.AttemptNumber),
		Trigger: row.Trigger, Provider: value(row.Provider), ProviderConfigID: value(row.ProviderConfigID),
		ProviderRef: value(row.ProviderRef), Method: value(row.Method), FailureCode: value(row.FailureCode),
		FailureReason: value(row.FailureReason), ProviderResponse: row.ProviderResponse,
		ChargeID: value(row.ChargeID), RecoveredFrom: value(row.RecoveredFrom), AmountRefunded: row.AmountRefunded,
		RefundOwed: row.RefundOwed, SendNumber: row.SendNumber, FirstSentAt: value(row.FirstSentAt),
		CancelRequestedAt: value(row.CancelRequestedAt), NextCheckAt: value(row.NextCheckAt),
		Checks: row.Checks, NotFoundCount: row.NotFoundCount, NotFoundAt: value(row.NotFoundAt),
		ParkedAt: value(row.ParkedAt), SendDueAt: value(row.SendDueAt), DueAt: row.DueAt,
		CompletedAt: value(row.CompletedAt), CreatedAt: row.CreatedAt, Revision: row.Revision,
		Disputes: value(row.Disputes), DisputedAt: value(row.DisputedAt), ReturnedAt: value(row.ReturnedAt),
		Review:   payment.Review{Reason: value(row.ReviewReason), Ref: value(row.ReviewRef), At: value(row.ReviewedAt)},
		HeldBack: heldFromDB(row),
		Action: payment.Action{
			Token: value(row.ConfirmToken), URL: value(row.ActionUrl), ExpiresAt: value(row.ActionExpiresAt),
			ReturnedAt: value(row.ActionReturnedAt), Brought: value(row.ActionBrought),
			HandedAt: value(row.ActionHandedAt), ApartSend: value(row.ActionApartSend),
		},
		UnsentAt: value(row.UnsentAt),
		Silence:  payment.Silence{Since: value(row.UnansweredSince), At: value(row.UnansweredAt)},
	}
}

// noRevision is that of a payment that waits for its turn: no revision of the accounts is later, so that none wakes it.
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
	h := payment.Hold{At: value(row.HeldAt), Revision: value(row.HeldRevision), ByStop: row.HeldByStop}
	if h.Revision == noRevision {
		h.Revision, h.ForTurn = 0, true
	}
	return h
}
