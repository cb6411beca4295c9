-- Dunning policies: an environment has one, a plan may have one of its own. Subscriptions may pause their collection, and
-- retries may be skipped.
--
-- Stepping back: it neither bills nor resumes a subscription that a dunning policy has paused, until a present worker has it. Resume them first.

-- +goose Up
-- Null in an environment: it was created before policies could be more than a base and a factor, and its own columns say.
-- New environments write those too, for binaries of the version before; a later migration drops them.
alter table environments add dunning jsonb check (jsonb_typeof(dunning) = 'object');
alter table plans add dunning jsonb check (jsonb_typeof(dunning) = 'object'); -- null: the environment's

alter table invoices add skipped_retries integer not null default 0 check (skipped_retries >= 0);

alter table subscriptions
    add collection_paused_at timestamptz,
    add check (collection_paused_at is null or status = 'past_due');

-- Who changed the settings of an environment, or the policy of a plan, and from what to what.
create table setting_changes (
    id             text        not null,
    environment_id text        not null,
    plan_id        text,       -- null: the environment's
    field          text        not null check (field in ('dunning', 'past_due_billing')),
    before         jsonb,      -- null: none
    after          jsonb,
    actor_kind     text        not null,
    actor_id       text        not null,
    changed_at     timestamptz not null,
    primary key (environment_id, id),
    foreign key (environment_id) references environments (id),
    foreign key (environment_id, plan_id) references plans (environment_id, id)
);
create trigger setting_changes_append_only before update or delete on setting_changes for each row execute function refuse_change();
create trigger setting_changes_no_truncate before truncate on setting_changes for each statement execute function refuse_change();
