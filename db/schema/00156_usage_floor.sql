-- A record costs less if its writer's position is read in a statement with a kept plan: a function in SQL is parsed and
-- planned at each call.
--
-- Stepping back: nothing to mind. Both forms lock the same.

-- +goose Up
-- +goose StatementBegin
create or replace function usage_floor(scope text) returns void language plpgsql volatile as $$
begin
    perform pg_advisory_xact_lock_shared((usage_lock_tag(scope) << 44)
        | (select case when p.is_called then p.last_value else p.last_value - 1 end from usage_position p));
end $$;
-- +goose StatementEnd
