package event

// The types about provider configurations.
const (
	TypeProviderFailing   Type = "provider.failing"
	TypeProviderRecovered Type = "provider.recovered"
)

// ProviderConfig has the fields of all events about a provider configuration.
type ProviderConfig struct {
	ID       string `json:"id" doc:"The provider configuration; receivers deduplicate on it."`
	Provider string `json:"provider" doc:"The identifier of the provider."`
}

func (c ProviderConfig) about() about { return about{objectID: c.ID} }

// ProviderFailing means that the provider refuses the credentials of the configuration (HTTP 401 or 403), or that the
// stored credentials cannot be read, so that payments go to other configurations, or wait. It is announced once until
// the provider recovers. A provider that is away, or answers with errors of its own, is not announced.
type ProviderFailing struct {
	ProviderConfig
	Reason string `json:"reason" enum:"credentials_refused,credentials_unreadable" doc:"Why, as a code: credentials_refused or credentials_unreadable."`
}

// ProviderRecovered means that the provider takes the credentials of the configuration again.
type ProviderRecovered struct{ ProviderConfig }

// Type implements Data.
func (ProviderFailing) Type() Type { return TypeProviderFailing }

// Type implements Data.
func (ProviderRecovered) Type() Type { return TypeProviderRecovered }
