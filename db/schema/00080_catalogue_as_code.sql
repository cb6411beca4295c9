-- A plan that a catalogue file describes is found by the key that the file gives it (ADR 51). The key is the plan's, and the
-- same in all its rows.

-- +goose Up
alter table plans
    add column catalog_key text,
    add constraint plans_catalog_key_given check (catalog_key <> '') not valid;
create unique index plans_catalog_key on plans (environment_id, catalog_key) where version = 1;

-- An earlier build makes a version of a plan: it does not know the key.
-- +goose StatementBegin
create function plans_follow_first() returns trigger language plpgsql as $$
begin
    select f.catalog_key into new.catalog_key
    from plans f where f.environment_id = new.environment_id and f.id = split_part(new.id, '.', 1);
    return new;
end $$;
-- +goose StatementEnd
create trigger plans_follow_first before insert on plans for each row when (position('.' in new.id) > 0)
    execute function plans_follow_first();
