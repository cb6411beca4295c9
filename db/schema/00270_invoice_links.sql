-- The page of an invoice behind a link that nobody can guess: docs/adr/0092-hosted-invoices.md.
--
-- Stepping back: builds from before show no links, and do not know the pages.

-- +goose Up
-- The links of an environment are made with its key: 32 bytes, of which 244 bits are random.
alter table environments
    add column link_key bytea not null default (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
    add column invoice_link_days integer not null default 0, -- 0: links do not expire
    add constraint environments_link_key check (length(link_key) = 32),
    add constraint environments_invoice_link_days check (invoice_link_days between 0 and 3650);
alter table setting_changes
    drop constraint setting_changes_field_check,
    add constraint setting_changes_field_check check (field in ('dunning', 'past_due_billing', 'renewal_reminder_days',
        'invoice_numbers', 'seller', 'proration_measure', 'invoice_grace_minutes', 'overdue_policy', 'invoice_link_days')) not valid;

-- How often the invoice got a new link, which ends the one before.
alter table invoices
    add column link_revision integer not null default 0,
    add constraint invoices_link_revision check (link_revision >= 0) not valid;

create or replace view api_key_details as
select k.hash, k.id, k.environment_id, e.app_id, a.tenant_id, e.mode, k.kind, k.scopes, k.allowed_cidrs, k.expires_at,
       k.revoked_at, e.time_zone, e.link_key
from api_keys k
join environments e on e.id = k.environment_id
join apps a on a.id = e.app_id;
