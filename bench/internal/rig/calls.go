package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Ask sends one request to the API with the stage's key, and requires a status.
func (r *Rig) Ask(ctx context.Context, method, url, body string, want int, header ...string) ([]byte, error) {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, reader)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+r.Stage.Key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer, err := r.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read to its end
	out, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != want {
		err = fmt.Errorf("%s %s: %d %s", method, url, answer.StatusCode, out)
	}
	return out, err
}

// Make posts a body and decodes the created resource.
func (r *Rig) Make(ctx context.Context, path, body string, into any) error {
	out, err := r.Ask(ctx, http.MethodPost, r.Ours.URL+path, body, http.StatusCreated)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}

// Read reads one subscription.
func (r *Rig) Read(ctx context.Context, base, id string) error {
	_, err := r.Ask(ctx, http.MethodGet, base+"/api/subscriptions/"+id, "", http.StatusOK)
	return err
}

// Command performs a command, by its name, on one subscription.
func (r *Rig) Command(ctx context.Context, name, id string) error {
	url := r.Ours.URL + "/api/subscriptions/" + id
	var err error
	switch name {
	case "cancel":
		_, err = r.Ask(ctx, http.MethodPost, url+"/cancel", `{"reason":"bench"}`, http.StatusOK)
	case "reactivate":
		_, err = r.Ask(ctx, http.MethodPost, url+"/reactivate", "", http.StatusOK)
	case "patch":
		_, err = r.Ask(ctx, http.MethodPatch, url, `{"planId":"`+r.Stage.Pro.ID+`"}`, http.StatusOK)
	case "patch back":
		_, err = r.Ask(ctx, http.MethodPatch, url, `{"planId":"`+r.Stage.Basic.ID+`"}`, http.StatusOK)
	default:
		err = errors.New("no such command: " + name)
	}
	return err
}
