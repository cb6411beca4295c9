package charging_test

import (
	"strings"
	"testing"
	"time"

	"perennial/billing/answer"
	"perennial/billing/charging"
	"perennial/billing/internal/statedoc"
	"perennial/billing/payment"
)

// providers are the protocols of accounts, as the columns of the table: docs/providers.md has the protocol of each
// provider.
var providers = []struct {
	name string
	payment.Protocol
}{
	{"asked by our key, replays keys", protocol},
	{"asked by its own reference only", payment.Protocol{Window: 24 * time.Hour, LookupByRef: true, Expiry: time.Hour}},
	{"cannot be asked", callbacksOnly},
}

// steps are the rows of the table: the facts about the charge, in addition to its account's protocol.
var steps = []struct {
	name     string
	txn      payment.Transaction
	progress charging.Progress
	world
	at time.Duration // after it was sent
}{
	{name: "never sent", txn: due()},
	{name: "never sent, no account can take it", txn: due(), world: world{paused: true}},
	{name: "never sent, not wanted any more", txn: due(canceled)},
	{name: "sent, no answer", txn: due(sent)},
	{name: "sent, no answer, a repeat brought none", txn: due(sent, checked)},
	{name: "sent, no answer, after the time of repeats", txn: due(sent), at: 25 * time.Hour},
	{name: "sent, no answer, not wanted any more", txn: due(sent, canceled)},
	{name: "sent, no answer, for weeks", txn: due(sent), at: 30 * 24 * time.Hour},
	{name: "accepted", txn: due(sent, accepted)},
	{name: "accepted, not wanted any more", txn: due(sent, accepted, canceled)},
	{name: "accepted, no end, for weeks", txn: due(sent, accepted), at: 30 * 24 * time.Hour},
	{name: "a callback proves how it ended", txn: due(sent), world: world{Known: charging.Known{
		Evidence: &[]charging.Evidence{{Answer: answer.Answer{Outcome: answer.Succeeded}}},
	}}},
	{name: "ended", txn: due(sent, accepted, ended)},
	{name: "ended, and a callback tells of it again", txn: due(sent, accepted, ended),
		progress: charging.Progress{Asked: true}},
	{name: "may have been sent before a restore", txn: due(old)},
	{name: "the same, nobody has it", txn: due(old), world: world{Known: charging.Known{Search: absent("a")}}},
	{name: "the same, just after the restore", txn: due(old), at: -2 * time.Minute},
	{name: "left to a person", txn: due(sent, func(t *payment.Transaction) { t.ParkedAt = t0 })},
}

func checked(t *payment.Transaction)  { t.Checks = 2 }
func accepted(t *payment.Transaction) { t.ProviderRef = "pi_1" }
func ended(t *payment.Transaction)    { t.Status = payment.Success }

// says are the steps in the words of the table.
var says = map[payment.Move]string{
	payment.MoveNone: "–", payment.MoveSend: "**send**", payment.MoveReplay: "**send** again, same key",
	payment.MoveLookup: "**ask**", payment.MoveCancel: "**ask** to cancel", payment.MoveComplete: "**complete**",
	payment.MoveHold: "**hold**", payment.MoveAbandon: "**cancel** without a call", payment.MoveBelieve: "**believe** it",
	payment.MoveAwait: "**wait** for a callback", payment.MoveReview: "**review** by a person",
}

func TestStatesDocument(t *testing.T) {
	t.Parallel()
	header := []string{"what is known of a charge"}
	for _, p := range providers {
		header = append(header, p.name)
	}
	rows := make([][]string, len(steps))
	for i, c := range steps {
		rows[i] = []string{c.name}
		for _, p := range providers {
			w := c.world
			w.accounts = []charging.Account{account("a", func(a *charging.Account) { a.Protocol = p.Protocol })}
			step, _ := decide(t, charging.Situation{
				Transaction: c.txn, RestoredAt: restored, Now: t0.Add(c.at), Progress: c.progress,
			}, w)
			cell := says[step.Move]
			switch {
			case step.Lost != nil && step.Move == payment.MoveLookup:
				cell = "**search**: ask for it"
			case step.Lost != nil:
				cell = "**search**: wait for indexes"
			}
			rows[i] = append(rows[i], cell)
		}
	}
	statedoc.Section(t, "charging", "\n"+statedoc.Table(header, rows)+"\n"+strings.TrimSpace(diagram)+"\n\n")
}

// diagram shows the paths of a charge between the steps; the table shows the decisions of the code.
const diagram = "```mermaid\n" + `stateDiagram-v2
    state "not sent" as unsent
    state "sent, outcome unknown" as unknown
    state "with a person" as review
    [*] --> unsent
    unsent --> unsent: hold
    unsent --> unknown: send
    unsent --> unsent: search, an account was asked
    unsent --> unknown: search, found there
    unsent --> unsent: surely not taken, to the next account
    unsent --> [*]: cancel without a call
    unknown --> unknown: ask, send again with the same key, wait
    unknown --> unsent: it provably never arrived
    unknown --> [*]: the provider says how it ended, believe
    unknown --> review: nothing can be asked and no callback came
    unsent --> review: an account that may have it cannot be asked
    review --> [*]: resolve
` + "```"
