-- Who registered, changed, disabled, enabled or deleted a webhook endpoint, or rotated its secret, and when. It names what
-- changed and holds no values: a URL may carry a secret.

-- +goose Up
create table webhook_endpoint_changes (
    id             text        not null,
    environment_id text        not null,
    endpoint_id    text        not null,
    action         text        not null check (action in ('registered', 'updated', 'disabled', 'enabled', 'secret_rotated', 'deleted')),
    fields         text[]      not null, -- of an update, by their names in the API
    actor_kind     text        not null,
    actor_id       text        not null,
    changed_at     timestamptz not null,
    primary key (environment_id, id),
    foreign key (environment_id, endpoint_id) references webhook_endpoints (environment_id, id)
);
create index webhook_endpoint_changes_endpoint on webhook_endpoint_changes (environment_id, endpoint_id, id);
create trigger webhook_endpoint_changes_append_only before update or delete on webhook_endpoint_changes for each row execute function refuse_change();
create trigger webhook_endpoint_changes_no_truncate before truncate on webhook_endpoint_changes for each statement execute function refuse_change();
