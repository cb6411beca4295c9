-- Matters for operators: replaced credentials, charges that could not be sent, refunds that are owed.

-- +goose Up
-- Who replaced the credentials of an account, when, and which of them; the values themselves are stored sealed only.
create table credential_changes (
    id                 text        not null,
    environment_id     text        not null,
    provider_config_id text        not null,
    fields             text[]      not null, -- secretKey, webhookSecret; keyset: the app got a new one
    actor_kind         text        not null,
    actor_id           text        not null,
    changed_at         timestamptz not null,
    primary key (environment_id, id),
    foreign key (environment_id) references environments (id)
);
create index credential_changes_config on credential_changes (environment_id, provider_config_id, id);
create trigger credential_changes_append_only before update or delete on credential_changes for each row execute function refuse_change();
create trigger credential_changes_no_truncate before truncate on credential_changes for each statement execute function refuse_change();

-- Charges that are due and that no provider has taken, whatever is tried next and when.
create index transactions_untaken on transactions (send_due_at)
    where status = 'pending' and type = 'charge' and provider_ref is null and parked_at is null;

-- Since when a refund that failed is owed, in real time.
alter table transactions add refund_owed_at timestamptz;
update transactions set refund_owed_at = now() where refund_owed > 0;
create index transactions_refund_owed on transactions (refund_owed_at) where refund_owed > 0;
create index transactions_refund_owed_list on transactions (environment_id, position) where refund_owed > 0;
