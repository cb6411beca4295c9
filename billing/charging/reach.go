package charging

import "perennial/billing/payment"

// reach chooses the account of the step: that of an earlier send with open callbacks, that of the current send, or,
// before the first one, the one that is to take it. It chooses none where none can take it.
func (d *decision) reach() bool {
	own := d.step.Transaction.ProviderConfigID
	if !d.step.Transaction.EverSent() && d.step.Transaction.Type == payment.Charge {
		own = ""
	}
	if !d.step.Asked || d.Progress.Earlier {
		return d.reachOwn(own)
	}
	said := d.Known.Elsewhere
	switch {
	case said == nil:
		return d.needs(Need{Of: NeedElsewhere, AccountID: own})
	case said.AccountID == "":
		return d.reachOwn(own)
	}
	a, ok := d.opened(said.AccountID)
	switch {
	case !ok:
		return false
	case a.Opening == Closed && d.mayRepeat(): // the callback waits for its account, and nothing else for the callback
		return d.reachOwn(own)
	case own != "" && !d.turn(*said): // else a restored database has forgotten to whom it was sent
		return false
	}
	return d.speakTo(a)
}

// reachOwn chooses the account of the current send, or the one that is to take the first; own is empty before that.
func (d *decision) reachOwn(own string) bool {
	if own == "" {
		return d.route()
	}
	a, ok := d.opened(own)
	return ok && d.speakTo(a)
}

// speakTo chooses an account if it can be opened. Another account may have a send that was lost in a restore.
func (d *decision) speakTo(a Account) bool {
	switch {
	case a.Opening == Open:
		d.choose(a)
	case d.mayRepeat():
		d.unopened = a.ID
	default:
		d.step.Unreachable = a.ID
		return false
	}
	return true
}

// turn makes the step about the earlier send that a callback is about.
func (d *decision) turn(said Elsewhere) bool {
	if d.Known.Sends == nil {
		return d.needs(Need{Of: NeedSends})
	}
	d.step.About = said.Reference
	earlier := payment.Send{Number: 1, ProviderConfigID: said.AccountID} // which a restored database has forgotten
	for _, s := range *d.Known.Sends {
		if s.ProviderConfigID == said.AccountID && (earlier.Key == "" || earlier.Key != said.Key) {
			earlier = s
		}
	}
	d.step.Earlier, d.step.Number = &earlier, earlier.Number
	return true
}
