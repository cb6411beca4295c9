package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// ask sends one request to the API with the stage's key and wants a certain status.
func (r *rig) ask(ctx context.Context, method, url, body string, want int, header ...string) ([]byte, error) {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, reader)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+r.stage.Key)
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

// make posts and decodes what was made.
func (r *rig) make(ctx context.Context, path, body string, into any) error {
	out, err := r.ask(ctx, http.MethodPost, r.ours.url+path, body, http.StatusCreated)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}
