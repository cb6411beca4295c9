-- Charges that are completed with what their payer's browser brings back from the provider's page.

-- +goose Up
-- The payer's return, as the query of an address with only the parameters that the provider needs, until the provider
-- has answered to it; and since when, in real time, the provider may have it. It is as secret as the page is, erasable,
-- and gone when the charge has ended (binaries of the version before leave it).
alter table transactions
    add column action_brought text,
    add column action_handed_at timestamptz;

-- Rows from before satisfy the narrower list, so that they need not be read.
alter table provider_calls drop constraint provider_calls_operation_check;
alter table provider_calls add constraint provider_calls_operation_check
    check (operation in ('charge', 'lookup', 'cancel', 'complete', 'refund', 'refund_lookup')) not valid;
