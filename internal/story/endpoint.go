package story

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// endpointName distinguishes our endpoint from those of the environment's user.
const endpointName = "perennial dev: the story"

// register makes the receiver an endpoint of all events. An endpoint that an interrupted start left behind is deleted
// first: an environment has room for a few only.
func (p *player) register(ctx context.Context) error {
	var left page[struct {
		ID          string `json:"id"`
		Description string `json:"description"`
	}]
	if err := p.client.get(ctx, "/api/webhooks?limit=100", &left); err != nil {
		return err
	}
	for _, e := range left.Data {
		if e.Description == endpointName {
			if err := p.deleteEndpoint(ctx, e.ID); err != nil {
				return err
			}
		}
	}
	var out struct {
		ID     string `json:"id"`
		Secret string `json:"secret"`
	}
	in := object{"url": p.receiver.url, "events": []string{"*"}, "description": endpointName}
	if err := p.client.change(ctx, http.MethodPost, "/api/webhooks", in, &out); err != nil {
		return err
	}
	if out.Secret == "" {
		return errors.New("POST /api/webhooks shows no signing secret")
	}
	p.endpoint = out.ID
	p.receiver.accept(out.Secret)
	return nil
}

// unregister deletes the endpoint, also where the story was interrupted.
func (p *player) unregister(ctx context.Context) error {
	defer p.receiver.close()
	if p.endpoint == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return p.deleteEndpoint(ctx, p.endpoint)
}

func (p *player) deleteEndpoint(ctx context.Context, id string) error {
	return p.client.change(ctx, http.MethodDelete, "/api/webhooks/"+id, nil, nil)
}
