-- name: SettlementInsert :exec
insert into settlements (environment_id, invoice_id, transaction_id, amount, settled_at)
values (@environment_id, @invoice_id, @transaction_id, @amount, @settled_at);

-- name: SettlementGet :one
select sqlc.embed(s) from settlements s where s.environment_id = @environment_id and s.invoice_id = @invoice_id;
