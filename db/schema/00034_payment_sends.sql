-- A transaction may be sent several times, each time under a key of its own and maybe to another provider. A look-up of
-- a send goes to its provider.

-- +goose Up
create table payment_sends (
    environment_id     text        not null,
    transaction_id     text        not null,
    number             integer     not null check (number > 0),
    provider_config_id text        not null,
    provider           text        not null,
    key                text        not null, -- UUIDv5 of transaction and number
    reason             text        not null, -- why this provider: of the routing decision
    sent_at            timestamptz not null,
    provider_ref       text,
    outcome            text,                 -- payment.Outcome of its last answer; null: none came yet
    answered_at        timestamptz,
    primary key (environment_id, transaction_id, number),
    foreign key (environment_id, transaction_id) references transactions (environment_id, id),
    foreign key (environment_id, provider_config_id) references provider_configs (environment_id, id),
    check ((outcome is null) = (answered_at is null))
);
create unique index payment_sends_key on payment_sends (environment_id, provider_config_id, key);
create index payment_sends_ref on payment_sends (environment_id, provider_config_id, provider_ref) where provider_ref is not null;

-- The sends so far: each has its own key in the calls, all to the provider of the transaction. Every send but the last
-- was proven not to have been taken, else there would be no later one.
insert into payment_sends (
    environment_id, transaction_id, number, provider_config_id, provider, key, reason, sent_at, provider_ref, outcome, answered_at
)
select s.environment_id, s.transaction_id, s.number, t.provider_config_id, t.provider, s.key, 'primary', s.sent_at,
    case when s.number = s.sends then t.provider_ref end,
    case when s.number < s.sends then 'not_sent' end,
    case when s.number < s.sends then s.ended_at end
from (
    select c.environment_id, c.transaction_id, c.key, min(c.started_at) as sent_at,
        coalesce(max(c.ended_at), max(c.started_at)) as ended_at,
        row_number() over (partition by c.environment_id, c.transaction_id order by min(c.started_at), min(c.id)) as number,
        count(*) over (partition by c.environment_id, c.transaction_id) as sends
    from provider_calls c
    where c.key <> ''
    group by c.environment_id, c.transaction_id, c.key
) s
join transactions t on t.environment_id = s.environment_id and t.id = s.transaction_id
where t.provider_config_id is not null;

alter table provider_calls add column send_number integer; -- null: before sends had rows, or about none
