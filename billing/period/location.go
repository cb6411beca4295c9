package period

import (
	"strings"
	"time"
	_ "time/tzdata" // the rules must not depend on what the machine has installed

	"perennial/billing/fault"
)

// LoadLocation finds an IANA time zone by name; anything else is `time_zone_unknown`. "" and "Local" are refused, which the
// standard library understands as UTC and as the zone of the machine.
func LoadLocation(name string) (*time.Location, error) {
	if name != "" && name != "Local" && !foreign(name) {
		if loc, err := time.LoadLocation(name); err == nil {
			return loc, nil
		}
	}
	return nil, fault.InvalidParam("timeZone", "time_zone_unknown",
		"%.40q is not an IANA time zone; send a name such as Africa/Douala, or UTC", name)
}

// foreign names files that lie beside the zones in a Unix zone directory without being zones. Those under right/
// count leap seconds and would shift every boundary.
func foreign(name string) bool {
	switch name {
	case "Factory", "localtime", "posixrules":
		return true
	}
	return strings.HasPrefix(name, "right/") || strings.HasPrefix(name, "posix/")
}
