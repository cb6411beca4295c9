-- Tax rates that are meant to be added to another of the same percentage in the same place. Of others the second is refused.
--
-- Stepping back: it accepts a second tax rate of the same percentage and place, and taxes twice. Make no rates with it.

-- +goose Up
alter table tax_rates add column stacks boolean not null default false;

-- +goose StatementBegin
create or replace function guard_tax_rate() returns trigger language plpgsql as $$
begin
    if (new.environment_id, new.id, new.percent, new.inclusive, new.country, new.region, new.valid_from, new.valid_until, new.stacks, new.created_at)
        is distinct from (old.environment_id, old.id, old.percent, old.inclusive, old.country, old.region, old.valid_from, old.valid_until, old.stacks, old.created_at) then
        raise exception 'tax rate %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd
