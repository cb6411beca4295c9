package emails

import (
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/email"
	"perennial/db"
)

func exampleSettings() EmailSettings {
	s := renderSettings(db.EmailSender{
		ID: "ems_01jcz6dyqx4w9s1c2k7v5h8m3n", FromEmail: "billing@example.com", FromName: "Acme", ReplyTo: "help@example.com",
		Host: "smtp.example.com", Port: 587, Security: "starttls", User: "apikey", DKIMDomain: "example.com", DKIMSelector: "s1",
		Kinds: email.Kinds(),
	})
	s.CreatedAt, s.UpdatedAt = 1763640000, 1763640000
	return s
}

func (h *Handler) settingsOperations() {
	const tag = "Emails"
	example := exampleSettings()
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getEmailSettings", Method: http.MethodGet, Path: "/email-settings", Tag: tag,
		Summary: "Get the email settings", Status: http.StatusOK, Access: httpkit.ReadAccess, Absent: true, Response: example,
	}, h.getSettings)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "putEmailSettings", Method: http.MethodPut, Path: "/email-settings", Tag: tag,
		Summary: "Set up the sending of emails",
		Description: "Replaces all settings, and from now on sends emails of the kinds to customers with an email address, in " +
			"their language. Emails that wait are tried at once. The server must offer TLS, and be on the internet or in a " +
			"network that the operator allows.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Response: example,
		Request: EmailSettingsForm{
			From: example.From, Host: example.Host, User: example.User, Password: "a-password-1f0c7e", ReplyTo: example.ReplyTo,
		},
	}, h.putSettings)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "deleteEmailSettings", Method: http.MethodDelete, Path: "/email-settings", Tag: tag,
		Summary:     "Stop the sending of emails",
		Description: "Removes the settings with their secrets. Pending emails are canceled. The log stays.",
		Status:      http.StatusOK, Access: httpkit.WriteAccess, Absent: true,
		Response: view.Deleted{ID: example.ID, Deleted: true},
	}, h.deleteSettings)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "testEmailSettings", Method: http.MethodPost, Path: "/email-settings/test", Tag: tag,
		Summary:     "Test the connection to the mail server",
		Description: "Connects, turns to TLS and logs in, within 5 seconds. Nothing is sent.",
		Status:      http.StatusOK, Access: httpkit.WriteAccess, Absent: true,
		Response: EmailTest{ID: example.ID, Passed: true, TestedAt: 1763640000},
	}, h.testSettings)
}
