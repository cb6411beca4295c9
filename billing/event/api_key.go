package event

// The types about API keys.
const (
	TypeAPIKeyCreated Type = "api_key.created"
	TypeAPIKeyUpdated Type = "api_key.updated"
	TypeAPIKeyRevoked Type = "api_key.revoked"
)

// APIKeyCreated means that there is another key to the API.
type APIKeyCreated struct {
	ID       string `json:"id" doc:"The key's id. It is not the key."`
	Replaces string `json:"replaces,omitempty" doc:"The key that was rotated."`
}

// APIKeyUpdated means that a key has another name.
type APIKeyUpdated struct {
	ID      string   `json:"id" doc:"The key's id."`
	Changed []string `json:"changed" doc:"Names of the fields that changed, never their values."`
}

// APIKeyRevoked means that a key opens nothing any more, or will not when its overlap with the next one has passed.
type APIKeyRevoked struct {
	ID     string `json:"id" doc:"The key's id."`
	EndsAt int64  `json:"endsAt" doc:"From when on it is refused, in Unix seconds."`
}

func (e APIKeyCreated) about() about { return about{objectID: e.ID} }
func (e APIKeyUpdated) about() about { return about{objectID: e.ID} }
func (e APIKeyRevoked) about() about { return about{objectID: e.ID} }

// Type implements Data.
func (APIKeyCreated) Type() Type { return TypeAPIKeyCreated }

// Type implements Data.
func (APIKeyUpdated) Type() Type { return TypeAPIKeyUpdated }

// Type implements Data.
func (APIKeyRevoked) Type() Type { return TypeAPIKeyRevoked }
