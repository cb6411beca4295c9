-- Disputes are listed. The row of a charge keeps its own, for the rules that decide under its lock; the writer of the
-- row writes these too. A success that its provider takes back is owed again.

-- +goose Up
update transactions t
set disputes = (
    select jsonb_agg(d.value || jsonb_strip_nulls(jsonb_build_object(
        'id', 'dsp_' || substr(t.id, 5, 24) || lpad(d.n::text, 2, '0'), -- the form of an id, unique within its charge
        'openedAt', coalesce(t.disputed_at, t.completed_at, t.created_at),
        'closedAt', case when d.value ->> 'state' <> 'open' then now() end)) order by d.n)
    from jsonb_array_elements(t.disputes) with ordinality d(value, n))
where t.disputes is not null;

create table disputes (
    id               text        not null,
    environment_id   text        not null,
    position         bigint      not null,
    transaction_id   text        not null, -- the charge
    ref              text        not null, -- the provider's reference
    status           text        not null check (status in ('open', 'under_review', 'won', 'lost')),
    stage            text        check (stage in ('inquiry', 'chargeback', 'arbitration')), -- null: not known
    reason           text,                 -- the provider's code; null: not known
    amount           bigint      not null,
    currency         char(3)     not null,
    amount_withdrawn bigint      not null check (amount_withdrawn >= 0), -- what the bank holds, or has taken for good
    evidence_due_at  timestamptz,          -- until when it can be answered; null: not known
    opened_at        timestamptz not null, -- when it became known; all times are real
    closed_at        timestamptz,
    primary key (environment_id, id),
    unique (environment_id, transaction_id, ref),
    foreign key (environment_id, transaction_id) references transactions (environment_id, id),
    check ((closed_at is not null) = (status in ('won', 'lost')))
);
create trigger disputes_take_position before insert on disputes for each row execute function take_position();
create unique index disputes_position on disputes (environment_id, position);
create index disputes_unanswered on disputes (evidence_due_at, opened_at) where status = 'open';

insert into disputes (
    id, environment_id, transaction_id, ref, status, amount, currency, amount_withdrawn, evidence_due_at, opened_at, closed_at
)
select d.id, t.environment_id, t.id, d.ref, d.state, d.amount, d.currency, d.withdrawn, d."evidenceDueAt", d."openedAt", d."closedAt"
from transactions t, jsonb_to_recordset(t.disputes) as d(
    id text, ref text, state text, amount bigint, currency text, withdrawn bigint, "evidenceDueAt" timestamptz,
    "openedAt" timestamptz, "closedAt" timestamptz);

create or replace view list_positions as
select tenant_id as scope, id, position from apps
union all select environment_id, id, position from plans
union all select environment_id, id, position from test_clocks
union all select environment_id, id, position from customers
union all select environment_id, id, position from subscriptions
union all select environment_id, id, position from invoices
union all select environment_id, id, position from transactions
union all select environment_id, id, position from events
union all select environment_id, id, position from webhook_endpoints
union all select environment_id, id, position from webhook_deliveries
union all select environment_id, id, position from disputes;

alter table credit_entries drop constraint credit_entries_reason;
alter table credit_entries add constraint credit_entries_reason check (reason in (
    'proration', 'applied', 'returned', 'carried_forward', 'brought_forward', 'refunded', 'refund_failed', 'not_captured'));
