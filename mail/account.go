package mail

import "context"

// Account is all that an environment's mails are sent with.
type Account struct {
	Sender Sender
	Server Server
	DKIM   DKIM
}

// Dial connects to the account's server and logs in. Fault: *Failure.
func (a Account) Dial(ctx context.Context) (*Session, error) { return a.Sender.Dial(ctx, a.Server) }

// Bytes returns a message as it is sent, with its signature.
func (a Account) Bytes(m Message) ([]byte, error) {
	raw, err := m.Bytes()
	if err != nil {
		return nil, err
	}
	return a.DKIM.Sign(raw)
}
