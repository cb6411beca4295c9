package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/email"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
)

// sender writes a sender of mail for all kinds.
func (b *bundle) sender(t *testing.T, env string) db.EmailSender {
	t.Helper()
	s := db.EmailSender{
		ID: id.New(id.EmailSender, wall), FromEmail: "billing@example.com", FromName: "Acme", Host: "smtp.example.com", Port: 587,
		Security: "starttls", User: "u", PasswordSealed: []byte("sealed"), DKIMDomain: "example.com", DKIMSelector: "s1",
		DKIMKeySealed: []byte("key"), Kinds: email.Kinds(), Allowed: email.Allowed{"@example.com"},
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Emails.InsertSender(ctx, env, s)) })
	return s
}

// mailed writes a sender and a mail that is due, and returns the mail's id.
func (b *bundle) mailed(t *testing.T, env, customerID string) string {
	t.Helper()
	b.sender(t, env)
	m := db.Email{
		ID: id.New(id.Email, wall), Kind: email.Refund, ObjectID: "txn_1", CustomerID: customerID, Recipient: "ada@example.com",
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Emails.Insert(ctx, env, m)) })
	return m.ID
}

func TestSender_RoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := b.sender(t, b.env)
	got, err := b.store.Emails.Sender(t.Context(), b.env)
	require.NoError(t, err)
	require.NotEmpty(t, got.AppID)
	require.Equal(t, "test", got.Mode)
	want.EnvironmentID, want.AppID, want.Mode, want.Keyset = b.env, got.AppID, got.Mode, got.Keyset
	want.Revision, want.CreatedAt, want.UpdatedAt = 1, got.CreatedAt, got.CreatedAt
	require.Equal(t, want, got)

	failure := db.SenderFailure{Class: "login_failed", Text: "no"}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Emails.SetSenderFailing(ctx, got, failure))
	})
	failing, err := b.store.Emails.Sender(t.Context(), b.env)
	require.NoError(t, err)
	require.Equal(t, "login_failed", failing.FailureClass)
	require.False(t, failing.FailingSince.IsZero())

	failing.Host = "other.example.com"
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Emails.SaveSender(ctx, b.env, failing))
		require.NoError(t, tx.Emails.SetSenderFailing(ctx, got, failure), "of the revision before")
	})
	saved, err := b.store.Emails.Sender(t.Context(), b.env)
	require.NoError(t, err)
	require.Equal(t, "other.example.com", saved.Host)
	require.True(t, saved.FailingSince.IsZero(), "a new server has a clean record")

	saved.DeletedAt, saved.User, saved.PasswordSealed = wall, "", nil
	saved.DKIMDomain, saved.DKIMSelector, saved.DKIMKeySealed = "", "", nil
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Emails.SaveSender(ctx, b.env, saved)) })
	_, err = b.store.Emails.Sender(t.Context(), b.env)
	require.ErrorIs(t, err, db.ErrEmailSettingsNotFound)
	b.sender(t, b.env)
}

// The transaction of an event writes its mail and wakes the sender once, until that has looked.
func TestEmit_WritesMailAndWakesTheSender(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.sender(t, b.env)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		_, err := tx.Emails.BeginSending(ctx, b.env, s.ID)
		require.NoError(t, err)
	})
	paid := func(txn string) []db.Effect {
		return b.emit(t, b.env, func(ctx context.Context, tx *db.Tx) {
			failed := event.PaymentFailed{Payment: event.Payment{ID: txn, CustomerID: b.customer.ID, Currency: "EUR"}}
			require.NoError(t, tx.Emit(ctx, b.env, event.New(failed, now)))
		})
	}
	require.Equal(t, []db.Effect{db.WakeSender{EnvironmentID: b.env, ID: s.ID}}, paid("txn_1"))
	require.Empty(t, paid("txn_2"), "its signal is under way")
	due, err := b.store.Emails.Due(t.Context(), b.env, time.Now().Add(time.Hour), 10)
	require.NoError(t, err)
	require.Len(t, due, 2)
	next, waiting, err := b.store.Emails.Waiting(t.Context(), b.env)
	require.NoError(t, err)
	require.Equal(t, 2, waiting)
	require.False(t, next.IsZero())

	found, _, err := b.store.Emails.List(t.Context(), b.env, db.EmailFilter{CustomerID: b.customer.ID},
		db.Page{Unsettled: true})
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Equal(t, b.customer.Email, found[0].Recipient)

	asleep, err := b.store.Reconcile.AsleepSenders(t.Context(), time.Now().Add(time.Hour), time.Now().Add(time.Hour), 100)
	require.NoError(t, err)
	require.Contains(t, asleep, db.Ref{EnvironmentID: b.env, ID: s.ID})
	unstarted, err := b.store.Reconcile.UnstartedSenders(t.Context(), 1, 10_000)
	require.NoError(t, err)
	ref := db.Ref{EnvironmentID: b.env, ID: s.ID}
	require.Contains(t, unstarted, ref)
	b.setStarted(t, db.StartedSenders, 1, ref)
	unstarted, err = b.store.Reconcile.UnstartedSenders(t.Context(), 1, 10_000)
	require.NoError(t, err)
	require.NotContains(t, unstarted, ref)
}

func TestEmails_PurgeKeepsPendingOnes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pending := b.mailed(t, b.env, b.customer.ID)
	sent := db.Email{ID: id.New(id.Email, wall), Kind: email.Refund, ObjectID: "txn_2", CustomerID: b.customer.ID, Recipient: "a@b.de"}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Emails.Insert(ctx, b.env, sent))
		m, err := tx.Emails.Lock(ctx, b.env, sent.ID)
		require.NoError(t, err)
		m.Status, m.NextAttemptAt, m.SentAt = email.Sent, time.Time{}, wall
		m.Log = email.Attempts{{Number: 1, StartedAt: wall, Outcome: email.OutcomeSent}}
		require.NoError(t, tx.Emails.Save(ctx, b.env, m))
	})
	_, err := b.pool.Exec(t.Context(), "update emails set created_at = '2001-01-01' where environment_id = $1", b.env)
	require.NoError(t, err)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		n, err := tx.Emails.Purge(ctx, time.Date(2002, 1, 1, 0, 0, 0, 0, time.UTC), 10)
		require.NoError(t, err)
		require.Equal(t, 1, n)
	})
	_, err = b.store.Emails.Email(t.Context(), b.env, sent.ID)
	require.ErrorIs(t, err, db.ErrEmailNotFound)
	_, err = b.store.Emails.Email(t.Context(), b.env, pending)
	require.NoError(t, err)
}
