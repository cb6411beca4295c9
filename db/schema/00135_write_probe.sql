-- Whether the database takes writes is found out by writing: a full disk refuses them, and its settings say nothing of it.
--
-- Stepping back: nothing.

-- +goose Up
create table write_probe (
    single     boolean     primary key default true check (single),
    spilled    integer     not null, -- rows that were written to a temporary file beside
    written_at timestamptz not null
);
insert into write_probe (spilled, written_at) values (0, now());
