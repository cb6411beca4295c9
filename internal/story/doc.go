// Package story plays one subscription's whole life through the public HTTP API, prints each step as it happens with
// its webhooks, and checks each result. It does not own the servers that it talks to (cmd/perennial starts them) and
// does not know how they work: it is a customer of the API, like any app.
package story
