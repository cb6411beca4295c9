package story

import "slices"

// The names under which events are told.
const (
	clockName    = "story"
	customerName = "Ada Lovelace"
	starterName  = "Starter"
	proName      = "Pro"
)

// The events that several steps lead to, in their order.

func events(all ...[]sent) []sent { return slices.Concat(all...) }

func one(kind, about string) []sent { return []sent{{kind, about}} }

// billed is an invoice's issue.
func billed(total string) []sent {
	return []sent{{"invoice.created", total}, {"invoice.finalized", total}}
}

func renewed(total string) []sent {
	return events(one("subscription.renewed", starterName), billed(total))
}

func settled(total string) []sent {
	return []sent{{"payment.success", total}, {"invoice.paid", total}}
}

func declined() []sent {
	const total = "19.00 USD"
	return []sent{{"payment.failed", total}, {"invoice.payment_failed", total}}
}

func activated() []sent { return one("subscription.activated", customerName) }

// clockAt is the end of the advance that led to the step.
func clockAt(at string) []sent { return one("test_clock.advanced", at) }
