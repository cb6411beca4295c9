// Package all is the list of the providers that there are. It is the only place that names them all.
package all

import (
	"perennial/providers"
	"perennial/providers/adyen"
	"perennial/providers/flutterwave"
	"perennial/providers/pawapay"
	"perennial/providers/stripe"
)

// Registry holds every provider's factory.
var Registry = providers.NewRegistry(adyen.Factory{}, flutterwave.Factory{}, pawapay.Factory{}, stripe.Factory{})
