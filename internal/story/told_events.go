package story

import "slices"

// The names of objects in printed events.
const (
	clockName    = "story"
	customerName = "Ada Lovelace"
	starterName  = "Starter"
	proName      = "Pro"
)

// starterTotal is the printed price of a month of Starter.
const starterTotal = "19.00 USD"

// The events that several steps lead to, in their order.

func events(all ...[]sent) []sent { return slices.Concat(all...) }

func one(kind, about string) []sent { return []sent{{kind, about}} }

// billed is an invoice's issue.
func billed(total string) []sent {
	return []sent{{"invoice.created", total}, {"invoice.finalized", total}}
}

func renewed() []sent {
	return events(one("subscription.renewed", starterName), billed(starterTotal))
}

func settled(total string) []sent {
	return []sent{{"payment.success", total}, {"invoice.paid", total}}
}

func declined() []sent {
	return []sent{{"payment.failed", starterTotal}, {"invoice.payment_failed", starterTotal}}
}

func activated() []sent { return one("subscription.activated", customerName) }

// clockAt is the end of the advance that led to the step.
func clockAt(at string) []sent { return one("test_clock.advanced", at) }
