package event

// The types about charging stops.
const (
	TypeChargingPaused          Type = "environment.charging_paused"
	TypeChargingResumed         Type = "environment.charging_resumed"
	TypeProviderChargingPaused  Type = "provider.charging_paused"
	TypeProviderChargingResumed Type = "provider.charging_resumed"
)

// Actor is the actor of an event.
type Actor struct {
	Kind string `json:"kind" doc:"What it is: key, operator, workflow, cli or system."`
	ID   string `json:"id,omitempty" doc:"The API key; absent for others."`
}

// ChargingPaused means that no new charge of the environment is sent. Charges that are not sent yet stay pending; those
// that were sent continue, and so do refunds.
type ChargingPaused struct {
	ID string `json:"id" doc:"The environment."`
	By Actor  `json:"by" doc:"Who paused it."`
}

// ChargingResumed means that charges of the environment are sent again, including those that waited.
type ChargingResumed struct {
	ID string `json:"id" doc:"The environment."`
	By Actor  `json:"by" doc:"Who resumed it."`
}

// ProviderChargingPaused means that no new charge is sent through the configuration. Charges that were sent continue,
// and so do refunds.
type ProviderChargingPaused struct {
	ProviderConfig
	By Actor `json:"by" doc:"Who paused it."`
}

// ProviderChargingResumed means that charges are sent through the configuration again.
type ProviderChargingResumed struct {
	ProviderConfig
	By Actor `json:"by" doc:"Who resumed it."`
}

func (e ChargingPaused) about() about  { return about{objectID: e.ID} }
func (e ChargingResumed) about() about { return about{objectID: e.ID} }

// Type implements Data.
func (ChargingPaused) Type() Type { return TypeChargingPaused }

// Type implements Data.
func (ChargingResumed) Type() Type { return TypeChargingResumed }

// Type implements Data.
func (ProviderChargingPaused) Type() Type { return TypeProviderChargingPaused }

// Type implements Data.
func (ProviderChargingResumed) Type() Type { return TypeProviderChargingResumed }
