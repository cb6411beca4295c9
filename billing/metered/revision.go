package metered

// Revision is what a new version of a plan says about usage. What it leaves out stays as it is.
type Revision struct {
	Components []Component // nil: they stay; empty: there are none any more, and no commitment to them
	Commitment *Commitment // nil: it stays; of 0: there is none any more
	Thresholds []Threshold // nil: they stay; empty: there are none any more
	Minimum    *Minimum    // nil: it stays; of 0: there is none any more
}

// Replaced is the revision after which the prices are these, whatever they were; nil: none.
func Replaced(by *Prices) Revision {
	r := Revision{
		Components: []Component{}, Commitment: &Commitment{}, Minimum: &Minimum{}, Thresholds: []Threshold{},
	}
	if by != nil {
		r.Components = by.Components
		r.Thresholds = append(r.Thresholds, by.Thresholds...)
	}
	if by != nil && by.Commitment != nil {
		r.Commitment = by.Commitment
	}
	if by != nil && by.Minimum != nil {
		r.Minimum = by.Minimum
	}
	return r
}

// Of returns the prices after the revision; nil: none. Prices.Check refuses a commitment that is left without
// components.
func (r Revision) Of(now *Prices) *Prices {
	out := now.list()
	if r.Components != nil {
		out.Components = r.Components
	}
	switch {
	case r.Commitment != nil && r.Commitment.Amount == 0, r.Commitment == nil && len(out.Components) == 0:
		out.Commitment = nil
	case r.Commitment != nil:
		out.Commitment = r.Commitment
	}
	switch {
	case r.Minimum != nil && r.Minimum.Amount == 0:
		out.Minimum = nil
	case r.Minimum != nil:
		out.Minimum = r.Minimum
	}
	if r.Thresholds != nil {
		out.Thresholds = r.Thresholds
	}
	if len(out.Thresholds) == 0 || len(out.Components) == 0 && r.Thresholds == nil {
		out.Thresholds = nil
	}
	if len(out.Components) == 0 && out.Commitment == nil && out.Minimum == nil && len(out.Thresholds) == 0 {
		return nil
	}
	return &out
}
