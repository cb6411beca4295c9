package conformance

// need is something that a scenario takes for granted. Where a provider does not have it, the scenario does not run,
// and Run says so.
type need struct {
	what string
	met  func(s Subject) bool
}

type needs []need

func (all needs) missing(s Subject) string {
	for _, n := range all {
		if !n.met(s) {
			return n.what
		}
	}
	return ""
}

func method(what string, of func(Methods) string) need {
	return need{what, func(s Subject) bool { return of(s.Methods) != "" }}
}

var (
	always needs

	byKey = need{"a look-up by our key", func(s Subject) bool { return s.Provider.Capabilities().LookupByKey }}
	byRef = need{"a look-up by reference", func(s Subject) bool { return s.Provider.Capabilities().LookupByRef }}
	blind = need{"no look-up at all", func(s Subject) bool {
		c := s.Provider.Capabilities()
		return !c.LookupByKey && !c.LookupByRef
	}}
	replay   = need{"a replay window", func(s Subject) bool { return s.Provider.Capabilities().ReplayWindow > 0 }}
	canceled = need{"a cancel", func(s Subject) bool { return s.Provider.Capabilities().Cancel }}

	completes = need{"a completion by what the payer brings back", func(s Subject) bool {
		return s.Provider.Capabilities().Completes
	}}

	forgets       = need{"keys that are forgotten", func(s Subject) bool { return !s.Protocol.KeysKept }}
	bindsKeys     = need{"keys that bind parameters", func(s Subject) bool { return !s.Protocol.KeysBindNothing }}
	disputable    = need{"disputes", func(s Subject) bool { return !s.Protocol.NoDisputes }}
	inquirable    = need{"inquiries", func(s Subject) bool { return !s.Protocol.NoDisputes && !s.Protocol.NoInquiries }}
	listsRefunds  = need{"a list of refunds", func(s Subject) bool { return !s.Protocol.NoRefundList }}
	refundsByKey  = need{"a look-up of refunds by our key", func(s Subject) bool { return !s.Protocol.NoRefundByKey }}
	anyTxn        = need{"a search by transaction", func(s Subject) bool { return s.Protocol.SearchesTransactions }}
	signsBody     = need{"a signature over the raw body", func(s Subject) bool { return !s.Protocol.SignsFields }}
	signsTime     = need{"a signature that grows old", func(s Subject) bool { return !s.Protocol.Untimed }}
	hasMissing    = method("an unknown payment method", func(m Methods) string { return m.Missing.Type })
	asksCustomer  = method("an authentication", func(m Methods) string { return m.NeedsCustomer.Type })
	asksPayer     = method("a page for the payer", func(m Methods) string { return m.AsksPayer.Type })
	repeatsErrors = method("a remembered 500", func(m Methods) string { return m.ErrorCaptured.Type })
	holdsRefunds  = method("a pending refund", func(m Methods) string { return m.RefundPending.Type })
	returnsRefund = method("a refund that comes back", func(m Methods) string { return m.RefundReversed.Type })
)
