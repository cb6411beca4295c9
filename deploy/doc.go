// Package deploy owns the checks of Dockerfile and docker-compose.yml that need no container engine: what they publish,
// as whom they run, and that every variable they set is one that exists. It does not own those files' content.
package deploy
