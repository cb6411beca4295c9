package simulator

import (
	"perennial/providers/simulator/adyensim"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/flutterwavesim"
	"perennial/providers/simulator/pawapaysim"
	"perennial/providers/simulator/stripesim"
)

// dialects makes each provider's dialect, with every well-formed credential accepted. It is the only place that names
// them all.
var dialects = []func() core.Dialect{
	func() core.Dialect { return stripesim.New(stripesim.Config{}) },
	func() core.Dialect { return adyensim.New(adyensim.Config{}) },
	func() core.Dialect { return pawapaysim.New(pawapaysim.Config{}) },
	func() core.Dialect { return flutterwavesim.New(flutterwavesim.Config{}) },
}
