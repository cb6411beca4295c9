package metered

// Revision is a new plan version's change of usage prices. Omitted parts do not change.
type Revision struct {
	Components []Component // nil: no change; empty: removed, with their commitment
	Commitment *Commitment // nil: no change; of 0: removed
	Thresholds []Threshold // nil: no change; empty: removed
	Minimum    *Minimum    // nil: no change; of 0: removed
}

// Replaced returns the revision that replaces any prices by these; nil: none.
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

// Of returns the prices after the revision; nil: none. Prices.Check refuses a commitment without components.
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
