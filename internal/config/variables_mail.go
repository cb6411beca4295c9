package config

import "net/netip"

// mailVariables say how mails to customers are sent.
var mailVariables = []Variable{
	{
		Name: "MAIL_RELAYS", Example: "10.1.2.0/24",
		Meaning: "Networks, separated by commas, in which mail servers of environments may be although they are not on the " +
			"internet, such as that of a relay of your own. TLS is required there too, except on this machine. Those of test " +
			"environments may also be in WEBHOOK_LOCAL_RECEIVERS.",
		Fix: "give networks in CIDR notation, as narrow as they can be: who may change email settings can connect to them",
		set: networks(func(c *Config) *[]netip.Prefix { return &c.Mail.Relays }),
	},
}
