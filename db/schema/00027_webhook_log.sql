-- The log of webhooks is filtered by status, and either status is rare compared with success.

-- +goose Up
create index webhook_deliveries_pending on webhook_deliveries (environment_id, position) where status = 'pending';
create index webhook_deliveries_failed_of_endpoint on webhook_deliveries (environment_id, endpoint_id, position) where status = 'failed';
