package lifecycle

import "perennial/billing/collection"

// ResumeCollection ends the pause of a past-due subscription's collection, and starts an attempt on the waiting
// invoice, unless one is live or the invoice was sent for its customer to pay. Changes.Attempt names the attempt.
// Faults: those of subscribing.ResumeCollection.
type ResumeCollection struct{}

// Name returns resume_collection.
func (ResumeCollection) Name() string { return "resume_collection" }

func (ResumeCollection) judge(d *Decision) (func() error, error) {
	resumed, err := d.situation().ResumeCollection(d.Now)
	return func() error {
		if err := d.carryOut(resumed); err != nil {
			return err
		}
		i := d.IndexOpen(d.Subscription.CollectingInvoiceID)
		if i < 0 || d.Open[i].Collection.Phase != collection.Exhausted || d.Open[i].Terms.Sent() {
			return nil
		}
		d.asked = true
		defer func() { d.asked = false }()
		return d.Step(i, collection.Pay)
	}, err
}
