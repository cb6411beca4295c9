package moving

import (
	"regexp"

	"perennial/billing/fault"
)

// ErasedID is the prefix of the id that replaces an erased customer's external id.
const ErasedID = "erased:"

var sources = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// CheckSource refuses a name of a source system that is malformed; empty is one: import_source_invalid.
func CheckSource(source string) error {
	if source != "" && !sources.MatchString(source) {
		return fault.InvalidParam("source", "import_source_invalid",
			"The source %.60q is malformed. Send 1 to 40 lower-case letters, digits, - or _, beginning with a letter or "+
				"digit.", source)
	}
	return nil
}

// Qualified names an external id of a source where ids of several sources stand together.
func Qualified(source, externalID string) string {
	if source == "" || externalID == "" {
		return externalID
	}
	return source + ":" + externalID
}
