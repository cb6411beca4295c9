-- API keys have a name and are listed; one that replaces another says so; and when a key was last used is known to a minute.

-- +goose Up
alter table api_keys
    add column name         text not null default '' constraint api_keys_name check (length(name) <= 100),
    add column replaces     text constraint api_keys_replaces references api_keys,
    add column last_used_at timestamptz,
    add column position     bigint;
update api_keys k set position = o.position
from (select s.id, next_position(s.environment_id) as position from (select id, environment_id from api_keys order by id) s) o
where o.id = k.id;
alter table api_keys alter column position set not null;
create trigger api_keys_take_position before insert on api_keys for each row execute function take_position();
create unique index api_keys_position on api_keys (environment_id, position);
drop index api_keys_environment;

-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from api_keys';
end $$;
-- +goose StatementEnd
