-- Events are numbered for each customer, and listed by object and by group of types; a provider that fails is announced.

-- +goose Up
-- The last number that an event of a customer got. A row of its own, because subscriptions of one customer are
-- processed concurrently, each with a share lock on the customer's row.
create table customer_event_sequences (
    environment_id text   not null,
    customer_id    text   not null,
    last           bigint not null check (last > 0),
    primary key (environment_id, customer_id),
    foreign key (environment_id, customer_id) references customers (environment_id, id)
)
with (fillfactor = 50);

alter table events add column customer_sequence bigint;
update events e set customer_sequence = o.n
from (select environment_id, id, row_number() over (partition by environment_id, customer_id order by position) as n
      from events where customer_id is not null) o
where o.environment_id = e.environment_id and o.id = e.id;
insert into customer_event_sequences (environment_id, customer_id, last)
select environment_id, customer_id, max(customer_sequence) from events where customer_id is not null group by 1, 2;
create unique index events_customer_sequence on events (environment_id, customer_id, customer_sequence)
    where customer_sequence is not null;

-- The lists by object and by group of types, such as payment.*. A customer's events, and a subscription's, of one type are
-- read along the type or along the customer, whichever is less.
create index events_object on events (environment_id, object_id, position);
create index events_group on events (environment_id, split_part(type, '.', 1), position);

-- Since when, in real time, the provider refuses the credentials of this configuration; null: it takes them.
alter table provider_configs add column failing_since timestamptz;
