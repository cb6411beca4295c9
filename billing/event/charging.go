package event

// The types about charging stops.
const (
	TypeChargingPaused          Type = "environment.charging_paused"
	TypeChargingResumed         Type = "environment.charging_resumed"
	TypeProviderChargingPaused  Type = "provider.charging_paused"
	TypeProviderChargingResumed Type = "provider.charging_resumed"
)

// Actor is who did something.
type Actor struct {
	Kind string `json:"kind" doc:"What it is: key, operator, workflow, cli or system."`
	ID   string `json:"id,omitempty" doc:"The API key; absent for others."`
}

// ChargingPaused means that no new charge of the environment is sent. Payments that would be sent stay pending. What
// was sent goes on, and so do refunds.
type ChargingPaused struct {
	ID string `json:"id" doc:"The environment."`
	By Actor  `json:"by" doc:"Who paused it."`
}

// ChargingResumed means that charges of the environment are sent again, those that waited too.
type ChargingResumed struct {
	ID string `json:"id" doc:"The environment."`
	By Actor  `json:"by" doc:"Who resumed it."`
}

// ProviderChargingPaused means that no new charge is sent through the configuration. What was sent goes on, and so do
// refunds.
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
