-- A line names what it bills: item, period, quantity, unit price, and for a credit the line that it reverses (ADR 36).
-- Earlier builds still run together with this one: the triggers below complete their rows without the new columns. A
-- later migration removes these triggers, with the column for earlier builds only (subscriptions.renewed_from).

-- +goose Up
alter table subscriptions
    -- How many periods were opened, by the schedule or by a change of interval: the number of the current one.
    add column period_index integer not null default 0,
    -- The number of the period that the schedule opened last.
    add column renewed_index integer not null default 0;
-- Of the period in which it was issued. Null: before the index was counted, and before the present period.
alter table invoices add column period_index integer;
-- Null in lines from before: they are read and shown, but decisions about later periods do not need them.
alter table invoice_lines
    add column item_id text,
    add column period_index integer,
    add column quantity text, -- decimals, as they were rated: numeric would not keep how many places they have
    add column unit_price text,
    add column reverses text,
    add constraint invoice_lines_quantity check (quantity ~ '^\d+(\.\d+)?$' and unit_price ~ '^\d+(\.\d+)?$') not valid,
    add constraint invoice_lines_reverses check (reverses is null or kind = 'proration_credit') not valid;

-- The number of the period that an invoice or a line belongs to, derived from its time: that of the current period, if
-- it is for all of it or for its rest. One that began before the period that the schedule opened last gets none.
-- +goose StatementBegin
create function told_period_index(s subscriptions, starts timestamptz, ends timestamptz) returns integer
language sql immutable as $$
    select case
        when starts >= s.current_period_start and ends = s.current_period_end then s.period_index
        when starts >= coalesce(s.renewed_from, s.current_period_start) then s.renewed_index
    end
$$;
-- +goose StatementEnd

-- Subscriptions from before count on from the anchor. After a change of interval the periods before the current one
-- share a number: no decision tells them apart.
update subscriptions
set period_index = next_period + case when renewed_from < current_period_start then 1 else 0 end,
    renewed_index = next_period
where next_period > 0;
update invoices i
set period_index = told_period_index(s, i.period_start, i.period_end)
from subscriptions s
where s.environment_id = i.environment_id and s.id = i.subscription_id
  and i.period_end >= least(s.renewed_from, s.current_period_start)
  and told_period_index(s, i.period_start, i.period_end) is not null;
update invoice_lines l
set period_index = told_period_index(s, l.period_start, l.period_end)
from invoices i
join subscriptions s on s.environment_id = i.environment_id and s.id = i.subscription_id
where i.period_index is not null and l.environment_id = i.environment_id and l.invoice_id = i.id;

-- A build from before opens a period.
-- +goose StatementBegin
create function count_period() returns trigger language plpgsql as $$
begin
    new.period_index := old.period_index + 1;
    if new.renewed_from is distinct from old.renewed_from then
        new.renewed_index := new.period_index;
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger count_period before update on subscriptions for each row
    when (new.period_index = old.period_index and new.next_period > 0
          and (new.next_period, new.current_period_start, new.current_period_end, new.interval_unit, new.interval_count)
              is distinct from
              (old.next_period, old.current_period_start, old.current_period_end, old.interval_unit, old.interval_count))
    execute function count_period();

-- A build from before issues an invoice. It writes the subscription and the lines before.
-- +goose StatementBegin
create function tell_period() returns trigger language plpgsql as $$
declare
    s subscriptions;
begin
    select * into s from subscriptions where environment_id = new.environment_id and id = new.subscription_id;
    new.period_index := told_period_index(s, new.period_start, new.period_end);
    update invoice_lines l
    set period_index = told_period_index(s, l.period_start, l.period_end)
    where l.environment_id = new.environment_id and l.invoice_id = new.id and l.period_index is null;
    return new;
end $$;
-- +goose StatementEnd
create trigger tell_period before insert on invoices for each row when (new.period_index is null)
    execute function tell_period();

-- Decisions read the invoices of the present period by its number. Builds from before find theirs by the first two columns.
create index invoices_period on invoices (environment_id, subscription_id, period_index);
drop index invoices_subscription;
