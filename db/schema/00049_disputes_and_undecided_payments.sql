-- The lists of disputes are read along an index, as every list is (00010). Binaries from before 00043 write the
-- disputes of a charge without the fields that it added: these are kept. Payments that stay undecided are found by the
-- time when they were sent.

-- +goose Up
create index transactions_undecided on transactions (first_sent_at)
    where status = 'pending' and parked_at is null and first_sent_at is not null;

alter table disputes add column customer_id text; -- of the charge
update disputes d set customer_id = t.customer_id
from transactions t
where t.environment_id = d.environment_id and t.id = d.transaction_id;
alter table disputes alter column customer_id set not null;
create index disputes_customer on disputes (environment_id, customer_id, position);
create index disputes_status on disputes (environment_id, status, position);

-- +goose StatementBegin
create function dispute_takes_customer() returns trigger language plpgsql as $$
begin
    select t.customer_id into new.customer_id
    from transactions t
    where t.environment_id = new.environment_id and t.id = new.transaction_id;
    return new;
end $$;
-- +goose StatementEnd
create trigger disputes_take_customer before insert on disputes for each row execute function dispute_takes_customer();

-- A binary from before 00043 drops the unknown fields of a dispute whenever it writes the charge, and writes no row.
-- Without its id the dispute would be another one to the binaries after it, and the charge could not be written any
-- more.
-- +goose StatementBegin
create function keep_disputes() returns trigger language plpgsql as $$
begin
    select jsonb_agg(
        case when d.value ? 'id' then d.value
        else jsonb_strip_nulls(jsonb_build_object(
                'id', 'dsp_' || substr(new.id, 5, 24) || lpad(d.n::text, 2, '0'), 'openedAt', now(),
                'closedAt', case when d.value ->> 'state' in ('won', 'lost') then now() end))
            || coalesce(jsonb_strip_nulls(jsonb_build_object(
                'id', k.id, 'openedAt', k.opened_at, 'closedAt', k.closed_at, 'stageName', k.stage, 'reason', k.reason)), '{}')
            || d.value
        end order by d.n)
    into new.disputes
    from jsonb_array_elements(new.disputes) with ordinality d(value, n)
    left join disputes k on k.environment_id = new.environment_id and k.transaction_id = new.id and k.ref = d.value ->> 'ref';
    insert into disputes (
        id, environment_id, transaction_id, ref, status, stage, reason, amount, currency, amount_withdrawn, evidence_due_at,
        opened_at, closed_at)
    select d.id, new.environment_id, new.id, d.ref, d.state, d."stageName", d.reason, d.amount, d.currency, d.withdrawn,
        d."evidenceDueAt", d."openedAt", d."closedAt"
    from jsonb_to_recordset(new.disputes) as d(
        id text, ref text, state text, "stageName" text, reason text, amount bigint, currency text, withdrawn bigint,
        "evidenceDueAt" timestamptz, "openedAt" timestamptz, "closedAt" timestamptz)
    on conflict (environment_id, id) do update
    set status = excluded.status, amount = excluded.amount, currency = excluded.currency,
        amount_withdrawn = excluded.amount_withdrawn, evidence_due_at = excluded.evidence_due_at, closed_at = excluded.closed_at;
    return new;
end $$;
-- +goose StatementEnd
create trigger transactions_keep_disputes before update on transactions for each row
    when (new.disputes is distinct from old.disputes and new.disputes @? '$[*] ? (!exists(@.id))')
    execute function keep_disputes();
