-- name: ErasureInsert :exec
insert into erasures (
    id, environment_id, customer_id, test_clock_id, stage, after_position, requested_at, progress_at
) values (
    @id, @environment_id, @customer_id, @test_clock_id, @stage, @after_position, @requested_at, @progress_at
);

-- name: ErasureLock :one
select sqlc.embed(e) from erasures e where e.environment_id = @environment_id and e.id = @id for no key update;

-- name: ErasureUpdate :exec
update erasures
set stage = @stage, after_position = @after_position, usage_after = @usage_after, progress_at = @progress_at,
    finished_at = @finished_at
where environment_id = @environment_id and id = @id;

-- name: CustomerLockToErase :exec
-- Unlike every other lock of a customer, this one waits for transactions that wrote a mail: they may have read the customer
-- before the deletion, and hold its key by their reference. All that come later see the deletion.
select from customers c where c.environment_id = @environment_id and c.id = @id for update;

-- name: CustomerListToErase :many
select c.id, c.position
from customers c
where c.environment_id = @environment_id and c.test_clock_id = @test_clock_id and c.erased_at is null and c.position > @after_position
order by c.position
limit @row_limit;

-- name: SubscriptionListToErase :many
-- Locks all of them before the first event. The event's number locks the customer's counter, for which a holder of
-- another one may wait.
with batch as materialized (
    select n.id
    from subscriptions n
    where n.environment_id = @environment_id and n.customer_id = @customer_id and n.position > @after_position
    order by n.position
    limit @row_limit
)
select s.id, s.position
from subscriptions s
where s.environment_id = @environment_id and s.id in (select b.id from batch b)
order by s.id
for no key update of s;

-- name: SubscriptionErase :exec
-- The rows are locked already. Reasons that the service set stay: they say nothing about the person.
update subscriptions s
set metadata = '{}', cancel_reason = case when s.cancel_reason = any(@own_reasons::text[]) then s.cancel_reason end
where s.environment_id = @environment_id and s.id = any(@ids::text[]);

-- name: InvoiceErase :one
-- The buyer's details but the country, by which taxes are reported; the texts on invoices, the memos of credit notes,
-- the notes of the customer's ledger and grants, and what was drawn of documents. Locks them in id order, the common order of locks.
with batch as materialized (
    select i.id, i.position
    from invoices i
    where i.environment_id = @environment_id and i.customer_id = @customer_id and i.position > @after_position
    order by i.position
    limit @row_limit
), locked as materialized (
    select i.id from invoices i
    where i.environment_id = @environment_id and i.id in (select b.id from batch b)
    order by i.id
    for no key update
), written as (
    update invoices i
    set buyer = null, memo = null, metadata = null, erased_country = coalesce(i.buyer ->> 'country', i.erased_country)
    from locked l
    where i.environment_id = @environment_id and i.id = l.id
      and (i.buyer is not null or i.memo is not null or i.metadata is not null)
), notes as (
    update credit_entries e set note = null
    where e.environment_id = @environment_id and e.customer_id = @customer_id and e.note is not null
), grants as (
    update credit_grants g set name = null, metadata = '{}'
    where g.environment_id = @environment_id and g.customer_id = @customer_id and (g.name is not null or g.metadata::text <> '{}')
), memos as (
    update credit_notes n set memo = null
    from locked l
    where n.environment_id = @environment_id and n.invoice_id = l.id and n.memo is not null
), drawings as (
    -- All of them at once. The document keeps its template.
    update drawn_documents d set page_digest = null, page = null, paper_digest = null, paper = null
    where d.environment_id = @environment_id and d.customer_id = @customer_id and (d.page is not null or d.paper is not null)
)
select count(*)::integer as handled, coalesce(max(b.position), 0)::bigint as last from batch b;

-- name: TransactionErase :one
-- The methods of past attempts, the reasons and descriptions, the responses of providers, and the links for payers.
-- Locks them in id order, the common order of locks.
with batch as materialized (
    select t.id, t.position
    from transactions t
    where t.environment_id = @environment_id and t.customer_id = @customer_id and t.position > @after_position
    order by t.position
    limit @row_limit
), locked as materialized (
    select t.id from transactions t
    where t.environment_id = @environment_id and t.id in (select b.id from batch b)
    order by t.id
    for no key update
), written as (
    update transactions t
    set method = null, provider_response = null, failure_reason = null, description = '', confirm_token = null, action_url = null,
        action_brought = null
    from locked l
    where t.environment_id = @environment_id and t.id = l.id
), callbacks as (
    update provider_callbacks c set evidence_failure_reason = null
    from locked l
    where c.environment_id = @environment_id and c.transaction_id = l.id and c.evidence_failure_reason is not null
), calls as (
    update provider_calls c set response = null
    from locked l
    where c.environment_id = @environment_id and c.transaction_id = l.id and c.response is not null
)
select count(*)::integer as handled, coalesce(max(b.position), 0)::bigint as last from batch b;

-- name: EventErase :one
-- Also erases the responses of receivers, which may repeat personal data.
with batch as materialized (
    select e.id, e.position
    from events e
    where e.environment_id = @environment_id and e.customer_id = @customer_id and e.position > @after_position
    order by e.position
    limit @row_limit
), written as (
    update events e
    set data = e.data || jsonb_build_object(
        case when e.data ->> 'failureReason' <> '' then 'failureReason' else 'cancelReason' end, '')
    from batch b
    where e.environment_id = @environment_id and e.id = b.id
      and (e.data ->> 'failureReason' <> ''
           or e.data ->> 'cancelReason' <> all(array_append(@own_reasons::text[], '')))
), answers as (
    update webhook_attempts a set response_excerpt = null
    from batch b
    join webhook_deliveries d on d.environment_id = @environment_id and d.event_id = b.id
    where a.environment_id = @environment_id and a.delivery_id = d.id and a.response_excerpt is not null
), mails as (
    -- All of them at once: recipient, content and the words of mail servers. What is pending is not sent any more.
    update emails m
    set recipient = null, subject = null, body_text = null, body_html = null, erased_at = @now::timestamptz,
        log = coalesce((select jsonb_agg(a.value - 'text' order by a.ordinality)
                        from jsonb_array_elements(m.log) with ordinality a), '[]'),
        status = case m.status when 'pending' then 'canceled' else m.status end,
        reason = case m.status when 'pending' then 'customer_erased' else m.reason end, next_attempt_at = null
    where m.environment_id = @environment_id and m.customer_id = @customer_id and m.erased_at is null
)
select count(*)::integer as handled, coalesce(max(b.position), 0)::bigint as last from batch b;

-- name: ResponseErase :one
-- Erased rows do not match again, so this needs no position.
with batch as materialized (
    select i.route, i.key
    from idempotency_keys i
    where i.environment_id = @environment_id and i.customer_id = @customer_id and i.erased_at is null
    order by i.route, i.key
    limit @row_limit
    for no key update
), written as (
    update idempotency_keys i set response = null, erased_at = @erased_at
    from batch b
    where i.environment_id = @environment_id and i.route = b.route and i.key = b.key
)
select count(*)::integer as handled from batch b;

-- name: ErasureListUnstarted :many
select e.environment_id, e.id
from erasures e
where e.finished_at is null and e.started_epoch < @epoch
order by e.started_epoch, e.id
limit @row_limit;

-- name: ErasureSetStarted :exec
with unmarked as (
    select e.environment_id, e.id
    from erasures e
    join (select unnest(@environment_ids::text[]) as environment_id, unnest(@ids::text[]) as id) started
        on e.environment_id = started.environment_id and e.id = started.id
    where e.started_epoch < @epoch
    order by e.id
    for no key update of e
)
update erasures e
set started_epoch = @epoch
from unmarked u
where e.environment_id = u.environment_id and e.id = u.id;

-- name: ErasureListStuck :many
-- Erasures without progress, round-robin across environments.
with behind as materialized (
    select e.id, greatest(1, least(@row_limit::int, floor(9.0 / count(*) over () * @row_limit::int)::int)) as share
    from environments e
    where (select r.progress_at from erasures r
           where r.environment_id = e.id and r.finished_at is null
           order by r.progress_at limit 1) < @before
)
select w.environment_id, w.id, w.stage, w.requested_at
from behind b
cross join lateral (
    select d.environment_id, d.id, d.stage, d.requested_at, row_number() over (order by d.progress_at, d.id) as turn
    from (
        select r.environment_id, r.id, r.stage, r.requested_at, r.progress_at
        from erasures r
        where r.environment_id = b.id and r.finished_at is null and r.progress_at < @before
        order by r.progress_at, r.id
        limit b.share
    ) d
) w
order by w.turn, w.id
limit @row_limit::int;
