package contract

import "time"

// EmailSenderInput starts or continues the workflow of a sender of mail.
type EmailSenderInput struct {
	Ref Ref `json:"ref"`
}

// SendOutput has what is left to send.
type SendOutput struct {
	// NextAt is the real time at which there is work again; zero: when the sender is woken.
	NextAt time.Time `json:"nextAt"`
	// Gone: the sender was deleted, and no mail is pending.
	Gone bool `json:"gone,omitempty"`
	// For people: mails that were sent and that failed for good, and mails that wait, up to 1,000.
	Sent    int `json:"sent,omitempty"`
	Failed  int `json:"failed,omitempty"`
	Waiting int `json:"waiting,omitempty"`
	// Trouble is the class of the failure that stopped the run; empty: none did.
	Trouble string `json:"trouble,omitempty"`
}
