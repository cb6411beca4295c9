-- Money after it moved: refunds that come back, disputes, and the decisions of people about payments.

-- +goose Up
alter table transactions
    add disputes jsonb,            -- of a charge: payment.Disputes; null: none
    add disputed_at timestamptz,   -- since when a dispute is open, in real time; null: none is
    add returned_at timestamptz,   -- of a refund that had gone through: the money came back; the customer's time
    add review_reason text,        -- why it needs, or needed, review
    add review_ref text,           -- the provider's reference of what was to be reviewed
    add reviewed_at timestamptz,   -- when a person decided about that, in real time
    add constraint transactions_disputed check (disputed_at is null or disputes is not null and type = 'charge'),
    add constraint transactions_returned check (returned_at is null or status = 'refunded');
-- A failure reason used to be the mark; an erasure blanks it.
update transactions set returned_at = completed_at where status = 'refunded' and failure_code is not null;
create index transactions_disputed on transactions (disputed_at) where disputed_at is not null;
create index transactions_charge on transactions (environment_id, charge_id) where charge_id is not null;

-- Closed payments may need review too.
drop index transactions_review;
create index transactions_review on transactions (parked_at) where parked_at is not null;

-- Decisions of people about payments in review and about lost callbacks. Apart from the note, ids and codes only.
create table decisions (
    id             text        not null,
    environment_id text        not null,
    transaction_id text        not null, -- of a lost callback: the id that the database does not have
    callback_id    text,                 -- null: about a payment in review
    reason         text        not null, -- why a person had to decide
    provider_ref   text        not null, -- empty: none is known
    outcome        text        not null,
    note           text        not null,
    actor_kind     text        not null,
    actor_id       text        not null,
    decided_at     timestamptz not null,
    primary key (environment_id, id),
    foreign key (environment_id) references environments (id)
);
create index decisions_transaction on decisions (environment_id, transaction_id, id);
create trigger decisions_append_only before update or delete on decisions for each row execute function refuse_change();
create trigger decisions_no_truncate before truncate on decisions for each statement execute function refuse_change();
