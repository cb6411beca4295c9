-- name: SettlementInsert :one
-- No row comes back where the invoice is settled already: the first success counts.
insert into settlements (environment_id, invoice_id, transaction_id, amount, settled_at)
values (@environment_id, @invoice_id, @transaction_id, @amount, @settled_at)
on conflict (environment_id, invoice_id) do nothing
returning invoice_id;

-- name: SettlementGet :one
select sqlc.embed(s) from settlements s where s.environment_id = @environment_id and s.invoice_id = @invoice_id;
