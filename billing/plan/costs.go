package plan

import (
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/rating"
)

// Cost is the cost of one price in a whole period. Quantity and UnitPrice are decimals, the latter in major units of
// the plan's currency, since a unit may cost less than a minor unit. It is empty where units have no single price.
type Cost struct {
	PriceID     string
	Description string
	Quantity    string
	UnitPrice   string
	Amount      money.Minor
	Steps       []rating.Step // how Amount comes about
}

// Cost returns what so many units of one of the plan's prices come to in a whole period. Faults: amount_too_large;
// price_missing, where the price is another plan's.
func (p Plan) Cost(priceID string, units int64) (Cost, error) {
	price, ok := p.price(priceID)
	if !ok {
		return Cost{}, fault.New(fault.Internal, "price_missing", "The plan %s has no price %s.", p.ID, priceID)
	}
	return p.cost(price, units)
}

func (p Plan) cost(price Price, units int64) (Cost, error) {
	rated, err := price.Rate(money.Whole(units), p.Currency)
	if err != nil {
		return Cost{}, err
	}
	cost := Cost{
		PriceID: price.ID, Description: p.describe(price), Quantity: rated.Quantity.String(), Amount: rated.Amount,
		Steps: rated.Steps,
	}
	if price.Model == rating.Flat {
		cost.UnitPrice = money.FormatUnits(price.Amount, p.Currency)
	} else if one, simple := rated.UnitPrice(); simple {
		cost.UnitPrice = one.String()
	}
	return cost, nil
}

// Total returns the cost of one whole period for a quantity of units, without fees. Fault: amount_too_large.
func (p Plan) Total(quantity int64) (money.Minor, error) {
	return p.sum(quantity, func(price Price) bool { return !price.Once })
}

// First returns the cost of the first period for a quantity of units: a whole one, and the fees. Fault:
// amount_too_large.
func (p Plan) First(quantity int64) (money.Minor, error) {
	return p.sum(quantity, func(Price) bool { return true })
}

// Advance returns the cost of one whole period in advance for a quantity of units, without fees; 0 where that exceeds
// the largest amount, which no subscription may cost.
func (p Plan) Advance(quantity int64) money.Minor {
	total, err := p.sum(quantity, func(price Price) bool { return !price.Once && !price.Arrears })
	if err != nil {
		return 0
	}
	return total
}

// sum adds what some of the prices come to.
func (p Plan) sum(quantity int64, counts func(Price) bool) (money.Minor, error) {
	amounts := make([]money.Minor, 0, len(p.Prices))
	for _, price := range p.Prices {
		if !counts(price) {
			continue
		}
		cost, err := p.cost(price, price.Units(quantity))
		if err != nil {
			return 0, err
		}
		amounts = append(amounts, cost.Amount)
	}
	return money.Sum(amounts...)
}

// Units returns how many units of the price a subscription has whose quantity is given: a flat price has one.
func (p Price) Units(quantity int64) int64 {
	if p.Model == rating.Flat {
		return 1
	}
	return quantity
}

func (p Plan) describe(price Price) string {
	if price.Name == "" {
		return p.Name
	}
	return p.Titled(price.Name)
}

// Titled returns the name of a part of the plan on a line.
func (p Plan) Titled(part string) string { return p.Name + " – " + part }
