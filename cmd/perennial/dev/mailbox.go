package dev

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	"perennial/internal/mailbox"
)

// The ports of the mailbox that dev likes best.
const (
	likedSMTP    = 1025
	likedMailbox = 8025
)

// ownSender sends the mails of the story. Settings with another address are the user's, and stay.
const ownSender = "billing@development.example"

// startMailbox starts the server that mails go to, and the pages that show them.
func (d *stack) startMailbox(ctx context.Context) (err error) {
	c := mailbox.Config{Now: d.process.Now}
	if c.SMTP, err = d.address(likedSMTP, false); err != nil {
		return err
	}
	if c.Pages, err = d.address(likedMailbox, false); err != nil {
		return err
	}
	box, err := mailbox.Start(ctx, c)
	if err != nil {
		return err
	}
	d.onDown(box.Stop)
	d.mailbox, d.smtp = box, c.SMTP
	d.screen.done("a mailbox on %s: no mail leaves this machine", box.URL())
	return nil
}

// sendToMailbox has the environment send its mails to the mailbox, unless it has settings of the user's.
func (d *stack) sendToMailbox(ctx context.Context) error {
	status, body, err := d.emailSettings(ctx, http.MethodGet, nil)
	if err != nil {
		return err
	}
	settings := map[string]any{
		"from":              map[string]any{"email": ownSender, "name": "Development"},
		"allowedRecipients": []string{"@example.com", "@example.org", "@example.net"},
	}
	if status == http.StatusOK {
		var now map[string]any
		if err := json.Unmarshal(body, &now); err != nil {
			return err
		}
		if from, _ := now["from"].(map[string]any); from["email"] != ownSender {
			d.screen.done("mails go where your email settings say, not to the mailbox")
			return nil
		}
		for _, name := range []string{"from", "replyTo", "kinds", "allowedRecipients"} { // what the user changed stays
			if is, ok := now[name]; ok {
				settings[name] = is
			}
		}
	}
	host, port, err := net.SplitHostPort(d.smtp)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	settings["host"], settings["port"], settings["security"] = host, number, "none"
	form, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	if status, body, err = d.emailSettings(ctx, http.MethodPut, form); err == nil && status != http.StatusOK {
		err = fmt.Errorf("the email settings of the mailbox were refused: %s", body)
	}
	return err
}

func (d *stack) emailSettings(ctx context.Context, method string, form []byte) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, d.service.URL()+"/api/email-settings", bytes.NewReader(form))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+d.state.apiKey)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	body, err = io.ReadAll(answer.Body)
	return answer.StatusCode, body, err
}
