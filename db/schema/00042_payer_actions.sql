-- Charges that wait for their payer to confirm them.

-- +goose Up
-- The token of the link that a payer opens, the provider's page behind it, until when it may be confirmed and when the
-- payer came back last, in real time. The page leads to the payment of one person: it is erasable, and gone when the
-- charge has ended (binaries of the version before leave it). The token is set with the first send where the provider may
-- ask, and stays where it did.
alter table transactions
    add column confirm_token text,
    add column action_url text,
    add column action_expires_at timestamptz,
    add column action_returned_at timestamptz,
    add constraint transactions_action check (action_url is null or confirm_token is not null);
create unique index transactions_confirm_token on transactions (confirm_token) where confirm_token is not null;
