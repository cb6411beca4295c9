package rating

import (
	"slices"
	"strings"

	"perennial/billing/money"
)

// model is one way to turn a quantity into an amount. A model has a file of its own.
type model interface {
	// parameters names the parameters that a price of this model must have, and those that it may have.
	parameters() (needs, allows []string)
	// steps appends the calculation for a usage that is not negative.
	steps(steps []Step, p Price, of usage, c money.Currency) []Step
}

var models = map[Model]model{
	Flat:                flat{},
	PerUnit:             perUnit{},
	Graduated:           graduated{},
	Volume:              volume{},
	Package:             packages{},
	TieredFlat:          tieredFlat{},
	Percentage:          percentage{},
	GraduatedPercentage: graduatedPercentage{},
}

// Models are the names of all models, in alphabetical order.
func Models() []Model {
	names := make([]Model, 0, len(models))
	for name := range models {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func modelNames() string {
	quoted := make([]string, 0, len(models))
	for _, name := range Models() {
		quoted = append(quoted, "`"+string(name)+"`")
	}
	return strings.Join(quoted, ", ")
}
