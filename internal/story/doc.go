// Package story plays one subscription's whole life through the public HTTP API, prints each step as it happens with
// the webhooks that it sent, and checks that it led to what is told. It does not own the servers that it talks to
// (cmd/perennial starts them) and knows nothing of how they work: it is a customer of the API, like any app.
package story
