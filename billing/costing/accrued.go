package costing

import (
	"maps"

	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
)

// Accruing is a segment whose usage is to be priced, with its facts.
type Accruing struct {
	metering.Priced
	Counted metered.Segment // the usage
}

// Accrual is the cost of the usage of some segments, by the rules that bill it, in minor units and before taxes.
type Accrual struct {
	Lines    []AccruedLine
	Amount   money.Minor // of the lines
	Discount money.Minor // what percentages of coupons take off
	// Billed is the part that invoices bill so far, less their discounts.
	Billed  money.Minor
	Unrated []Unrated
}

// Total returns the cost of all usage, billed or not.
func (a Accrual) Total() money.Minor { return a.Amount - a.Discount }

// AccruedLine is the cost by one rate of a metered price in a segment, or for one value of the dimensions that the rate
// keeps apart.
type AccruedLine struct {
	invoice.Line
	MetricName string // empty: a commitment, or a price in arrears
	// Dimensions are the values that the line is for, including those that the rate requires; nil: a record has no
	// value of the dimension. Empty: the line is not for particular values, or stands for several lines.
	Dimensions map[string]*string
	Billed     money.Minor // of Amount less Discounts, by invoices so far
}

// Unrated is usage of a metric with a price that none of its rates counts. It costs nothing.
type Unrated struct {
	MetricName string
	PriceID    string
	Quantity   money.Decimal
	Records    int64
}

// Accrued returns the cost of segments, of which the charges in billed are billed. A key that costs nothing has a line
// too where it counts units: they may be included ones. Faults: those of metered.Owed.
func (s Period) Accrued(segments []Accruing, billed []metered.Charge) (Accrual, error) {
	var out Accrual
	for _, of := range segments {
		owed, err := metered.Owed([]metered.Segment{of.Counted}, s.Currency)
		if err != nil {
			return Accrual{}, err
		}
		lines, err := s.accrued(of, owed, billed)
		if err != nil {
			return Accrual{}, err
		}
		for _, l := range lines {
			out.Discount += l.Discounts.Sum()
			out.Billed += l.Billed
			if out.Amount, err = money.Sum(out.Amount, l.Amount); err != nil {
				return Accrual{}, err
			}
		}
		out.Lines, out.Unrated = append(out.Lines, lines...), append(out.Unrated, unrated(of.Counted)...)
	}
	return out, nil
}

// accrued are the lines of one segment.
func (s Period) accrued(of Accruing, owed, billed []metered.Charge) ([]AccruedLine, error) {
	before := map[metered.Key]money.Minor{}
	for _, b := range billed {
		if b.Segment == of.Start.UnixMicro() {
			before[b.Key] += b.Amount
		}
	}
	left := maps.Clone(before) // billed keys that are not owed any more
	for _, c := range owed {
		delete(left, c.Key)
	}
	for _, b := range billed {
		if _, gone := left[b.Key]; gone {
			owed = append(owed, metered.Charge{Key: b.Key, Quantity: money.Whole(0)})
			delete(left, b.Key)
		}
	}
	s = s.during(of.Segment)
	prices := of.Prices()
	var all []AccruedLine
	var lines []invoice.Line
	for _, c := range owed {
		had := before[c.Key]
		if !c.Lot.Rated() || c.Amount == 0 && c.Quantity.Sign() == 0 && had == 0 {
			continue
		}
		line, err := s.used(of.Priced, prices, c, nil)
		if err != nil {
			return nil, err
		}
		off, err := s.reduced(invoice.Line{PlanID: line.PlanID, Amount: had}, c.Before)
		if err != nil {
			return nil, err
		}
		name, dimensions := about(prices, c.Key)
		all = append(all, AccruedLine{Line: line, MetricName: name, Dimensions: dimensions, Billed: had - off.Sum()})
		lines = append(lines, line)
	}
	kept, others := largest(lines)
	few := make([]AccruedLine, 0, len(kept)+len(others))
	for _, i := range kept {
		few = append(few, all[i])
	}
	for _, places := range others {
		rest := AccruedLine{Line: together(of.Priced, prices, lines, places), MetricName: all[places[0]].MetricName}
		for _, i := range places {
			rest.Billed += all[i].Billed
		}
		few = append(few, rest)
	}
	return few, nil
}

// about returns the metric that a charge is for, and the values of dimensions.
func about(prices *metered.Prices, key metered.Key) (metric string, dimensions map[string]*string) {
	component, known := prices.Component(key.PriceID)
	if !known || component.Fixed {
		return "", nil
	}
	if key.Lot.Rate < 0 || key.Lot.Rate >= len(component.Rates) {
		return component.MetricName, nil
	}
	rate, values := component.Rates[key.Lot.Rate], key.Lot.By.Values()
	dimensions = make(map[string]*string, len(rate.Where)+len(values))
	for name, value := range rate.Where {
		dimensions[name] = &value
	}
	for n, value := range values {
		if n < len(rate.By) {
			dimensions[rate.By[n]] = value
		}
	}
	return component.MetricName, dimensions
}

// unrated returns the usage that no rate of a component counts.
func unrated(of metered.Segment) (all []Unrated) {
	for _, used := range of.Usage {
		quantity, records := metered.Unrated(used.Quantities)
		if records > 0 {
			all = append(all, Unrated{used.MetricName, used.ID, quantity, records})
		}
	}
	return all
}
