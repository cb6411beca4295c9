package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// event is the part of a delivery that the story shows, in payload shape A.
type event struct {
	id   string
	Type string `json:"event"`
	Data struct {
		ID         string `json:"id"`
		CustomerID string `json:"customerId"`
		Sequence   int64  `json:"sequence"` // in the subscription, from 1; 0: of none
		PlanID     string `json:"planId"`
		Amount     int64  `json:"amount"`
		Currency   string `json:"currency"`
		Now        int64  `json:"now"`
		Object     struct {
			AmountDue int64  `json:"amount_due"`
			Currency  string `json:"currency"`
		} `json:"object"`
	} `json:"data"`
}

// sent is an event as it is printed, as texts, so that the printed values are checked.
type sent struct{ kind, about string }

func (s sent) String() string { return s.kind + ", " + s.about }

// sent returns the event with its object: money, a time of the clock, or an object of the story, by its name.
func (e event) sent(names map[string]string) sent {
	about := names[e.Data.ID]
	switch d := e.Data; {
	case d.Currency != "":
		about = amount(d.Amount) + " " + d.Currency
	case d.Object.Currency != "":
		about = amount(d.Object.AmountDue) + " " + d.Object.Currency
	case d.Now != 0:
		about = at(d.Now).Format("2 Jan 15:04")
	case d.PlanID != "":
		about = names[d.PlanID]
	case d.CustomerID != "":
		about = names[d.CustomerID]
	}
	return sent{e.Type, about}
}

// collect adds the arrived events to those of this step. Events of other customers are left out: an environment kept
// from earlier starts may have subscriptions that renew meanwhile.
func (p *player) collect() []sent {
	arrived, refused := p.receiver.drain()
	p.refused = append(p.refused, refused...)
	for _, e := range arrived {
		if p.names[e.Data.ID] != "" || p.names[e.Data.CustomerID] != "" {
			p.events = append(p.events, e)
		}
	}
	arrange(p.events)
	var out []sent
	for _, e := range p.events {
		out = append(out, e.sent(p.names))
	}
	return out
}

// arrange orders by id, since ids of later events sort later, and those of the subscription by their sequence: ids of
// transactions that overlap may deviate from it.
func arrange(events []event) {
	slices.SortFunc(events, func(a, b event) int { return cmp.Compare(a.id, b.id) })
	var counted []event
	for _, e := range events {
		if e.Data.Sequence > 0 {
			counted = append(counted, e)
		}
	}
	slices.SortFunc(counted, func(a, b event) int { return cmp.Compare(a.Data.Sequence, b.Data.Sequence) })
	for i, e := range events {
		if e.Data.Sequence > 0 {
			events[i], counted = counted[0], counted[1:]
		}
	}
}

// unsent lists the differences between the wanted and the actual events of a step, a line each.
func unsent(want, got []sent) (wrong []string) {
	extra := slices.Clone(got)
	for _, w := range want {
		if i := slices.Index(extra, w); i >= 0 {
			extra = slices.Delete(extra, i, i+1)
			continue
		}
		wrong = append(wrong, fmt.Sprintf("event: expected %q, which did not arrive", w))
	}
	for _, g := range extra {
		wrong = append(wrong, fmt.Sprintf("event: got %q, which is not expected", g))
	}
	if want, got = ofSubscription(want), ofSubscription(got); len(wrong) == 0 && !slices.Equal(want, got) {
		wrong = append(wrong, fmt.Sprintf("events: expected the order %q, got %q", want, got))
	}
	return wrong
}

// ofSubscription leaves the events whose order is promised.
func ofSubscription(all []sent) []sent {
	return slices.DeleteFunc(slices.Clone(all), func(s sent) bool {
		kind, _, _ := strings.Cut(s.kind, ".")
		return kind != "subscription" && kind != "invoice" && kind != "payment"
	})
}
